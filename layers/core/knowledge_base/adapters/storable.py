"""Which chunks a vector index can hold, the same for every index."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from knowledge_base.domain.chunks import IndexedChunk, Vector
from knowledge_base.domain.errors import VectorSizeMismatch

SHORTEST, LONGEST = 1e-18, 1e18
"""The lengths of a vector whose square single precision can hold."""


def check_dimensions(vectors: Iterable[Vector], dimensions: int) -> None:
    """Raise `VectorSizeMismatch` if a vector has another number of dimensions."""
    for vector in vectors:
        if len(vector) != dimensions:
            raise VectorSizeMismatch(expected=dimensions, got=len(vector))


def part_storable(chunks: Sequence[IndexedChunk]) -> tuple[list[IndexedChunk], frozenset[str]]:
    """Return the chunks that can be stored, the last of each id, and the ids of those that cannot.

    Text and names that are no valid Unicode, and vectors that are not finite, cannot be stored.
    """
    last = {item.chunk.chunk_id: item for item in chunks}
    refused = frozenset(chunk_id for chunk_id, item in last.items() if not _is_storable(item))
    return [item for chunk_id, item in last.items() if chunk_id not in refused], refused


def has_direction(vector: Vector) -> bool:
    """Tell whether a vector points anywhere; one of zeros is near nothing, and has similarity 0 to everything."""
    return SHORTEST < math.hypot(*vector) < LONGEST


def _is_storable(item: IndexedChunk) -> bool:
    chunk = item.chunk
    try:
        "".join((chunk.text, *chunk.headings, chunk.document_id, item.kb_id, item.tenant, *item.readers)).encode()
    except UnicodeEncodeError:
        return False
    return math.hypot(*item.vector) < LONGEST
