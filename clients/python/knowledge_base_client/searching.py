"""Search documents, and find what is like a text or related to a document."""

from __future__ import annotations

from typing import Literal, TypeAlias

from knowledge_base_client.core import Core, exchange, filter_query, given, path
from knowledge_base_client.models.engineering import (
    Filters,
    FindSimilar,
    RateResult,
    RelatedDocument,
    RelatedDocuments,
    SearchView,
)
from knowledge_base_client.replies import understood
from knowledge_base_client.steps import Call, Flow

Mode: TypeAlias = Literal["hybrid", "vector", "keyword"]
Vote: TypeAlias = Literal["up", "down", "none"]


def search(
    core: Core,
    query: str,
    *,
    limit: int = 10,
    filters: Filters | None = None,
    mode: Mode = "hybrid",
    min_score: float | None = None,
    explain: bool = False,
) -> Flow[SearchView]:
    """Search the documents that the caller may read; `min_score` is the least cosine similarity."""
    asked = given(query=query, limit=limit, mode=mode, min_score=min_score, explain=explain or None)
    reply = yield from exchange(core, Call("GET", "/search", (*asked, *filter_query(filters)), repeatable=True))
    return understood(SearchView, reply)


def search_similar(
    core: Core,
    text: str,
    *,
    limit: int = 10,
    filters: Filters | None = None,
    min_score: float | None = None,
    explain: bool = False,
) -> Flow[SearchView]:
    """Find the chunks nearest to a text of up to 50,000 characters."""
    asked = FindSimilar(text=text, limit=limit, filters=filters, min_score=min_score, explain=explain)
    body = asked.model_dump(mode="json", exclude_none=True)
    return understood(
        SearchView, (yield from exchange(core, Call("POST", "/search/similar", json=body, repeatable=True)))
    )


def rate_result(core: Core, query: str, document_id: str, chunk_index: int, rating: Vote) -> Flow[None]:
    """Say whether a chunk answers a query; the caller's latest vote counts, and `none` takes it back."""
    vote = RateResult(query=query, document_id=document_id, chunk_index=chunk_index, rating=rating)
    yield from exchange(core, Call("POST", "/search/feedback", json=vote.model_dump(), repeatable=True))


def related_documents(core: Core, document_id: str, *, limit: int = 10) -> Flow[list[RelatedDocument]]:
    """Return the documents that the caller may read and that are related to one, the most related first."""
    call = Call("GET", path("documents", document_id, "related"), given(limit=limit), repeatable=True)
    return understood(RelatedDocuments, (yield from exchange(core, call))).related
