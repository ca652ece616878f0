"""Calls of the engineering contract, as one user of one tenant."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

import httpx

from knowledge_base.dialects.contract import Reply, Request, handle
from knowledge_base.dialects.engineering.routes import CONTRACT
from knowledge_base.domain.access import Principal
from tests.world import World


class Caller:
    """Sends requests as httpx would encode them."""

    def __init__(self, world: World, user_id: str = "ann", *roles: str, tenant: str = "acme") -> None:
        self.world = world
        operator = Principal("acme", "root", frozenset({"operator"}))
        self.key = world.container.access.create_key(operator, Principal(tenant, user_id, frozenset(roles))).key

    def __call__(self, method: str, path: str, **options: Any) -> Reply:
        headers = {"authorization": f"Bearer {self.key}", **options.pop("headers", {})}
        sent = httpx.Request(method, f"http://kb{path}", headers=headers, **options)
        route, parts = _route(method, sent.url.path)
        request = Request(
            path=parts,
            query=parse_qs(sent.url.query.decode(), keep_blank_values=True),
            headers={name.lower(): value for name, value in sent.headers.items()},
            body=sent.read(),
        )
        return handle(CONTRACT, route, request, self.world.container)

    def store(self, text: str | bytes, metadata: Mapping[str, Any] | None = None, name: str = "pump.md") -> str:
        """Store a document, let it be ingested, and return its id."""
        said = {"metadata": json.dumps(metadata)} if metadata is not None else {}
        reply = self("POST", "/documents", files={"document": (name, text)}, data=said)
        assert reply.status == 200, reply.body
        self.world.clock.pass_seconds(1)
        self.world.run()
        return str(reply.body["document_id"])

    def change(self, document_id: str, metadata: Mapping[str, Any], **headers: str) -> Reply:
        """Change what is said of a document."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self("PUT", f"/documents/{document_id}", json={"metadata": metadata}, headers=named)

    def metadata(self, document_id: str) -> dict[str, Any]:
        """Return what is said of a document."""
        reply = self("GET", f"/documents/{document_id}")
        assert reply.status == 200, reply.body
        return dict(reply.body["metadata"])

    def listed(self, **query: Any) -> list[str]:
        """Return the ids on the first page of a list."""
        reply = self("GET", "/documents", params=query)
        assert reply.status == 200, reply.body
        return [document["document_id"] for document in reply.body["documents"]]

    def search(self, query: str, **parameters: Any) -> dict[str, Any]:
        """Return what a search answers."""
        reply = self("GET", "/search", params={"query": query, **parameters})
        assert reply.status == 200, reply.body
        return dict(reply.body)

    def found(self, query: str, **parameters: Any) -> set[str]:
        """Return the ids of the documents that a search finds."""
        return {result["document_id"] for result in self.search(query, limit=100, **parameters)["results"]}


def _route(method: str, path: str) -> tuple[Any, dict[str, str]]:
    words = path.strip("/").split("/")
    for route in CONTRACT.routes:
        names = route.path.strip("/").split("/")
        if route.method == method and len(names) == len(words):
            pairs = list(zip(names, words, strict=True))
            if all(name.startswith("{") or name == word for name, word in pairs):
                return route, {name.strip("{}"): word for name, word in pairs if name.startswith("{")}
    raise AssertionError(f"no route: {method} {path}")
