"""The client covers the engineering contract, and says nothing that the contract does not know."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeAlias

import httpx
import pytest
import yaml

from infra.local.processes import REPOSITORY
from knowledge_base_client import Filters, KnowledgeBase, KnowledgeBaseError, Turn

CONTRACTS = REPOSITORY / "infra" / "openapi"
MOMENT = datetime(2030, 1, 1, tzinfo=UTC)
ALL = Filters(
    tags=["a"],
    any_tags=["b"],
    format="text",
    title="t",
    source="s",
    created_from=MOMENT,
    created_to=MOMENT,
    metadata={"team": "core"},
)

Act: TypeAlias = Callable[[KnowledgeBase], object]
CALLS: dict[str, Act] = {
    "add_document": lambda kb: kb.add_document(b"x", metadata={"title": "t"}),
    "get_document": lambda kb: kb.get_document("d"),
    "documents": lambda kb: list(kb.documents(ALL)),
    "document_page": lambda kb: kb.document_page(ALL, limit=1, cursor="c"),
    "update_document": lambda kb: kb.update_document("d", metadata={"title": "t"}, edition='"1"'),
    "delete_document": lambda kb: kb.delete_document("d", edition='"1"'),
    "versions": lambda kb: kb.versions("d"),
    "restore_version": lambda kb: kb.restore_version("d", 1, edition='"1"'),
    "text": lambda kb: kb.text("d", version=1),
    "parsed_text": lambda kb: kb.parsed_text("d", version=1),
    "content": lambda kb: kb.content("d", version=1),
    "wait_until_ready": lambda kb: kb.wait_until_ready("d"),
    "search": lambda kb: kb.search("q", limit=1, filters=ALL, mode="vector", min_score=0.5, explain=True),
    "search_similar": lambda kb: kb.search_similar("t", filters=ALL, min_score=0.5),
    "rate_result": lambda kb: kb.rate_result("q", "d", 0, "up"),
    "related_documents": lambda kb: kb.related_documents("d", limit=3),
    "ask": lambda kb: kb.ask("q", filters=ALL, history=[Turn(role="user", content="c")], min_score=0.5),
    "stream_answer": lambda kb: list(kb.stream_answer("q")),
    "answer_events": lambda kb: list(kb.answer_events("t")),
    "answer": lambda kb: kb.answer("t"),
    "cancel_answer": lambda kb: kb.cancel_answer("t"),
    "give_feedback": lambda kb: kb.give_feedback("t", "up", comment="c"),
    "ingestion": lambda kb: kb.ingestion("d"),
    "health": lambda kb: kb.health(),
    "ready": lambda kb: kb.ready(),
}


def request_of(act: Act) -> httpx.Request:
    """Return the first request that a call makes."""
    seen: list[httpx.Request] = []

    def refuse(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(400, json={})

    with pytest.raises(KnowledgeBaseError):
        act(KnowledgeBase("https://kb.example.org", "k", transport=httpx.MockTransport(refuse)))
    return seen[0]


def operations(contract: str) -> dict[tuple[str, str], Any]:
    paths = yaml.safe_load((CONTRACTS / f"{contract}.yaml").read_text(encoding="utf-8"))["paths"]
    return {(method.upper(), path): said for path, each in paths.items() for method, said in each.items()}


def route_of(request: httpx.Request, known: dict[tuple[str, str], Any]) -> tuple[str, str] | None:
    """Return the route that a request meets; one without a variable goes first."""
    for method, path in sorted(known, key=lambda route: "{" in route[1]):
        if method == request.method and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", path), request.url.path):
            return method, path
    return None


def test_every_method_is_tried_here() -> None:
    assert {name for name in vars(KnowledgeBase) if not name.startswith("_")} - {"close"} == set(CALLS)


def test_every_route_of_the_engineering_contract_has_a_method() -> None:
    known = operations("engineering")

    assert {route_of(request_of(act), known) for act in CALLS.values()} >= set(known)


@pytest.mark.parametrize("name", CALLS)
def test_a_method_asks_for_nothing_that_its_route_does_not_know(name: str) -> None:
    request = request_of(CALLS[name])
    known = operations("engineering") | operations("platform")
    route = route_of(request, known)
    assert route, f"{request.method} {request.url.path} is in no contract"

    parameters = {each["name"] for each in known[route].get("parameters", ())}
    given = {key for key in request.url.params if not key.startswith("metadata.")}
    assert given <= parameters
    assert "if-match" not in request.headers or "If-Match" in parameters
