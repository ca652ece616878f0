"""A search that is asked again is not made again, and is never out of date."""

from __future__ import annotations

from typing import Any

import pytest

from knowledge_base.services import search_cache
from tests.unit.dialects.engineering import Caller
from tests.world import World


@pytest.fixture
def ann(world: World) -> Caller:
    caller = Caller(world)
    caller.store("The pump starts at 40 degrees.", {"tags": ["x"]})
    return caller


@pytest.fixture
def made(world: World, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The searches that were really made."""
    searching = world.container.searching
    texts: list[str] = []

    def search(tenant: str, request: Any, vectors: Any) -> Any:
        texts.append(request.text)
        return type(searching).search(searching, tenant, request, vectors)

    monkeypatch.setattr(searching, "search", search)
    return texts


def test_the_same_search_is_made_once(ann: Caller, made: list[str]) -> None:
    assert [ann.search("pump", tags=["x"])["results"]] * 3 == [ann.search("pump", tags=["x"])["results"] for _ in "abc"]
    assert made == ["pump"]


@pytest.mark.parametrize(
    "other",
    [
        {"query": "pumps"},
        {"query": "pump", "limit": 3},
        {"query": "pump", "mode": "keyword"},
        {"query": "pump", "min_score": 0.1},
        {"query": "pump", "tags": ["x"]},
        {"query": "pump", "metadata.team": "core"},
    ],
)
def test_another_search_is_made(ann: Caller, made: list[str], other: dict[str, Any]) -> None:
    ann.search("pump")
    ann.search(**other)
    assert len(made) == 2


def test_whoever_reads_as_somebody_else_has_a_search_of_its_own(world: World, ann: Caller, made: list[str]) -> None:
    ann.search("pump")
    assert Caller(world, "bob").search("pump")["results"] == []
    assert Caller(world, "ann", "admin").search("pump")["total_results"] == 1
    assert len(made) == 3


def test_every_change_is_seen_by_the_next_search(world: World, ann: Caller) -> None:
    bob = Caller(world, "bob")
    (document_id,) = ann.listed()
    assert bob.found("pump") == set()
    ann.change(document_id, {"public": True})
    assert bob.found("pump") == {document_id}
    ann.change(document_id, {"title": "Pumps"})
    assert bob.search("pump")["results"][0]["metadata"]["title"] == "Pumps"
    ann.change(document_id, {"public": False})
    assert bob.found("pump") == set()
    other = ann.store("Another pump.")
    assert ann.found("pump") == {document_id, other}
    ann("DELETE", f"/documents/{other}")
    assert ann.found("pump") == {document_id}


def test_who_searches_before_the_index_knows_of_a_grant_finds_the_document_afterwards(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob, (document_id,) = Caller(world, "bob"), ann.listed()
    index = world.stores.indexes.of(world.stores.default_embedding)
    relabel = type(index).relabel

    def late(_index: object, *args: Any, **options: Any) -> None:
        assert bob.found("pump") == set()
        relabel(index, *args, **options)

    monkeypatch.setattr(type(index), "relabel", late)
    ann.change(document_id, {"public": True})
    assert bob.found("pump") == {document_id}


def test_an_hour_later_a_search_is_made_again(world: World, ann: Caller, made: list[str]) -> None:
    ann.search("pump")
    world.clock.pass_seconds(search_cache.KEPT_SECONDS - 1)
    ann.search("pump")
    assert len(made) == 1
    world.clock.pass_seconds(1)
    ann.search("pump")
    assert len(made) == 2


def test_a_result_without_all_parts_is_not_kept(world: World, ann: Caller, made: list[str]) -> None:
    embedder = world.stores.embedders.embedder
    embedder.down = True
    assert ann.search("pump")["degraded"] == ["embedding"]
    embedder.down = False
    assert ann.search("pump")["degraded"] == []
    assert len(made) == 2


def test_what_is_kept_is_bounded(ann: Caller, made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_cache, "MOST_CHARACTERS", 3 * (search_cache.OF_ITSELF + 40))
    for query in ("pump one", "pump two", "pump three", "pump one", "pump four", "pump one", "pump two"):
        ann.search(query)
    assert made == ["pump one", "pump two", "pump three", "pump four", "pump two"]
