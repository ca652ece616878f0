"""Documents over the engineering contract: stored, shown, changed and removed."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from knowledge_base.dialects.preferences import wanted_wait
from tests.unit.dialects.engineering import Caller
from tests.world import World

PUMP = "# Pump\n\nThe pump starts at 40 degrees."
ALL = ["delete", "read", "write"]


@pytest.fixture
def ann(world: World) -> Caller:
    return Caller(world)


def test_a_document_is_stored_and_read_back_with_what_is_said_of_it(world: World, ann: Caller) -> None:
    said = {"title": "Pumps", "tags": ["a", "b", "a"], "source": "wiki", "team": "core", "year": 2026, "ok": True}
    reply = ann("POST", "/documents", files={"document": ("pump.md", PUMP)}, data={"metadata": json.dumps(said)})
    assert (reply.status, reply.body["status"]) == (200, "pending")
    document_id = reply.body["document_id"]
    world.run()
    shown = ann("GET", f"/documents/{document_id}").body
    metadata = shown["metadata"]
    assert (shown["status"], shown["error"], shown["progress"]) == ("ready", None, 1.0)
    assert (metadata["title"], metadata["tags"], metadata["source"]) == ("Pumps", ["a", "b"], "wiki")
    assert (metadata["team"], metadata["year"], metadata["ok"]) == ("core", 2026, True)
    assert (metadata["format"], metadata["version"], metadata["size"]) == ("markdown", 1, len(PUMP))
    assert (metadata["owner"], metadata["public"], metadata["acl"]) == ("ann", False, {"user:ann": ALL})


@pytest.mark.parametrize(
    ("name", "said", "expected"),
    [
        ("a.py", {}, "code/python"),
        ("a.txt", {}, "text"),
        ("a.PDF", {}, "pdf"),
        ("notes", {}, "text"),
        ("a.txt", {"format": "Code/Go"}, "code/go"),
        ("a.md", {"format": None}, "markdown"),
    ],
)
def test_the_format_is_said_or_else_that_of_the_name(
    ann: Caller, name: str, said: dict[str, Any], expected: str
) -> None:
    assert ann.metadata(ann.store("package main", said, name))["format"] == expected


def test_without_a_title_the_name_stands_for_it_in_any_script(ann: Caller) -> None:
    assert ann.metadata(ann.store(PUMP, name="目录 价格.md"))["title"] == "目录 价格.md"


def test_bytes_are_stored_as_they_are(world: World, ann: Caller) -> None:
    content = bytes(range(256)) * 40 + b"\r\n--" + b"\n\r\n"
    document_id = ann.store(content, name="odd.bin")
    stored = [data for key, data in world.objects.stored.items() if key.startswith("uploads/") and document_id in key]
    assert stored == [content]


def test_twins_are_two_documents(ann: Caller) -> None:
    first, second = ann.store(PUMP), ann.store(PUMP)
    assert first != second
    assert ann.found("pump") == {first, second}


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("{", "metadata"),
        ("[]", "metadata"),
        ('{"tags": "a"}', "metadata.tags"),
        ('{"title": 3}', "metadata.title"),
        ('{"acl": {"bob": ["fly"]}}', "metadata.acl"),
        ('{"public": "yes"}', "metadata.public"),
        ('{"owner": "bob"}', "owner is set by the service"),
        ('{"team": {"a": 1}}', "team"),
        ('{"big": 1e300}', "big"),
        ('{"bad name": 1}', "free field"),
        (json.dumps({f"f{n}": n for n in range(51)}), "50"),
        (json.dumps({"title": "x" * 3000}), "metadata.title"),
        (json.dumps({"tags": ["x" * 200] * 400}), "metadata"),
    ],
)
def test_metadata_that_cannot_be_taken_is_refused_as_a_problem(ann: Caller, said: str, names: str) -> None:
    reply = ann("POST", "/documents", files={"document": ("a.md", PUMP)}, data={"metadata": said})
    assert (reply.status, reply.media_type) == (400, "application/problem+json")
    assert names in reply.body["detail"]
    assert ann.listed() == []


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"data": {"metadata": "{}"}}, "document"),
        ({"files": {"document": ("a.md", b"")}}, "empty"),
        ({"files": {"document": ("a.md", b"x"), "extra": ("b", b"y")}}, "extra"),
        ({"files": [("document", ("a.md", b"x")), ("document", ("b.md", b"y"))]}, "twice"),
        ({"json": {"document": "x"}}, "multipart/form-data"),
        ({"content": b"x"}, "multipart/form-data"),
        ({"content": b"x", "headers": {"content-type": "multipart/form-data"}}, "boundary"),
        ({"content": b"--b\r\n", "headers": {"content-type": "multipart/form-data; boundary=b"}}, "whole"),
        ({"content": b"nonsense", "headers": {"content-type": "multipart/form-data; boundary=b"}}, "read"),
    ],
)
def test_a_form_that_is_none_is_refused_with_the_reason(ann: Caller, options: dict[str, Any], says: str) -> None:
    reply = ann("POST", "/documents", **options)
    assert (reply.status, reply.media_type) == (400, "application/problem+json")
    assert says in reply.body["detail"]


def test_a_form_that_was_cut_off_is_not_stored(ann: Caller) -> None:
    body = b'--b\r\nContent-Disposition: form-data; name="document"; filename="a.md"\r\n\r\n' + b"x" * 5000
    reply = ann("POST", "/documents", content=body, headers={"content-type": "multipart/form-data; boundary=b"})
    assert reply.status == 400
    assert ann.listed() == []


def test_a_document_too_large_for_a_request_is_told_where_to_go(ann: Caller) -> None:
    reply = ann("POST", "/documents", files={"document": ("a.txt", b"x" * 4_700_000)})
    assert reply.status == 413
    assert "POST /uploads" in reply.body["detail"]


def test_of_the_metadata_what_is_given_replaces_null_clears_and_absent_stays(ann: Caller) -> None:
    document_id = ann.store(PUMP, {"title": "Pumps", "tags": ["a"], "source": "wiki", "team": "core", "year": 1})
    assert ann.change(document_id, {"tags": ["b"], "source": None, "team": None, "level": 2}).status == 200
    after = ann.metadata(document_id)
    assert (after["title"], after["tags"], after["source"], after["year"], after["level"]) == ("Pumps", ["b"], "", 1, 2)
    assert "team" not in after
    assert after["version"] == 1


@pytest.mark.parametrize("options", [{"json": {"title": "New"}}, {"data": {"metadata": '{"title": "New"}'}}])
def test_metadata_alone_can_be_changed_in_several_forms(ann: Caller, options: dict[str, Any]) -> None:
    document_id = ann.store(PUMP, {"title": "Old"})
    assert ann("PUT", f"/documents/{document_id}", **options).status == 200
    assert ann.metadata(document_id)["title"] == "New"


@pytest.mark.parametrize("name", ["bob", "user:bob", "role:bob", "user:user:bob", "role:user:bob", "*"])
def test_an_acl_that_is_sent_back_as_it_was_read_changes_nothing(world: World, ann: Caller, name: str) -> None:
    marked = [name] if name.startswith(("user:", "role:")) else [f"user:{name}", f"role:{name}"]
    given = {who: ["read"] for who in (*marked, "user:user:bob", "role:user:bob")}
    document_id = ann.store(PUMP, {"acl": given})
    told = ann.metadata(document_id)["acl"]
    permissions = world.stores.documents.get(document_id).permissions
    assert ann.change(document_id, {"acl": told}).status == 200
    assert world.stores.documents.get(document_id).permissions == permissions
    assert ann.metadata(document_id)["acl"] == told


def test_new_content_is_a_new_version_and_replaces_what_is_found(world: World, ann: Caller) -> None:
    document_id = ann.store(PUMP, {"title": "Pumps"})
    reply = ann("PUT", f"/documents/{document_id}", files={"document": ("valve.txt", "The valve opens.")})
    assert (reply.status, reply.body["document_id"]) == (200, document_id)
    world.run()
    after = ann.metadata(document_id)
    assert (after["version"], after["title"], after["format"], after["size"]) == (2, "Pumps", "text", 16)
    (result,) = ann.search("valve")["results"]
    assert result["chunk_content"] == "The valve opens."


def test_a_change_that_says_nothing_is_refused(ann: Caller) -> None:
    document_id = ann.store(PUMP)
    assert ann("PUT", f"/documents/{document_id}", data={}, content=b"").status == 400


def test_a_change_on_what_was_seen_is_taken_and_one_on_something_older_is_not(ann: Caller) -> None:
    document_id = ann.store(PUMP)
    seen = ann("GET", f"/documents/{document_id}").headers["ETag"]
    first = ann.change(document_id, {"title": "First"}, If_Match=seen)
    assert first.status == 200
    assert first.headers["ETag"] == ann("GET", f"/documents/{document_id}").headers["ETag"] != seen
    second = ann.change(document_id, {"title": "Second"}, If_Match=seen)
    assert (second.status, second.body["code"]) == (412, "edition_mismatch")
    assert ann.metadata(document_id)["title"] == "First"
    path = f"/documents/{document_id}"
    assert ann("DELETE", path, headers={"if-match": seen}).status == 412
    assert ann("DELETE", path, headers={"if-match": f'"x", {first.headers["ETag"]}'}).status == 204


@pytest.mark.parametrize(("tag", "status"), [("*", 200), ('W/"1"', 412), ('"nonsense"', 412), ("1", 400)])
def test_if_match_is_read_as_http_has_it(ann: Caller, tag: str, status: int) -> None:
    assert ann.change(ann.store(PUMP), {"title": "New"}, If_Match=tag).status == status


def test_new_content_is_another_edition_too(world: World, ann: Caller) -> None:
    document_id = ann.store(PUMP)
    seen = ann("GET", f"/documents/{document_id}").headers["ETag"]
    ann("PUT", f"/documents/{document_id}", files={"document": ("a.md", "Other")})
    assert ann.change(document_id, {"title": "x"}, If_Match=seen).status == 412


def test_a_removed_document_is_gone_at_once_and_for_good(world: World, ann: Caller) -> None:
    document_id = ann.store(PUMP)
    reply = ann("DELETE", f"/documents/{document_id}")
    assert (reply.status, reply.body) == (204, None)
    assert ann.found("pump") == set()
    assert ann.listed() == []
    for method, options in (("GET", {}), ("DELETE", {}), ("PUT", {"json": {"title": "x"}})):
        assert ann(method, f"/documents/{document_id}", **options).status == 404
    world.run()
    assert ann.found("pump") == set()


def test_who_may_not_read_is_told_that_there_is_nothing_and_who_may_only_read_that_it_is_forbidden(
    world: World, ann: Caller
) -> None:
    document_id = ann.store(PUMP, {"acl": {"bob": ["read"]}})
    bob, eve = Caller(world, "bob"), Caller(world, "eve")
    for method, options in (("PUT", {"json": {"title": "x"}}), ("DELETE", {})):
        assert bob(method, f"/documents/{document_id}", **options).status == 403
        assert eve(method, f"/documents/{document_id}", **options).status == 404
    assert eve("GET", f"/documents/{document_id}").status == 404
    assert Caller(world, "ann", tenant="globex")("GET", f"/documents/{document_id}").status == 404


@pytest.mark.parametrize("change", [{"public": True}, {"acl": {"bob": ["read", "write", "delete"]}}, {"acl": None}])
def test_rights_are_changed_only_by_who_has_all_three(world: World, ann: Caller, change: dict[str, Any]) -> None:
    document_id = ann.store(PUMP, {"acl": {"user:bob": ["read", "write"]}})
    bob = Caller(world, "bob")
    assert bob.change(document_id, {"title": "New"}).status == 200
    assert bob.change(document_id, {**change, "title": "Mine"}).status == 403
    assert ann.metadata(document_id)["title"] == "New"
    assert ann.change(document_id, {"acl": {"user:bob": ["read", "write", "delete"]}}).status == 200
    assert bob.change(document_id, change).status == 200


def test_the_creator_keeps_all_rights_whatever_the_list_says(ann: Caller) -> None:
    document_id = ann.store(PUMP, {"acl": {"bob": ["read"]}})
    assert ann.metadata(document_id)["acl"] == {"bob": ["read"], "user:ann": ALL}
    assert ann.change(document_id, {"acl": None}).status == 200
    assert ann.metadata(document_id)["acl"] == {"user:ann": ALL}


def test_rights_that_are_read_can_be_written_back_unchanged(world: World, ann: Caller) -> None:
    said = {"acl": {"bob": ["write", "read"], "role:dev": ["read"], "user:eve": ["read"]}}
    document_id = ann.store(PUMP, said)
    before = ann.metadata(document_id)["acl"]
    assert Caller(world, "bob").change(document_id, {"acl": before, "title": "New"}).status == 200
    assert ann.metadata(document_id)["acl"] == before


def test_a_plain_name_is_a_user_or_a_role_and_a_prefix_says_which(world: World, ann: Caller) -> None:
    document_id = ann.store(PUMP, {"acl": {"dev": ["read"], "role:ops": ["read"]}})
    readers = [Caller(world, "dev"), Caller(world, "x", "dev"), Caller(world, "x", "ops")]
    assert [reader.found("pump") for reader in readers] == [{document_id}] * 3
    assert Caller(world, "ops").found("pump") == set()


def test_a_change_of_rights_holds_on_the_next_request(world: World, ann: Caller) -> None:
    document_id = ann.store(PUMP)
    bob = Caller(world, "bob", "dev")
    for said, expected in [({"acl": {"dev": ["read"]}}, {document_id}), ({"acl": None}, set())] * 2:
        assert ann.change(document_id, said).status == 200
        assert bob.found("pump") == set(bob.listed()) == expected
        assert bob("GET", f"/documents/{document_id}").status == (200 if expected else 404)


def test_an_imported_document_is_not_changed_here(world: World) -> None:
    version = world.import_text("a.txt", "The pump.")
    world.run()
    admin = Caller(world, "root", "admin")
    assert admin.change(version.document_id, {"title": "x"}).status == 403
    assert admin("DELETE", f"/documents/{version.document_id}").status == 403


def versions(caller: Caller, document_id: str) -> list[dict[str, Any]]:
    reply = caller("GET", f"/documents/{document_id}/versions")
    assert reply.status == 200, reply.body
    return list(reply.body["versions"])


def test_every_content_that_a_document_has_had_is_listed_newest_first(world: World, ann: Caller) -> None:
    document_id = ann.store(PUMP)
    ann("PUT", f"/documents/{document_id}", files={"document": ("b.txt", b"The second.")})
    ann("PUT", f"/documents/{document_id}", files={"document": ("c.txt", "The third.")})
    shown = [(each["version"], each["name"], each["status"], each["live"]) for each in versions(ann, document_id)]
    expected = [(3, "c.txt", "pending", False), (2, "b.txt", "pending", False), (1, "pump.md", "ready", True)]
    assert shown == expected
    world.run()
    assert [each["live"] for each in versions(ann, document_id)] == [True, False, False]


def test_a_restored_version_is_a_new_one_with_the_content_of_then_and_what_is_said_now(
    world: World, ann: Caller
) -> None:
    document_id = ann.store(PUMP, {"title": "Old"})
    ann("PUT", f"/documents/{document_id}", files={"document": ("valve.txt", "The valve opens.")})
    world.run()
    ann.change(document_id, {"title": "New"})
    reply = ann("POST", f"/documents/{document_id}/versions/1/restore")
    assert (reply.status, reply.body["document_id"]) == (200, document_id)
    world.run()
    after = ann.metadata(document_id)
    assert (after["version"], after["title"], after["size"]) == (3, "New", len(PUMP))
    assert ann.found("pump", mode="keyword") == {document_id}
    assert ann.found("valve", mode="keyword") == set()


@pytest.mark.parametrize(("version", "status"), [("9", 404), ("0", 400), ("x", 400), ("99999999999", 400)])
def test_what_is_no_version_is_not_restored(ann: Caller, version: str, status: int) -> None:
    assert ann("POST", f"/documents/{ann.store(PUMP)}/versions/{version}/restore").status == status


def test_a_restore_needs_the_right_to_write_and_the_edition_that_was_seen(world: World, ann: Caller) -> None:
    document_id = ann.store(PUMP, {"acl": {"bob": ["read"]}})
    path = f"/documents/{document_id}/versions/1/restore"
    assert Caller(world, "bob")("POST", path).status == 403
    assert Caller(world, "eve")("POST", path).status == 404
    assert Caller(world, "eve")("GET", f"/documents/{document_id}/versions").status == 404
    assert ann("POST", path, headers={"if-match": '"7"'}).status == 412
    assert ann("POST", path, headers={"if-match": '"1"'}).status == 200


def test_a_version_whose_content_never_came_is_not_restored(world: World, ann: Caller) -> None:
    document_id = ann.store(PUMP)
    world.objects.delete_under("uploads/")
    reply = ann("POST", f"/documents/{document_id}/versions/1/restore")
    assert (reply.status, reply.body["code"]) == (409, "not_yet_readable")


@pytest.mark.parametrize(("content", "status"), [(PUMP, "ready"), (" ", "failed")])
def test_who_prefers_to_wait_is_told_how_the_ingestion_ended(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch, content: str, status: str
) -> None:
    monkeypatch.setattr(world.container.ingestions, "_sleep", lambda _seconds: world.run())
    reply = ann("POST", "/documents", files={"document": ("a.md", content)}, headers={"prefer": "wait=5"})
    assert (reply.body["status"], reply.headers["Preference-Applied"]) == (status, "wait=5")
    document_id = reply.body["document_id"]
    again = ann("PUT", f"/documents/{document_id}", files={"document": ("a.md", "x")}, headers={"prefer": "wait=5"})
    assert again.body["status"] == "ready"


@pytest.mark.parametrize(
    ("preference", "seconds"),
    [
        ("", 0),
        ("wait=3", 3),
        ("respond-async, wait=100", 25),
        ('WAIT="7"; foo', 7),
        ("wait=-1", 0),
        ("wait=soon", 0),
        ("await=3", 0),
    ],
)
def test_a_preference_is_read_as_http_has_it_and_passed_over_if_it_cannot_be(preference: str, seconds: int) -> None:
    assert wanted_wait({"prefer": preference}) == seconds


def test_a_wait_ends_when_the_time_is_over(ann: Caller) -> None:
    begun = time.monotonic()
    reply = ann("POST", "/documents", files={"document": ("a.md", PUMP)}, headers={"prefer": "wait=1"})
    assert (reply.status, reply.body["status"]) == (200, "pending")
    assert time.monotonic() - begun >= 1
