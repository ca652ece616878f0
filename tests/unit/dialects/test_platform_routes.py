"""Uploads and ingestions over the platform contract."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import pytest

from knowledge_base.dialects.contract import Reply, Request, handle
from knowledge_base.dialects.platform.routes import CONTRACT
from knowledge_base.domain.access import Principal
from tests.world import World

PUMP = b"The pump starts at 40 degrees."
TARGET = {"dialect": "uran", "repository": "handbook"}
ANNOUNCED = {
    "filename": "pump.txt",
    "size": len(PUMP),
    "content_type": "text/plain",
    "sha256": hashlib.sha256(PUMP).hexdigest(),
    "target": TARGET,
}


class Caller:
    """Calls routes as one user of one tenant."""

    def __init__(self, world: World, tenant: str = "acme", *roles: str) -> None:
        self.world = world
        operator = Principal("acme", "root", frozenset({"operator"}))
        self.key = world.container.access.create_key(operator, Principal(tenant, "ann", frozenset(roles))).key

    def __call__(
        self, method: str, path: str, body: Any = None, *, query: Mapping[str, str] | None = None, **parts: str
    ) -> Reply:
        route = next(r for r in CONTRACT.routes if (r.method, r.path) == (method, path))
        request = Request(
            path=parts,
            query={name: [value] for name, value in (query or {}).items()},
            headers={"authorization": f"Bearer {self.key}"},
            body=json.dumps(body).encode(),
        )
        return handle(CONTRACT, route, request, self.world.container)


@pytest.fixture
def call(world: World) -> Caller:
    return Caller(world)


def upload(world: World, call: Caller, name: str = "pump.txt", content: bytes = PUMP) -> Reply:
    announced = {**ANNOUNCED, "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    reply = call("POST", "/uploads", {**announced, "target": {**TARGET, "name": name}})
    world.objects.put(reply.body["fields"]["key"], content)
    world.clock.pass_seconds(1)
    return reply


def test_an_announced_file_gets_a_form_and_once_sent_is_a_duplicate(world: World, call: Caller) -> None:
    reply = call("POST", "/uploads", ANNOUNCED)
    assert (reply.status, reply.body["duplicate"]) == (201, False)
    assert reply.body["url"] and reply.body["fields"] and reply.body["expires_at"]
    world.objects.put(reply.body["fields"]["key"], PUMP)
    world.run()
    again = call("POST", "/uploads", ANNOUNCED)
    assert (again.status, again.body["duplicate"], again.body["url"]) == (200, True, None)
    assert again.body["document_id"] == reply.body["document_id"]


@pytest.mark.parametrize(
    ("changes", "status", "says"),
    [
        ({"size": 50 * 1024 * 1024 + 1}, 413, "52428800"),
        ({"size": 0}, 400, "size"),
        ({"sha256": "abc"}, 400, "sha256"),
        ({"filename": " "}, 400, "filename"),
        ({"target": {"dialect": "other", "repository": "x"}}, 400, "dialect"),
        ({"target": {**TARGET, "colour": "blue"}}, 400, "colour"),
        ({"target": {**TARGET, "repository": ""}}, 400, "repository"),
    ],
)
def test_what_cannot_be_announced_is_refused_with_the_reason(
    call: Caller, changes: dict[str, Any], status: int, says: str
) -> None:
    reply = call("POST", "/uploads", {**ANNOUNCED, **changes})
    assert reply.status == status
    assert says in reply.body["error"]["message"]


def test_documents_of_a_repository_are_listed_whatever_their_state(world: World, call: Caller) -> None:
    upload(world, call, "a.txt")
    world.run()
    upload(world, call, "b.txt", b"\x00" * 9)
    world.run()
    call("POST", "/uploads", {**ANNOUNCED, "sha256": "0" * 64, "filename": "c.txt"})
    first = call("GET", "/ingestions", query={"repository": "handbook", "limit": "2"})
    rest = call(
        "GET", "/ingestions", query={"repository": "handbook", "limit": "2", "cursor": first.body["next_cursor"]}
    )
    shown = [(item["name"], item["state"]) for item in first.body["ingestions"] + rest.body["ingestions"]]
    assert shown == [("a.txt", "ready"), ("b.txt", "failed"), ("c.txt", "pending")]
    assert rest.body["next_cursor"] is None


def test_a_document_is_found_by_its_name_with_its_progress(world: World, call: Caller) -> None:
    upload(world, call, "a.txt")
    upload(world, call, "目录/价格.txt", b"The price.")
    world.run()
    (found,) = call("GET", "/ingestions", query={"repository": "handbook", "name": "目录/价格.txt"}).body["ingestions"]
    assert found["state"] == "ready"
    assert (found["chunks_done"], found["chunk_count"], found["size"]) == (1, 1, len(b"The price."))
    assert call("GET", "/ingestions", query={"repository": "handbook", "name": "none"}).body["ingestions"] == []


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({}, 400),
        ({"repository": "unknown"}, 404),
        ({"repository": "handbook", "limit": "0"}, 400),
        ({"repository": "handbook", "cursor": "?"}, 400),
        ({"repository": "handbook", "colour": "blue"}, 400),
    ],
)
def test_a_list_that_cannot_be_given_is_refused(world: World, call: Caller, query: dict[str, str], status: int) -> None:
    world.knowledge_base()
    assert call("GET", "/ingestions", query=query).status == status


def test_another_tenants_documents_are_not_shown(world: World, call: Caller) -> None:
    made = upload(world, call)
    other = Caller(world, "globex", "admin")
    assert other("GET", "/ingestions", query={"repository": "handbook"}).status == 404
    assert other("GET", "/ingestions/{document_id}", document_id=made.body["document_id"]).status == 404


def test_a_document_of_the_engineering_contract_is_announced_with_what_is_said_of_it(
    world: World, call: Caller
) -> None:
    said = {"title": "Pumps", "tags": ["a"], "acl": {"bob": ["read"]}}
    target = {"dialect": "engineering", "metadata": said}
    replies = [call("POST", "/uploads", {**ANNOUNCED, "target": target}) for _ in range(2)]
    assert [reply.status for reply in replies] == [201, 201]
    first, second = (reply.body["document_id"] for reply in replies)
    assert first != second, "twins are two documents"
    world.objects.put(replies[0].body["fields"]["key"], PUMP)
    world.run()
    document = world.stores.documents.get(first)
    assert (document.live_ordinal, document.owner, document.metadata.title) == (1, "ann", "Pumps")
    assert document.readers == {"user:ann", "user:bob", "role:bob"}


def test_a_document_that_is_announced_with_other_content_fails(world: World, call: Caller) -> None:
    reply = call("POST", "/uploads", {**ANNOUNCED, "target": {"dialect": "engineering"}})
    world.objects.put(reply.body["fields"]["key"], b"Something else.")
    world.run()
    shown = call("GET", "/ingestions/{document_id}", document_id=reply.body["document_id"])
    assert (shown.body["state"], shown.body["error"]["code"]) == ("failed", "checksum_mismatch")
