"""Search documents by a question, or by a text that they resemble."""

from __future__ import annotations

import time

from knowledge_base.dialects.contract import Reply, Request
from knowledge_base.dialects.engineering import schemas, translate
from knowledge_base.dialects.engineering.queries import read_query
from knowledge_base.domain.retrieval import SearchMode, SearchResult
from knowledge_base.services.document_search import Wanted
from knowledge_base.services.registry import Services


def search(request: Request, services: Services) -> Reply:
    """Search by a question."""
    begun = time.perf_counter()
    asked = read_query(request, schemas.SearchQuery)
    among = translate.document_filter(asked)
    wanted = Wanted(asked.query, among, asked.limit, SearchMode(asked.mode), asked.min_score)
    found = services.document_search.search(
        request.principal, services.knowledge_bases.documents(request.principal), wanted
    )
    return _reply(found, begun, explain=asked.explain)


def find_similar(request: Request, services: Services) -> Reply:
    """Search by a text."""
    begun = time.perf_counter()
    asked = request.read(schemas.FindSimilar)
    among = translate.document_filter(asked.filters)
    wanted = Wanted(asked.text, among, asked.limit, SearchMode.VECTOR, asked.min_score)
    found = services.document_search.similar(
        request.principal, services.knowledge_bases.documents(request.principal), wanted
    )
    return _reply(found, begun, explain=asked.explain)


def rate_result(request: Request, services: Services) -> Reply:
    """Take in whether a chunk answers a query."""
    rated = request.read(schemas.RateResult)
    services.relevance.vote(
        request.principal,
        services.knowledge_bases.documents(request.principal),
        rated.query,
        document_id=rated.document_id,
        index=rated.chunk_index,
        rating=rated.rating,
    )
    return Reply(204)


def find_related(request: Request, services: Services) -> Reply:
    """Find documents that are related to one."""
    asked = read_query(request, schemas.RelatedQuery)
    found = services.related.find(request.principal, request.path["id"], limit=asked.limit)
    view = schemas.RelatedDocuments(related=[translate.related(each) for each in found])
    return Reply(200, view.model_dump(mode="json"))


def _reply(found: SearchResult, begun: float, *, explain: bool) -> Reply:
    view = translate.found(found, took=time.perf_counter() - begun, explain=explain)
    body = view.model_dump(mode="json")
    if not explain:
        for result in body["results"]:
            del result["explain"]
    return Reply(200, body)
