"""Search over the engineering contract."""

from __future__ import annotations

from typing import Any

import pytest

from knowledge_base.domain.access import Principal
from knowledge_base.services.document_search import WINDOW, mean_of, windows_of
from tests.unit.dialects.engineering import Caller
from tests.unit.parsing.files import a_pdf
from tests.world import World

PUMP = "The pump starts at 40 degrees."
VALVE = "The valve opens at 60 degrees."


@pytest.fixture
def ann(world: World) -> Caller:
    return Caller(world)


def similar(caller: Caller, text: str, **options: Any) -> dict[str, Any]:
    reply = caller("POST", "/search/similar", json={"text": text, **options})
    assert reply.status == 200, reply.body
    return dict(reply.body)


def test_a_search_says_what_the_contract_says(ann: Caller) -> None:
    document_id = ann.store(PUMP, {"title": "Pumps", "tags": ["a"], "source": "wiki", "team": "core"})
    body = ann.search("when does the pump start")
    (result,) = body["results"]
    metadata = result.pop("metadata")
    place = {"document_id", "chunk_index", "chunk_content", "start", "end", "page"}
    assert result.keys() == place | {"relevance_score", "similarity"}
    assert (result["document_id"], result["chunk_index"], result["chunk_content"]) == (document_id, 0, PUMP)
    assert 0 < result["relevance_score"] <= 1 and 0 < result["similarity"] <= 1
    assert (metadata["title"], metadata["format"], metadata["tags"]) == ("Pumps", "markdown", ["a"])
    assert (metadata["source"], metadata["team"], metadata["created_at"]) == ("wiki", "core", "2026-01-01T12:00:00Z")
    assert (body["total_results"], body["degraded"]) == (1, [])
    assert isinstance(body["query_time_ms"], int) and body["query_time_ms"] >= 0


def test_the_total_does_not_depend_on_the_limit_and_scores_never_rise(ann: Caller) -> None:
    for number in range(7):
        ann.store(f"Pump number {number} starts.")
    full = ann.search("pump starts", limit=100)
    scores = [result["relevance_score"] for result in full["results"]]
    assert scores == sorted(scores, reverse=True)
    assert full["total_results"] == len(scores) == 7
    for limit in (1, 3):
        part = ann.search("pump starts", limit=limit)
        assert part["total_results"] == 7
        assert part["results"] == full["results"][:limit]


def test_the_total_counts_chunks_and_each_is_there_once(ann: Caller) -> None:
    ann.store("\n\n".join(f"Paragraph {number} of the pump manual. " + "Words. " * 60 for number in range(12)))
    body = ann.search("pump manual", limit=100)
    places = [result["chunk_index"] for result in body["results"]]
    assert len(places) == len(set(places)) == body["total_results"] > 3


LINES = [f"Line {number} tells how the pump is started and stopped." for number in range(60)]


@pytest.mark.parametrize("search", [Caller.search, similar])
@pytest.mark.parametrize(
    ("name", "content", "pages"),
    [
        ("pumps.pdf", a_pdf("\n".join(LINES[:30]), "\n".join(LINES[30:])), {1, 2}),
        ("pumps.md", "\n\n".join(LINES), {None}),
    ],
)
def test_a_result_says_where_it_stands_in_the_text(
    world: World, ann: Caller, search: Any, name: str, content: str | bytes, pages: set[int | None]
) -> None:
    document_id = ann.store(content, name=name)
    text = world.container.reading.text(Principal("acme", "ann"), document_id)[1].text
    found = search(ann, "how is the pump started")["results"]
    assert [text[result["start"] : result["end"]] for result in found] == [each["chunk_content"] for each in found]
    assert {result["page"] for result in found} == pages


def test_results_and_total_hold_only_what_may_be_read(world: World, ann: Caller) -> None:
    ann.store(PUMP)
    shared = ann.store(PUMP, {"public": True})
    for reader, expected in ((ann, 2), (Caller(world, "bob"), 1), (Caller(world, "root", "admin"), 2)):
        assert ann.search("pump")["total_results"] == 2
        assert reader.search("pump")["total_results"] == expected
    assert Caller(world, "bob").found("pump") == {shared}
    assert Caller(world, "eve", "admin", tenant="globex").search("pump")["total_results"] == 0


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, "ab"),
        ({"tags": "x"}, "ab"),
        ({"tags": ["x", "y"]}, "b"),
        ({"any_tags": ["y", "nothing"]}, "b"),
        ({"format": "text"}, "b"),
        ({"title": "pum"}, "a"),
        ({"source": "wiki"}, "a"),
        ({"metadata.team": "core"}, "a"),
        ({"created_from": "2026-01-01T12:00:01Z"}, "b"),
        ({"tags": "nothing"}, ""),
    ],
)
def test_filters_hold_in_every_leg_and_for_similar_texts(ann: Caller, query: dict[str, Any], expected: str) -> None:
    ids = {
        ann.store(PUMP, {"title": "Pumps", "tags": ["x"], "source": "wiki", "team": "core"}): "a",
        ann.store(VALVE, {"title": "Valves", "tags": ["x", "y"]}, "b.txt"): "b",
    }
    for mode in ("hybrid", "vector", "keyword"):
        body = ann.search("degrees", mode=mode, **query)
        assert "".join(sorted(ids[result["document_id"]] for result in body["results"])) == expected
        assert body["total_results"] == len(expected)
    filters: dict[str, Any] = {name: value for name, value in query.items() if "." not in name}
    if "metadata.team" in query:
        filters["metadata"] = {"team": query["metadata.team"]}
    for name in ("tags", "any_tags"):
        if isinstance(filters.get(name), str):
            filters[name] = [filters[name]]
    assert similar(ann, "degrees", filters=filters)["total_results"] == len(expected)


def test_a_filter_is_applied_before_the_cut_and_not_after(ann: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knowledge_base.services.searching.CANDIDATES", 2)
    for number in range(4):
        ann.store(f"pump pump pump {number}", {"tags": ["many"]})
    wanted = ann.store("One pump among other words of a long sentence.", {"tags": ["rare"]})
    assert ann.found("pump", tags="rare") == {wanted}


def test_what_is_said_of_a_document_is_searched_by_as_it_is_now(ann: Caller) -> None:
    document_id = ann.store(PUMP, {"tags": ["old"]})
    for old, new in (("old", "new"), ("new", "newer")):
        assert ann.found("pump", tags=old) == {document_id}
        ann.change(document_id, {"tags": [new]})
        assert ann.found("pump", tags=old) == set()
        assert ann.found("pump", tags=new) == {document_id}
    late = ann.store(PUMP, {"tags": ["newer"]})
    assert ann.found("pump", tags="newer") == {document_id, late}
    ann("DELETE", f"/documents/{document_id}")
    assert ann.found("pump", tags="newer") == {late}


def test_a_search_explains_what_each_leg_found(ann: Caller) -> None:
    both, near = ann.store(PUMP), ann.store(VALVE)
    results = {result["document_id"]: result for result in ann.search("pump", explain="true")["results"]}
    explained = results[both]["explain"]
    assert explained["vector"] == {"score": results[both]["similarity"], "rank": 1}
    assert explained["keyword"]["rank"] == 1 and explained["keyword"]["score"] > 0
    assert results[near]["explain"]["keyword"] == {"score": None, "rank": None}


def test_modes_choose_the_leg(ann: Caller) -> None:
    pump, valve = ann.store(PUMP), ann.store(VALVE)
    assert ann.found("pump", mode="keyword") == {pump}
    assert ann.found("pump", mode="vector") == {pump, valve}
    (first, *_) = ann.search("pump", mode="vector")["results"]
    assert first["relevance_score"] == first["similarity"]


def test_min_score_is_the_least_similarity_that_is_shown(ann: Caller) -> None:
    pump, valve = ann.store(PUMP), ann.store(VALVE)
    scores = {result["document_id"]: result["similarity"] for result in ann.search(PUMP)["results"]}
    assert scores[pump] > scores[valve] > 0
    body = ann.search(PUMP, min_score=(scores[pump] + scores[valve]) / 2)
    assert ([result["document_id"] for result in body["results"]], body["total_results"]) == ([pump], 1)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({}, "query"),
        ({"query": " "}, "query"),
        ({"query": "x" * 8193}, "query"),
        ({"query": "x", "limit": "0"}, "limit"),
        ({"query": "x", "limit": "101"}, "limit"),
        ({"query": "x", "top_k": "5"}, "top_k"),
        ({"query": "x", "mode": "magic"}, "mode"),
        ({"query": "x", "min_score": "1.1"}, "min_score"),
        ({"query": "x", "min_score": "nan"}, "min_score"),
        ({"query": "x", "explain": "perhaps"}, "explain"),
        ({"query": "x", "cursor": "1"}, "cursor"),
    ],
)
def test_what_cannot_be_searched_for_is_refused_and_named(ann: Caller, query: dict[str, str], names: str) -> None:
    reply = ann("GET", "/search", params=query)
    assert (reply.status, reply.media_type) == (400, "application/problem+json")
    assert names in reply.body["detail"]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ({}, "text"),
        ({"text": ""}, "text"),
        ({"text": "x" * 50_001}, "text"),
        ({"text": "x", "limit": 0}, "limit"),
        ({"text": "x", "filters": {"tag": "x"}}, "filters.tag"),
        ({"text": "x", "filters": {"tags": "x"}}, "filters.tags"),
        ({"text": "x", "filter": {}}, "filter"),
    ],
)
def test_what_nothing_can_be_similar_to_is_refused_and_named(ann: Caller, body: dict[str, Any], names: str) -> None:
    reply = ann("POST", "/search/similar", json=body)
    assert reply.status == 400
    assert names in reply.body["detail"]


def test_without_an_embedder_words_are_searched_and_it_is_said(world: World, ann: Caller) -> None:
    pump = ann.store(PUMP)
    ann.store(VALVE)
    world.stores.embedders.embedder.down = True
    body = ann.search("pump", min_score=0.9)
    assert [result["document_id"] for result in body["results"]] == [pump]
    assert (body["degraded"], body["results"][0]["similarity"]) == (["embedding"], None)
    assert ann("POST", "/search/similar", json={"text": "pump"}).status == 503


def test_similar_finds_what_the_whole_of_a_long_text_is_about(world: World, ann: Caller) -> None:
    pump, other = ann.store("pump " * 20, name="a.txt"), ann.store("other " * 20, name="b.txt")
    text = "intro words " * 90 + "pump " * 3000
    world.stores.embedders.embedder.calls.clear()
    results = similar(ann, text)["results"]
    assert [result["document_id"] for result in results] == [pump, other]
    (asked,) = world.stores.embedders.embedder.calls
    assert len(asked) > 10 and max(map(len, asked)) <= WINDOW


def test_similar_to_a_stored_text_is_that_text(ann: Caller) -> None:
    pump = ann.store(PUMP)
    ann.store(VALVE)
    first, *_ = similar(ann, PUMP, limit=1)["results"]
    assert first["document_id"] == pump
    assert first["similarity"] == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("text", ["word " * 999, "x" * 5001, "价" * 2500, "\n".join(["y" * 400] * 9), "short"])
def test_windows_hold_every_character_and_none_is_too_long(text: str) -> None:
    windows = windows_of(text)
    assert "".join("".join(windows).split()) == "".join(text.split())
    assert all(0 < len(window) <= WINDOW for window in windows)


def test_the_mean_of_vectors_is_a_direction() -> None:
    assert mean_of([[3.0, 0.0], [0.0, 5.0]], [1, 1]) == pytest.approx([0.5**0.5, 0.5**0.5])
    assert mean_of([[1.0, 0.0], [-1.0, 0.0]], [2, 2]) is None
