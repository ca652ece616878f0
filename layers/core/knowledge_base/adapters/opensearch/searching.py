"""Finding chunks: both legs in one request, and the hits they make."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from knowledge_base.adapters.opensearch import queries
from knowledge_base.adapters.opensearch.sources import id_at, to_chunk
from knowledge_base.adapters.storable import has_direction
from knowledge_base.adapters.words import question_words
from knowledge_base.domain.chunks import Chunk, ChunkPlace, Vector
from knowledge_base.domain.errors import IndexUnavailable
from knowledge_base.domain.retrieval import Candidates, ChunkFilter, Hit, clamp_cosine

if TYPE_CHECKING:
    from opensearchpy import OpenSearch

_NOWHERE = {queries.COSINE: [0.0]}

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
        "matching": queries.matching(words, limit, where, near=vector if is_near else None) if words else None,
    }
    found = _run(client, index, {leg: search for leg, search in searches.items() if search})
    return _hits(found.get("nearest", []), found.get("matching", []), vector)


def chunks_at(client: OpenSearch, index: str, places: Collection[ChunkPlace], where: ChunkFilter) -> list[Chunk]:
    """Return those chunks at some places that match a filter."""
    if not places:
        return []
    ids = {id_at(place) for place in places}
    found = _run(client, index, {"at": queries.at(ids, where)})
    return [to_chunk(each["_source"]) for each in found.get("at", [])]


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
    similarities = _similarities(nearest, matching) if vector is not None else {}
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


def _similarities(nearest: Iterable[Found], matching: Iterable[Found]) -> dict[str, float]:
    """Return the similarity of each hit; a question that points nowhere is similar to nothing."""
    by_words = {found["_id"]: found.get("fields", _NOWHERE)[queries.COSINE][0] for found in matching}
    by_vector = {found["_id"]: 2 * found["_score"] - 1 for found in nearest}
    return {id_: clamp_cosine(cosine) for id_, cosine in {**by_words, **by_vector}.items()}
