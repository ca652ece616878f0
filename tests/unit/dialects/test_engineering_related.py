"""Documents that are related to one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.dialects.engineering import Caller
from tests.world import World

REPORT = "The Falcon Heavy pump TK-6100 broke in Halle. Anna Berg repaired the TK-6100 on Monday."
ORDER = "Anna Berg ordered two seals for the TK-6100."
LUNCH = "There is soup for lunch."


@pytest.fixture
def ann(world: World) -> Caller:
    return Caller(world)


def related(caller: Caller, document_id: str, **query: Any) -> list[dict[str, Any]]:
    reply = caller("GET", f"/documents/{document_id}/related", params=query)
    assert reply.status == 200, reply.body
    return list(reply.body["related"])


def test_the_document_that_names_the_same_things_comes_first_and_says_which(ann: Caller) -> None:
    ann.store(LUNCH)
    order = ann.store(ORDER, {"title": "Order", "tags": ["seals"], "team": "core"})
    first, *_ = related(ann, ann.store(REPORT))
    assert (first["document_id"], first["title"]) == (order, "Order")
    assert set(first["shared"]) == {"TK-6100", "Anna Berg"}
    assert 0 < first["score"] <= 1 and 0 < first["similarity"] <= 1
    assert (first["metadata"]["tags"], first["metadata"]["team"]) == (["seals"], "core")


def test_a_document_is_not_related_to_itself_and_a_twin_is(ann: Caller) -> None:
    one, twin = ann.store(REPORT), ann.store(REPORT)
    (only,) = related(ann, one)
    assert only["document_id"] == twin
    assert only["similarity"] == pytest.approx(1.0, abs=1e-3)


def test_only_what_may_be_read_is_related(world: World, ann: Caller) -> None:
    secret = ann.store(ORDER)
    public = ann.store(REPORT, {"public": True})
    bob = Caller(world, "bob")
    assert related(bob, public) == []
    assert [item["document_id"] for item in related(ann, public)] == [secret]
    assert bob("GET", f"/documents/{secret}/related").status == 404
    ann.change(secret, {"acl": {"bob": ["read"]}})
    assert [item["document_id"] for item in related(bob, public)] == [secret]
    assert ann("DELETE", f"/documents/{secret}").status == 204
    assert related(bob, public) == related(ann, public) == []


def test_a_limit_gives_the_beginning_and_a_wrong_one_is_refused(ann: Caller) -> None:
    document_id = ann.store(REPORT)
    for number in range(4):
        ann.store(f"{ORDER} Order {number}.")
    everything = related(ann, document_id)
    assert len(everything) == 4
    assert related(ann, document_id, limit=2) == everything[:2]
    for limit in ("0", "51", "many"):
        assert ann("GET", f"/documents/{document_id}/related", params={"limit": limit}).status == 400


def test_a_large_document_finds_others_behind_its_own_chunks(ann: Caller) -> None:
    order = ann.store(ORDER)
    pages = [f"{REPORT} This is page {number} of the report, and tells of day {number}." * 3 for number in range(300)]
    large = ann.store("\n\n".join(pages))
    assert [item["document_id"] for item in related(ann, large)] == [order]


def test_what_is_not_searchable_yet_is_told(ann: Caller) -> None:
    reply = ann("POST", "/documents", files={"document": ("a.md", REPORT)})
    assert ann("GET", f"/documents/{reply.body['document_id']}/related").status == 409
