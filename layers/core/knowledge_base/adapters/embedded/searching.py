"""Finding chunks: both legs over one scope, and the hits they make."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from knowledge_base.adapters.chunk_details import chunk_of
from knowledge_base.adapters.embedded.chunk_memory import ChunkMemory
from knowledge_base.adapters.embedded.matching import matching
from knowledge_base.adapters.embedded.nearest import exact_cosines, nearest
from knowledge_base.adapters.embedded.schema import ID_BITS
from knowledge_base.adapters.embedded.scope import Scope
from knowledge_base.adapters.embedded.vectors import encode
from knowledge_base.adapters.storable import has_direction
from knowledge_base.adapters.words import question_words
from knowledge_base.domain.chunks import Chunk, ChunkPlace, Vector
from knowledge_base.domain.retrieval import Candidates, ChunkFilter, Hit, clamp_cosine

if TYPE_CHECKING:
    from apsw import Connection

_DECODE = json.JSONDecoder().raw_decode

_SHELVES = """
WITH shelf (first, last, revision) AS MATERIALIZED (
  SELECT k.number << 32, (k.number << 32) | 4294967295, asked.value ->> 1
  FROM json_each(:revisions) AS asked CROSS JOIN knowledge_bases AS k
  WHERE k.kb_id = asked.value ->> 0 AND k.tenant = :tenant
)"""

_MATCHES = """
c.from_rev <= shelf.revision AND c.to_rev > shelf.revision
AND (:readers IS NULL OR c.reader_set IN (
  SELECT reader_set FROM reader_marks WHERE reader IN (SELECT value FROM json_each(:readers))))
AND (:document_ids IS NULL OR c.document IN (
  SELECT number FROM documents WHERE document_id IN (SELECT value FROM json_each(:document_ids))))
"""

_COUNT = f"""{_SHELVES}
SELECT count(*) FROM shelf CROSS JOIN chunks AS c ON c.id BETWEEN shelf.first AND shelf.last
WHERE {_MATCHES}
"""  # noqa: S608

_AT = f"""{_SHELVES}
SELECT d.document_id, c.ordinal, c.place, t.text, t.details
FROM json_each(:places) AS wanted
CROSS JOIN documents AS d ON d.document_id = wanted.value ->> 0
CROSS JOIN chunks AS c ON c.document = d.number AND c.ordinal = wanted.value ->> 1 AND c.place = wanted.value ->> 2
CROSS JOIN texts AS t ON t.id = c.id
JOIN shelf ON c.id BETWEEN shelf.first AND shelf.last
WHERE {_MATCHES}
"""  # noqa: S608

_FIRST_BY_CHUNK_ID = """
SELECT c.id FROM carray(:ids) CROSS JOIN chunks AS c ON c.id = value
CROSS JOIN documents AS d ON d.number = c.document
ORDER BY d.document_id || ':' || c.ordinal || ':' || c.place LIMIT :limit
"""

_CHUNKS = """
SELECT c.id, d.document_id, c.ordinal, c.place, t.text, t.details
FROM carray(?) CROSS JOIN chunks AS c ON c.id = value CROSS JOIN texts AS t ON t.id = c.id
CROSS JOIN documents AS d ON d.number = c.document
"""


def count(connection: Connection, where: ChunkFilter) -> int:
    """Return how many chunks match a filter."""
    number: int = connection.execute(_COUNT, _bindings(where)).get
    return number


def chunks_at(connection: Connection, places: Collection[ChunkPlace], where: ChunkFilter) -> list[Chunk]:
    """Return those chunks at some places that match a filter."""
    rows = connection.execute(
        _AT, {**_bindings(where), "places": json.dumps([astuple(place) for place in set(places)])}
    )
    return [
        chunk_of(document_id, ordinal, place, text, _DECODE(details)[0])
        for document_id, ordinal, place, text, details in rows
    ]


def _bindings(where: ChunkFilter) -> dict[str, str | None]:
    return {
        "tenant": where.tenant,
        "revisions": json.dumps(list(where.revisions.items())),
        "readers": None if where.readers is None else json.dumps(list(where.readers)),
        "document_ids": None if where.document_ids is None else json.dumps(list(where.document_ids)),
    }


def find(
    connection: Connection, scope: Scope, memory: ChunkMemory, text: str | None, vector: Vector | None, limit: int
) -> Candidates:
    """Run the legs that are asked for over a scope."""
    if not scope.shelves:
        return Candidates()
    near = vector if vector is not None and has_direction(vector) else None
    search = _Search(connection, scope, memory, near, limit)
    nearest = search.nearest()
    matched = search.matching(question_words(text or ""))
    similarities = {} if vector is None else search.similarities(nearest, matched)
    return search.hits(nearest, matched, similarities)


class _Search:
    """One search; a leg's result maps positions to scores."""

    def __init__(
        self, connection: Connection, scope: Scope, memory: ChunkMemory, vector: Vector | None, limit: int
    ) -> None:
        self._connection = connection
        self._memory = memory
        self._scope = scope
        self._query = None if vector is None else encode([vector])
        self._limit = limit

    def nearest(self) -> dict[int, float]:
        if self._query is None:
            return {}
        return self._cut_ties(*nearest(self._connection, self._scope, self._query, self._limit))

    def matching(self, words: Sequence[str]) -> dict[int, float]:
        return self._cut_ties(*matching(self._connection, self._scope, words, self._limit))

    def similarities(self, near: dict[int, float], matched: dict[int, float]) -> dict[int, float]:
        """Return the exact similarity of every hit; one that points nowhere is similar to nothing."""
        if self._query is None:
            return dict.fromkeys(matched, 0.0)
        others = np.array(sorted(matched.keys() - near.keys()), dtype=np.intp)
        exact = exact_cosines(self._connection, self._scope, self._query, others)
        cosines = {**near, **dict(zip(others.tolist(), exact.tolist(), strict=True))}
        return {position: clamp_cosine(cosine) for position, cosine in cosines.items()}

    def hits(self, near: dict[int, float], matched: dict[int, float], similarities: dict[int, float]) -> Candidates:
        """Read the chunks that were found, and put each leg in order."""
        hits = {
            position: Hit(chunk, kb_id, similarities.get(position), matched.get(position))
            for position, (chunk, kb_id) in self._chunks([*{**near, **matched}]).items()
        }
        return Candidates(_in_order(hits, near), _in_order(hits, matched))

    def _cut_ties(self, positions: NDArray[np.intp], scores: NDArray[np.floating]) -> dict[int, float]:
        """Of those that tie for the last places, keep the first by chunk id."""
        if len(positions) > self._limit:
            is_last = scores == scores.min()
            tied = dict(zip(self._scope.ids[positions[is_last]].tolist(), positions[is_last].tolist(), strict=True))
            kept = [tied[id_] for id_ in self._first_by_chunk_id(list(tied), self._limit - int((~is_last).sum()))]
            chosen = ~is_last | np.isin(positions, kept)
            positions, scores = positions[chosen], scores[chosen]
        return dict(zip(positions.tolist(), scores.tolist(), strict=True))

    def _first_by_chunk_id(self, ids: Sequence[int], limit: int) -> list[int]:
        import apsw

        bindings = {"ids": apsw.carray(np.array(ids, dtype=np.int64)), "limit": limit}
        return [id_ for (id_,) in self._connection.execute(_FIRST_BY_CHUNK_ID, bindings)]

    def _chunks(self, positions: Sequence[int]) -> dict[int, tuple[Chunk, str]]:
        ids = self._scope.ids[positions].tolist()
        chunks = self._memory.read(ids, self._read)
        kb_ids = {shelf.number: shelf.kb_id for shelf in self._scope.shelves}
        return {position: (chunks[id_], kb_ids[id_ >> ID_BITS]) for position, id_ in zip(positions, ids, strict=True)}

    def _read(self, ids: Sequence[int]) -> Iterator[tuple[int, Chunk]]:
        import apsw

        wanted = apsw.carray(np.array(ids, dtype=np.int64))
        for id_, document_id, ordinal, place, text, details in self._connection.execute(_CHUNKS, (wanted,)):
            yield id_, chunk_of(document_id, ordinal, place, text, _DECODE(details)[0])


def _in_order(hits: dict[int, Hit], scores: dict[int, float]) -> tuple[Hit, ...]:
    return tuple(hits[position] for position in sorted(scores, key=lambda p: (-scores[p], hits[p].chunk.chunk_id)))
