"""Finding chunks: both legs in one request, and the hits they make."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from knowledge_base.adapters.opensearch import queries
from knowledge_base.adapters.opensearch.sources import to_chunk
from knowledge_base.adapters.storable import has_direction
from knowledge_base.adapters.words import question_words
from knowledge_base.domain.chunks import Vector
from knowledge_base.domain.errors import IndexUnavailable
from knowledge_base.domain.retrieval import Candidates, ChunkFilter, Hit, clamp_cosine

if TYPE_CHECKING:
    from opensearchpy import OpenSearch

Found: TypeAlias = dict[str, Any]
"""A hit as OpenSearch returns it."""


def find(
    client: OpenSearch, index: str, text: str | None, vector: Vector | None, limit: int, where: ChunkFilter
) -> Candidates:
    """Run the legs that can find anything, in one request."""
    words = question_words(text or "")
    is_near = vector is not None and has_direction(vector)
    searches = {
        "nearest": queries.nearest(vector, limit, where) if vector is not None and is_near else None,
        "matching": queries.matching(words, limit, where, with_vectors=is_near) if words else None,
    }
    found = _run(client, index, {leg: search for leg, search in searches.items() if search})
    return _hits(found.get("nearest", []), found.get("matching", []), vector)


def _run(client: OpenSearch, index: str, searches: dict[str, queries.Query]) -> dict[str, list[Found]]:
    if not searches:
        return {}
    # A part of the truth would pass for all of it; an index that nobody has written to yet is an empty one.
    header = {"index": index, "allow_partial_search_results": False, "ignore_unavailable": True}
    body = [line for search in searches.values() for line in (header, search)]
    answers = client.msearch(body=body)["responses"]
    if any("error" in answer for answer in answers):
        raise IndexUnavailable("the vector index could not search")
    return {leg: answer["hits"]["hits"] for leg, answer in zip(searches, answers, strict=True)}


def _hits(nearest: list[Found], matching: list[Found], vector: Vector | None) -> Candidates:
    similarities = _similarities(nearest, matching, vector) if vector is not None else {}
    keywords = {found["_id"]: found["_score"] for found in matching}
    hits = {
        found["_id"]: Hit(
            chunk=to_chunk(found["_source"]),
            kb_id=found["_source"]["kb_id"],
            similarity=similarities.get(found["_id"]),
            keyword=keywords.get(found["_id"]),
        )
        for found in (*nearest, *matching)
    }
    return Candidates(tuple(_in_order(nearest, hits)), tuple(_in_order(matching, hits)))


def _in_order(leg: Iterable[Found], hits: dict[str, Hit]) -> Iterable[Hit]:
    return (hits[found["_id"]] for found in leg)


def _similarities(nearest: Iterable[Found], matching: Iterable[Found], vector: Vector) -> dict[str, float]:
    known = {found["_id"]: clamp_cosine(2 * found["_score"] - 1) for found in nearest}
    length = math.hypot(*vector)
    return known | {
        found["_id"]: clamp_cosine(_cosine(found["_source"].get("vector"), vector, length))
        for found in matching
        if found["_id"] not in known
    }


def _cosine(stored: Vector | None, vector: Vector, length: float) -> float:
    """Return the cosine to a stored vector; one that points nowhere is not stored, or is not asked for."""
    if not stored:
        return 0.0
    product: float = sum(map(operator.mul, stored, vector))
    return product / (math.hypot(*stored) * length)
