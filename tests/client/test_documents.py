"""Documents go in, are listed, read, changed and removed."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from knowledge_base_client import (
    EditionMismatch,
    Filters,
    GivenMetadata,
    IngestionFailed,
    IngestionUnfinished,
    NotFound,
    TooLarge,
    WrongUse,
)
from tests.client.service import KEY, Service, document, problem, reply

BUCKET = "https://bucket.example.org/documents"
STORED = reply({"document_id": "d1", "status": "pending"}, etag='"1"')


def announced(service: Service) -> None:
    ticket = {"document_id": "d9", "duplicate": False, "url": BUCKET, "fields": {"key": "uploads/d9", "policy": "p"}}
    service.on("POST /uploads", reply({**ticket, "expires_at": "2030-01-01T00:00:00Z"}, 201))
    service.on(f"POST {BUCKET}", httpx.Response(204))


def test_a_small_file_goes_in_one_form_with_its_metadata(kb: Any, service: Service, tmp_path: Path) -> None:
    service.on("POST /documents", STORED)
    (tmp_path / "leave.md").write_bytes(b"# Leave\n")

    stored = kb.add_document(tmp_path / "leave.md", metadata={"tags": ["hr"], "team": "core"})

    assert (stored.document_id, stored.edition) == ("d1", '"1"')
    body = service.seen[0].content
    assert b'name="document"; filename="leave.md"' in body
    assert b"# Leave\n" in body
    assert json.dumps({"tags": ["hr"], "team": "core"}).encode() in body
    assert service.seen[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_file_that_is_not_there_is_told_as_python_tells_it(kb: Any, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        kb.add_document(tmp_path / "none.txt")


def test_a_large_file_goes_to_the_object_store_which_never_sees_the_key(kb: Any, service: Service) -> None:
    announced(service)
    data = b"x" * 4_000_001

    stored = kb.add_document(data, name="big.txt", metadata=GivenMetadata(tags=["big"]))

    assert (stored.document_id, stored.status) == ("d9", "pending")
    said = service.body(0)
    assert (said["size"], said["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
    assert said["target"] == {"dialect": "engineering", "metadata": {"tags": ["big"]}}
    form = service.seen[1]
    assert "authorization" not in form.headers
    assert KEY.encode() not in form.content
    assert form.content.index(b"uploads/d9") < form.content.index(b'name="file"')


def test_what_a_deployment_takes_not_in_one_request_goes_to_the_object_store(kb: Any, service: Service) -> None:
    service.on("POST /documents", problem(413, "too_large_inline"))
    announced(service)

    assert kb.add_document(b"x", name="a.txt").document_id == "d9"


def test_what_is_too_large_altogether_is_refused(kb: Any, service: Service) -> None:
    service.on("POST /uploads", reply({"error": {"code": "payload_too_large", "message": "over 50 MB"}}, 413))

    with pytest.raises(TooLarge, match="over 50 MB"):
        kb.add_document(b"x" * 4_000_001)


def test_waiting_ends_when_the_document_can_be_searched(kb: Any, service: Service) -> None:
    service.on("POST /documents", STORED)
    service.on("GET /documents/d1", reply(document(status="parsing")), reply(document()))

    assert kb.add_document(b"x", wait=10).status == "ready"
    assert service.routes.count("GET /documents/d1") == 2


def test_waiting_for_a_document_that_fails_says_why(kb: Any, service: Service) -> None:
    fault = {"code": "no_text", "message": "the file holds no text"}
    service.on("GET /documents/d1", reply(document(status="failed", error=fault)))

    with pytest.raises(IngestionFailed, match="no text") as raised:
        kb.wait_until_ready("d1")
    assert (raised.value.document_id, raised.value.code) == ("d1", "no_text")


def test_waiting_ends_in_time(kb: Any, service: Service) -> None:
    service.on("GET /documents/d1", reply(document(status="embedding")))

    with pytest.raises(IngestionUnfinished, match="still embedding"):
        kb.wait_until_ready("d1", timeout=0.05)


def test_a_list_is_walked_to_its_end_whatever_its_pages_hold(kb: Any, service: Service) -> None:
    service.on(
        "GET /documents",
        reply({"documents": [document("a"), document("b")], "next_cursor": "2"}),
        reply({"documents": [], "next_cursor": "3"}),
        reply({"documents": [document("c")], "next_cursor": None}),
    )

    assert [each.document_id for each in kb.documents(page_size=2)] == ["a", "b", "c"]
    assert [request.url.params.get("cursor") for request in service.seen] == [None, "2", "3"]


def test_filters_travel_as_the_contract_has_them(kb: Any, service: Service) -> None:
    service.on("GET /documents", reply({"documents": [], "next_cursor": None}))
    begin = datetime(2030, 1, 1, tzinfo=UTC)
    filters = Filters(tags=["a", "b c"], title="R&D", created_from=begin, metadata={"team": "core", "final": True})

    kb.document_page(filters, limit=7)

    assert list(service.seen[0].url.params.multi_items()) == [
        ("tags", "a"),
        ("tags", "b c"),
        ("title", "R&D"),
        ("created_from", "2030-01-01T00:00:00Z"),
        ("metadata.team", "core"),
        ("metadata.final", "true"),
        ("limit", "7"),
    ]


def test_free_fields_of_the_metadata_can_be_read(kb: Any, service: Service) -> None:
    service.on("GET /documents/d1", reply(document(), etag='"4"'))

    found = kb.get_document("d1")

    assert found.metadata.model_extra == {"team": "core"}
    assert found.edition == '"4"'


def test_a_change_of_one_edition_names_it(kb: Any, service: Service) -> None:
    service.on("PUT /documents/d1", problem(412, "edition_mismatch"))

    with pytest.raises(EditionMismatch):
        kb.update_document("d1", metadata={"title": "New", "source": None}, edition='"4"')

    assert service.seen[0].headers["if-match"] == '"4"'
    assert service.body() == {"title": "New", "source": None}


def test_a_change_of_the_content_alone_says_nothing_of_the_metadata(kb: Any, service: Service) -> None:
    service.on("PUT /documents/d1", STORED)

    kb.update_document("d1", content=b"new")

    assert b'name="document"' in service.seen[0].content
    assert b"metadata" not in service.seen[0].content


def test_metadata_as_a_model_says_only_what_was_set(kb: Any, service: Service) -> None:
    service.on("PUT /documents/d1", STORED)

    kb.update_document("d1", metadata=GivenMetadata(title=None, tags=["x"]))

    assert service.body() == {"title": None, "tags": ["x"]}


def test_text_is_read_with_its_pages(kb: Any, service: Service) -> None:
    parsed = {"form": 1, "text": "one\ntwo", "spans": [["page", 0, 4, 1], ["heading", 0, 3, 1], ["page", 4, 7, 2]]}
    service.on("GET /documents/d1/text", reply(parsed))

    found = kb.parsed_text("d1", version=2)

    assert [found.text[page.start : page.end] for page in found.pages()] == ["one\n", "two"]
    assert service.seen[0].url.params["version"] == "2"


def test_text_and_content_come_as_they_are(kb: Any, service: Service) -> None:
    service.on("GET /documents/d1/text", httpx.Response(200, content="储物柜\r\n".encode()))
    service.on("GET /documents/d1/content", httpx.Response(200, content=b"\x00\xff"))

    assert kb.text("d1") == "储物柜\r\n"
    assert kb.content("d1") == b"\x00\xff"


def test_versions_are_listed_and_restored(kb: Any, service: Service) -> None:
    version = {"version": 1, "name": "a.txt", "status": "ready", "error": None, "size": 3, "live": False}
    service.on("GET /documents/d1/versions", reply({"versions": [{**version, "created_at": "2030-01-01T00:00:00Z"}]}))
    service.on("POST /documents/d1/versions/1/restore", STORED)

    assert [each.version for each in kb.versions("d1")] == [1]
    assert kb.restore_version("d1", 1, edition='"2"').edition == '"1"'


@pytest.mark.parametrize("document_id", ["a/../../admin/keys", "a?b", "储物柜", "%2e%2e"])
def test_an_id_is_data_and_never_a_path(kb: Any, service: Service, document_id: str) -> None:
    service.on(f"GET /documents/{document_id}", problem(404, "document_not_found"))

    with pytest.raises(NotFound):
        kb.get_document(document_id)

    assert service.seen[0].url.raw_path.count(b"/") == 3


@pytest.mark.parametrize("document_id", ["", ".", ".."])
def test_an_id_that_would_lead_elsewhere_is_not_sent(kb: Any, service: Service, document_id: str) -> None:
    with pytest.raises(WrongUse):
        kb.delete_document(document_id)
    assert service.seen == []
