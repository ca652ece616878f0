"""Lists of documents over the engineering contract."""

from __future__ import annotations

import json
from typing import Any

import pytest

from knowledge_base.services import document_lookup, listing
from tests.unit.dialects.engineering import Caller
from tests.world import World


@pytest.fixture
def ann(world: World) -> Caller:
    return Caller(world)


def add(caller: Caller, text: str = "The pump.", **said: Any) -> str:
    """Add a document that nobody ingests: a list shows it all the same."""
    name = said.pop("name", "a.md")
    reply = caller("POST", "/documents", files={"document": (name, text)}, data={"metadata": json.dumps(said)})
    caller.world.clock.pass_seconds(60)
    return str(reply.body["document_id"])


def walk(caller: Caller, **query: Any) -> list[str]:
    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        body = caller("GET", "/documents", params={**query, **cursor}).body
        found += [document["document_id"] for document in body["documents"]]
        if body["next_cursor"] is None:
            return found
        cursor = {"cursor": body["next_cursor"]}


def test_documents_are_listed_as_soon_as_they_are_stored_and_oldest_first(ann: Caller) -> None:
    ids = [add(ann) for _ in range(3)]
    shown = ann("GET", "/documents").body
    assert [document["document_id"] for document in shown["documents"]] == ids
    assert [document["status"] for document in shown["documents"]] == ["pending"] * 3
    assert shown["next_cursor"] is None
    assert shown["documents"][0] == ann("GET", f"/documents/{ids[0]}").body


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, "abc"),
        ({"tags": "x"}, "ab"),
        ({"tags": ["x", "y"]}, "b"),
        ({"any_tags": ["y", "z"]}, "bc"),
        ({"tags": "X"}, ""),
        ({"format": "code/python"}, "c"),
        ({"format": "Markdown"}, "ab"),
        ({"title": "PUMP"}, "ab"),
        ({"title": "pump", "tags": "y"}, "b"),
        ({"title": "价格"}, "c"),
        ({"source": "wiki"}, "a"),
        ({"source": "wik"}, ""),
        ({"metadata.team": "core"}, "ac"),
        ({"metadata.team": "core", "metadata.year": "2026"}, "a"),
        ({"metadata.year": "2026.0"}, "a"),
        ({"metadata.year": "year"}, ""),
        ({"metadata.final": "true"}, "b"),
        ({"metadata.areas": "north"}, "c"),
        ({"metadata.none": "x"}, ""),
        ({"created_from": "2026-01-01T12:01:00Z"}, "bc"),
        ({"created_to": "2026-01-01T12:01:00Z"}, "a"),
        ({"created_from": "2026-01-01T13:01:00+01:00", "created_to": "2026-01-01T12:02:00Z"}, "b"),
    ],
)
def test_filters_narrow_a_list(ann: Caller, query: dict[str, Any], expected: str) -> None:
    ids = {
        add(ann, title="Old pumps", tags=["x"], source="wiki", team="core", year=2026): "a",
        add(ann, title="The Pump", tags=["x", "y"], final=True): "b",
        add(ann, name="价格.py", tags=["z"], team="core", areas=["north", "south"]): "c",
    }
    assert "".join(ids[found] for found in ann.listed(**query)) == expected


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"tag": "x"}, "tag"),
        ({"limit": 0}, "limit"),
        ({"limit": 101}, "limit"),
        ({"limit": "many"}, "limit"),
        ({"limit": ["1", "2"]}, "limit"),
        ({"cursor": "?"}, "cursor"),
        ({"created_from": "yesterday"}, "created_from"),
        ({"created_from": "2026-13-01"}, "created_from"),
        ({"format": ""}, "format"),
        ({"tags": " "}, "tags"),
        ({"metadata": "x"}, "metadata"),
        ({"query": "x"}, "query"),
    ],
)
def test_what_is_no_filter_is_refused_and_named(ann: Caller, query: dict[str, Any], names: str) -> None:
    reply = ann("GET", "/documents", params=query)
    assert (reply.status, reply.media_type) == (400, "application/problem+json")
    assert names in reply.body["detail"]


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_a_walk_meets_everything_that_may_be_read_once_and_nothing_else(
    world: World, ann: Caller, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_lookup, "READ_AT_ONCE", 2)
    bob = Caller(world, "bob")
    shared = [add(ann, public=number % 3 == 0) for number in range(7)][::3]
    assert walk(bob, limit=limit) == shared


def test_a_walk_is_not_disturbed_by_what_comes_and_goes(world: World, ann: Caller) -> None:
    ids = [add(ann) for _ in range(4)]
    first = ann("GET", "/documents", params={"limit": 2}).body
    ann("DELETE", f"/documents/{ids[1]}")
    ann("DELETE", f"/documents/{ids[2]}")
    late = add(ann)
    rest = ann("GET", "/documents", params={"limit": 9, "cursor": first["next_cursor"]}).body
    assert [document["document_id"] for document in rest["documents"]] == [ids[3], late]


def test_a_filter_that_matches_little_gives_short_pages_and_still_everything(
    ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MOST_READ", 2)
    ids = [add(ann, tags=["x"] if number in (3, 4) else []) for number in range(7)]
    assert ann.listed(tags="x") == []
    assert walk(ann, tags="x") == ids[3:5]


def test_another_tenants_documents_are_not_listed_even_to_an_admin(world: World, ann: Caller) -> None:
    document_id = add(ann, public=True)
    assert Caller(world, "eve", "admin", tenant="globex").listed() == []
    assert Caller(world, "root", "admin").listed() == [document_id]
