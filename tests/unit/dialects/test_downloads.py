"""A document's text and content, over ASGI."""

from __future__ import annotations

import json

import pytest
from starlette.testclient import TestClient

from knowledge_base.dialects.engineering.routes import CONTRACT
from knowledge_base.dialects.streaming import streaming_application
from knowledge_base.domain.access import Principal
from knowledge_base.domain.documents import Version
from knowledge_base.domain.metadata import DocumentMetadata
from knowledge_base.domain.parsed import decode_parsed
from knowledge_base.domain.permissions import PUBLIC, Action, Grant, Permissions
from knowledge_base.domain.retrieval import SearchRequest
from tests.world import World

TEXT = "水泵在四十度时启动。\n\nThe valve opens at 60 degrees."
NAME = "目录/价格 2026.txt"


class Reader:
    """Reads as one user of one tenant."""

    def __init__(self, world: World, user_id: str = "ann", tenant: str = "acme") -> None:
        operator = Principal("acme", "root", frozenset({"operator"}))
        key = world.container.access.create_key(operator, Principal(tenant, user_id)).key
        self.headers = {"authorization": f"Bearer {key}"}
        self.client = TestClient(streaming_application([CONTRACT], lambda: world.container))

    def get(self, path: str, **headers: str) -> tuple[int, bytes, dict[str, str]]:
        reply = self.client.get(path, headers={**self.headers, **headers})
        return reply.status_code, reply.content, {name.lower(): value for name, value in reply.headers.items()}


@pytest.fixture
def reader(world: World) -> Reader:
    return Reader(world)


@pytest.fixture
def version(world: World) -> Version:
    version = world.import_text(NAME, TEXT)
    world.run()
    return version


def test_the_text_is_the_one_that_offsets_point_into(world: World, reader: Reader, version: Version) -> None:
    status, body, headers = reader.get(f"/documents/{version.document_id}/text")
    assert status == 200
    assert headers["content-type"].lower() == "text/plain;charset=utf-8"
    assert headers["x-document-version"] == "1"
    kb = world.knowledge_base()
    vectors = world.container.searching.embed(kb.tenant, [kb.kb_id], "valve")
    found = world.container.searching.search(kb.tenant, SearchRequest("valve", (kb.kb_id,), 5), vectors).found
    assert found
    for item in found:
        chunk = item.hit.chunk
        assert body.decode()[chunk.start : chunk.end] == chunk.text


def test_the_text_as_json_has_the_spans(reader: Reader, version: Version) -> None:
    status, body, headers = reader.get(f"/documents/{version.document_id}/text", accept="application/json")
    assert (status, headers["content-type"].lower()) == (200, "application/json;charset=utf-8")
    assert decode_parsed(body).text == TEXT


def test_the_content_is_what_came_in_and_is_never_shown_as_a_page(reader: Reader, version: Version) -> None:
    status, body, headers = reader.get(f"/documents/{version.document_id}/content")
    assert (status, body) == (200, TEXT.encode())
    assert headers["content-length"] == str(len(TEXT.encode()))
    assert headers["content-disposition"] == "attachment; filename*=UTF-8''%E4%BB%B7%E6%A0%BC%202026.txt"
    assert headers["x-content-type-options"] == "nosniff"


def test_an_earlier_version_can_be_read(world: World, reader: Reader, version: Version) -> None:
    world.import_text(NAME, "The new text.")
    world.run()
    assert reader.get(f"/documents/{version.document_id}/text")[1] == b"The new text."
    assert reader.get(f"/documents/{version.document_id}/text?version=1")[1] == TEXT.encode()


def test_while_a_new_version_is_read_the_live_one_is_given(world: World, reader: Reader, version: Version) -> None:
    world.import_text(NAME, "The new text.")
    assert reader.get(f"/documents/{version.document_id}/text")[1] == TEXT.encode()


@pytest.mark.parametrize(
    ("part", "status", "says"),
    [
        ("text?version=7", 404, "no version 7"),
        ("text?version=0", 400, "version"),
        ("text?version=x", 400, "version"),
        ("text?colour=blue", 400, "colour"),
        ("content?version=99999999999", 400, "version"),
    ],
)
def test_what_cannot_be_read_is_refused_as_a_problem(
    reader: Reader, version: Version, part: str, status: int, says: str
) -> None:
    found, body, headers = reader.get(f"/documents/{version.document_id}/{part}")
    assert (found, headers["content-type"]) == (status, "application/problem+json")
    assert says in json.loads(body)["detail"]


def test_a_document_without_text_says_why(world: World, reader: Reader) -> None:
    waiting = world.import_text("waiting.txt", "x")
    assert reader.get(f"/documents/{waiting.document_id}/text")[0] == 409
    failed = world.import_text("failed.txt", "")
    world.run()
    status, body, _ = reader.get(f"/documents/{failed.document_id}/text")
    assert status == 409
    assert "empty" in json.loads(body)["detail"]


def test_who_may_not_read_a_document_is_told_that_there_is_none(world: World, version: Version) -> None:
    only_bob = Permissions(public=False, grants=(Grant("user:bob", frozenset({Action.READ})),))
    document = world.stores.documents.get(version.document_id)
    world.container.descriptions.describe(document, metadata=DocumentMetadata(), permissions=only_bob)
    for part in ("text", "content"):
        path = f"/documents/{version.document_id}/{part}"
        assert Reader(world).get(path)[0] == 404
        assert Reader(world, "bob").get(path)[0] == 200
        assert Reader(world, "bob", "globex").get(path)[0] == 404
    document = world.stores.documents.get(version.document_id)
    world.container.descriptions.describe(document, metadata=DocumentMetadata(), permissions=PUBLIC)
    assert Reader(world).get(f"/documents/{version.document_id}/text")[0] == 200


def test_nobody_reads_without_a_key(reader: Reader, version: Version) -> None:
    reader.headers = {}
    status, body, _ = reader.get(f"/documents/{version.document_id}/text")
    assert status == 401
    assert TEXT.encode() not in body


def test_a_removed_document_cannot_be_read(world: World, reader: Reader, version: Version) -> None:
    world.container.importing.remove(world.knowledge_base(), NAME)
    assert reader.get(f"/documents/{version.document_id}/text")[0] == 404
    assert reader.get(f"/documents/{version.document_id}/content")[0] == 404
