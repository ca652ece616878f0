"""Moving the last chunks of a region that deletions have thinned out, so that pages and segments stay full.

Ids are never given twice. Where documents come and go beside a few that stay, the few would in the end have a page
each, and a search would read as many pages as there are chunks.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from knowledge_base.adapters.chunk_details import chunk_of
from knowledge_base.adapters.embedded import pages
from knowledge_base.adapters.embedded.schema import ID_BITS, PAGE
from knowledge_base.adapters.embedded.vectors import LOW_BITS
from knowledge_base.adapters.embedded.writing import store
from knowledge_base.domain.chunks import IndexedChunk, Vector

if TYPE_CHECKING:
    from apsw import Connection

REGION = 16 * PAGE
"""How many consecutive ids are looked at together."""

SPARSE = 8
"""A region with fewer than one chunk in so many ids is emptied: some 300 milliseconds of writing at most."""

_NEXT_ID = "SELECT next_id FROM knowledge_bases WHERE number = ?"
_SIZE = "SELECT count(*) FROM chunks WHERE id BETWEEN ? AND ?"
_CHUNKS = """
SELECT c.id, d.document_id, c.ordinal, c.place, t.text, t.details, v.low_bytes, k.tenant, k.kb_id, c.from_rev, c.to_rev,
  r.members
FROM chunks AS c CROSS JOIN documents AS d ON d.number = c.document CROSS JOIN texts AS t ON t.id = c.id
CROSS JOIN vectors AS v ON v.id = c.id CROSS JOIN knowledge_bases AS k ON k.number = c.id >> 32
CROSS JOIN reader_sets AS r ON r.number = c.reader_set
WHERE c.id BETWEEN ? AND ? ORDER BY c.id
"""


def compact(connection: Connection, gone: Iterable[int]) -> None:
    """Empty the regions that these deleted chunks have left sparse; what is left in them gets new ids."""
    for region in sorted({id_ // REGION for id_ in gone}):
        first, last = region * REGION, (region + 1) * REGION - 1
        if _is_behind_all_writing(connection, last):
            size: int = connection.execute(_SIZE, (first, last)).get
            if 0 < size * SPARSE < REGION:
                store(connection, _read(connection, first, last))


def _is_behind_all_writing(connection: Connection, last: int) -> bool:
    knowledge_base = last >> ID_BITS
    next_id: int = connection.execute(_NEXT_ID, (knowledge_base,)).get
    return last < (knowledge_base << ID_BITS) + next_id


def _read(connection: Connection, first: int, last: int) -> list[IndexedChunk]:
    codes = pages.codes_by_id(connection, first, last)
    return [_chunk(row, codes[row[0]]) for row in connection.execute(_CHUNKS, (first, last))]


def _chunk(row: tuple[Any, ...], code: NDArray[np.int8]) -> IndexedChunk:
    _, document_id, ordinal, place, text, details, low_bytes, tenant, kb_id, from_rev, to_rev, members = row
    return IndexedChunk(
        chunk_of(document_id, ordinal, place, text, json.loads(details)),
        _vector(code, low_bytes),
        tenant,
        kb_id,
        from_rev,
        to_rev,
        frozenset(json.loads(members)),
    )


def _vector(code: NDArray[np.int8], low_bytes: bytes) -> Vector:
    """Return a vector of the same direction, which is encoded to the same bytes again."""
    whole = (code.astype(np.int64) << LOW_BITS) + np.frombuffer(low_bytes, dtype=np.int16)
    vector: list[float] = whole.astype(np.float64).tolist()
    return vector
