"""Finding chunks: the statements of both legs, and the hits they make."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import TYPE_CHECKING, TypeAlias

from knowledge_base.adapters.chunk_details import chunk_of
from knowledge_base.adapters.words import question_words
from knowledge_base.domain.retrieval import Candidates, ChunkFilter, Hit, clamp_cosine

if TYPE_CHECKING:
    from apsw import Connection

Bindings: TypeAlias = dict[str, str | int | bytes | None]

NEAR_ENOUGH = 1024
"""So many chunks with the nearest codes, or 8 for each wanted, are compared exactly; among fewer, all are."""

WORDY_ENOUGH = 256
"""So many chunks that FTS5 ranks first, or 2 for each wanted, get their exact score."""

_SHELVES = """
WITH shelf (number, first, last, revision) AS MATERIALIZED (
  SELECT k.number, k.number << 32, (k.number << 32) | 4294967295, asked.value ->> 1
  FROM json_each(:revisions) AS asked CROSS JOIN knowledge_bases AS k
  WHERE k.kb_id = asked.value ->> 0 AND k.tenant = :tenant
)"""

_ALLOWED = """
  c.from_rev <= shelf.revision AND c.to_rev > shelf.revision
  AND (:readers IS NULL OR c.reader_set IN (
    SELECT reader_set FROM reader_marks WHERE reader IN (SELECT value FROM json_each(:readers))))
  AND (:document_ids IS NULL OR c.document IN (
    SELECT number FROM documents WHERE document_id IN (SELECT value FROM json_each(:document_ids))))"""

_CHUNK_ID = "d.document_id || ':' || c.ordinal || ':' || c.place"

_COUNT = f"""{_SHELVES}
SELECT count(*) FROM shelf CROSS JOIN chunks AS c ON c.id BETWEEN shelf.first AND shelf.last WHERE {_ALLOWED}
"""  # noqa: S608

_NEAREST = f"""{_SHELVES},
candidate (id) AS MATERIALIZED (
  SELECT c.id FROM shelf CROSS JOIN chunks AS c ON c.id BETWEEN shelf.first AND shelf.last
  WHERE c.code IS NOT NULL AND {_ALLOWED}
  ORDER BY vec_distance_l2(vec_int8(c.code), vec_quantize_int8(vec_normalize(:vector), 'unit')) LIMIT :candidates
)
SELECT c.id FROM candidate CROSS JOIN chunks AS c ON c.id = candidate.id CROSS JOIN vectors AS v ON v.id = c.id
CROSS JOIN documents AS d ON d.number = c.document
ORDER BY vec_distance_cosine(v.vector, :vector), {_CHUNK_ID} LIMIT :limit
"""  # noqa: S608

# FTS5 sorts by its rank first; the filter and `lucene` then see only as many rows as are wanted.
_MATCHING = f"""{_SHELVES},
candidate (id, score) AS MATERIALIZED (
  SELECT c.id, lucene(words, :frequencies)
  FROM words CROSS JOIN chunks AS c ON c.id = words.rowid CROSS JOIN shelf ON shelf.number = c.id >> 32
  WHERE words MATCH :match AND {_ALLOWED}
  AND words.rowid BETWEEN (SELECT min(first) FROM shelf) AND (SELECT max(last) FROM shelf)
  ORDER BY words.rank LIMIT :candidates
)
SELECT c.id, score FROM candidate CROSS JOIN chunks AS c ON c.id = candidate.id
CROSS JOIN documents AS d ON d.number = c.document
ORDER BY score DESC, {_CHUNK_ID} LIMIT :limit
"""  # noqa: S608

_FREQUENCIES = "SELECT term, doc FROM json_each(:words) AS word CROSS JOIN vocabulary ON term = word.value"

_CHUNKS = """
SELECT c.id, k.kb_id,
  CASE WHEN :vector IS NULL OR v.vector IS NULL THEN 0.0 ELSE 1 - vec_distance_cosine(v.vector, :vector) END,
  d.document_id, c.ordinal, c.place, t.text, t.details
FROM json_each(:ids) AS wanted CROSS JOIN chunks AS c ON c.id = wanted.value CROSS JOIN texts AS t ON t.id = c.id
CROSS JOIN documents AS d ON d.number = c.document CROSS JOIN knowledge_bases AS k ON k.number = c.id >> 32
LEFT JOIN vectors AS v ON v.id = c.id
"""


def count(connection: Connection, where: ChunkFilter) -> int:
    """Return how many chunks match a filter."""
    number: int = connection.execute(_COUNT, _filter(where)).get
    return number


def nearest(connection: Connection, vector: bytes, limit: int, where: ChunkFilter) -> list[int]:
    """Return the ids of the chunks with the largest cosine, best first."""
    sizes = {"limit": limit, "candidates": max(NEAR_ENOUGH, 8 * limit)}
    return [id_ for (id_,) in connection.execute(_NEAREST, {**_filter(where), **sizes, "vector": vector})]


def matching(connection: Connection, text: str, limit: int, where: ChunkFilter) -> dict[int, float]:
    """Return the BM25 scores of the chunks with the largest, best first."""
    frequencies = dict(connection.execute(_FREQUENCIES, {"words": json.dumps(question_words(text))}))
    if not frequencies:
        return {}
    bindings: Bindings = {
        **_filter(where),
        "match": " OR ".join(f'"{word}"' for word in frequencies),
        "frequencies": json.dumps(frequencies),
        "limit": limit,
        "candidates": max(WORDY_ENOUGH, 2 * limit),
    }
    return dict(connection.execute(_MATCHING, bindings))


def read_hits(connection: Connection, near: list[int], scores: dict[int, float], vector: bytes | None) -> Candidates:
    """Return what the legs have found; without a vector to compare with, every similarity is 0."""
    rows = connection.execute(_CHUNKS, {"ids": json.dumps([*{*near, *scores}]), "vector": vector})
    hits = {
        id_: Hit(
            chunk_of(document, ordinal, place, text, json.loads(details)), kb, clamp_cosine(cosine), scores.get(id_)
        )
        for id_, kb, cosine, document, ordinal, place, text, details in rows
    }
    return Candidates(tuple(hits[id_] for id_ in near), tuple(hits[id_] for id_ in scores))


def _filter(where: ChunkFilter) -> Bindings:
    return {
        "tenant": where.tenant,
        "revisions": json.dumps(list(where.revisions.items())),
        "readers": _array(where.readers),
        "document_ids": _array(where.document_ids),
    }


def _array(values: Collection[str] | None) -> str | None:
    return None if values is None else json.dumps(list(values))
