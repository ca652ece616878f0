"""Forms as browsers, tools and libraries send them, and what they leave out."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from typing import Any

import pytest

from tests.unit.dialects.engineering import Caller
from tests.world import World

PUMP = "The pump starts at 40 degrees."
PDF = b"%PDF-1.4 nothing else"


@pytest.fixture
def ann(world: World) -> Caller:
    return Caller(world)


def stored(caller: Caller, **options: Any) -> dict[str, Any]:
    reply = caller("POST", "/documents", **options)
    assert reply.status == 200, reply.body
    return caller.metadata(reply.body["document_id"])


@pytest.mark.parametrize("sent", [b"", b" \r\n", BOM_UTF8 + b'{"tags": []}', b'{"tags": []}\n'])
def test_metadata_may_be_blank_or_begin_with_a_byte_order_mark(ann: Caller, sent: bytes) -> None:
    assert stored(ann, files={"document": ("a.md", PUMP), "metadata": ("m.json", sent)})["title"] == "a.md"


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        ("名前.md", "名前.md"),
        ("=?utf-8?B?5ZCN5YmNLm1k?=", "名前.md"),
        ("=?utf-8?Q?r=C3=A9sum=C3=A9.md?=", "résumé.md"),
        ("=?nonsense?B?5ZCN5YmNLm1k?=", "=?nonsense?B?5ZCN5YmNLm1k?="),
        ("=?utf-8?B?5?=", "=?utf-8?B?5?="),
        ("a=?b?=.md", "a=?b?=.md"),
    ],
)
def test_a_file_name_of_any_script_is_read(ann: Caller, sent: str, name: str) -> None:
    assert stored(ann, files={"document": (sent, PUMP)})["title"] == name


@pytest.mark.parametrize(
    ("content", "shown"),
    [(PUMP, "text"), ("水泵".encode(), "text"), ("<!DOCTYPE html><p>Pump", "html"), (PDF, "pdf"), (b"a\0\xff", "")],
)
def test_a_format_that_no_name_tells_is_told_by_the_content_and_can_be_filtered_by(
    ann: Caller, content: str | bytes, shown: str
) -> None:
    document_id = ann("POST", "/documents", files={"document": ("README", content)}).body["document_id"]
    assert ann.metadata(document_id)["format"] == shown
    if shown:
        assert ann.listed(format=shown) == [document_id]


def test_a_format_that_nobody_said_follows_the_next_file(ann: Caller) -> None:
    document_id = ann.store(PUMP, name="notes")
    for name, content, shown in (
        ("notes", PDF, "pdf"),
        ("notes", PUMP, "text"),
        ("notes.py", "x = 1", "code/python"),
        ("notes.md", PUMP, "markdown"),
    ):
        ann("PUT", f"/documents/{document_id}", files={"document": (name, content)})
        assert ann.metadata(document_id)["format"] == shown, name


def test_a_format_stays_when_the_next_file_has_no_ending(ann: Caller) -> None:
    document_id = ann.store("x = 1", name="notes.py")
    ann("PUT", f"/documents/{document_id}", files={"document": ("upload", "x = 2")})
    assert ann.metadata(document_id)["format"] == "code/python"


def test_a_format_that_was_said_stays_whatever_the_file_is_called(ann: Caller) -> None:
    document_id = ann.store("x = 1", {"format": "code/python"}, name="notes.txt")
    ann("PUT", f"/documents/{document_id}", files={"document": ("notes.md", "x = 2")})
    assert ann.metadata(document_id)["format"] == "code/python"


def test_a_file_that_nobody_chose_leaves_the_content_as_it_is(world: World, ann: Caller) -> None:
    document_id = ann.store(PUMP)
    form = b'--b\r\nContent-Disposition: form-data; name="document"; filename=""\r\n\r\n\r\n'
    said = b'--b\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{"title": "New"}\r\n'
    headers = {"content-type": "multipart/form-data; boundary=b"}
    reply = ann("PUT", f"/documents/{document_id}", content=form + said + b"--b--\r\n", headers=headers)
    assert reply.status == 200, reply.body
    after = ann.metadata(document_id)
    assert (after["title"], after["version"], after["size"]) == ("New", 1, len(PUMP))
    nothing = ann("PUT", f"/documents/{document_id}", content=form + b"--b--\r\n", headers=headers)
    assert nothing.status == 400


@pytest.mark.parametrize(
    "changes",
    [
        [{f"f{turn}{number}": 1 for number in range(40)} for turn in range(2)],
        [{f"f{turn}{number}": "x" * 2000 for number in range(20)} for turn in range(2)],
        [{f"f{number}": "x" * 2000 for number in range(20)}, {"tags": [f"{number:0250}" for number in range(100)]}],
    ],
    ids=["fields", "characters", "characters and tags"],
)
def test_many_changes_leave_no_more_than_one_may_say(ann: Caller, changes: list[dict[str, Any]]) -> None:
    document_id = ann.store(PUMP)
    *taken, refused = changes
    for said in taken:
        assert ann.change(document_id, said).status == 200
    reply = ann.change(document_id, refused)
    assert (reply.status, reply.body["code"]) == (400, "invalid_input"), reply.body
    assert len(json.dumps(ann.metadata(document_id))) < 2**16
    assert ann.change(document_id, dict.fromkeys(taken[0])).status == 200
    assert ann.change(document_id, refused).status == 200


@pytest.mark.parametrize("sent", ["2025-12-31", "2025-12-31T23:00:00", "2026-01-01T01:30:00+02:00"])
def test_a_time_without_an_offset_is_in_utc(ann: Caller, sent: str) -> None:
    document_id = ann.store(PUMP)
    assert ann.listed(created_from=sent) == [document_id]
    assert ann.found("pump", created_from=sent) == {document_id}
    assert ann.listed(created_to=sent) == []
