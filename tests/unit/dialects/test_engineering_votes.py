"""Votes on what a search found: they move it for the same words, within bounds, and can be switched off."""

from __future__ import annotations

from typing import Any

import pytest

from knowledge_base.domain.relevance import FARTHEST
from tests.unit.dialects.engineering import Caller
from tests.world import World

QUERY = "how is the pump started"
OTHERS = ("There is soup for lunch.", "The valve leaks when it is cold.", "Ask for the key at the gate.")
TEXTS = ("The pump is started by hand.", "The pump is started by relay.", "The pump is started by timer.")


@pytest.fixture
def ann(world: World) -> Caller:
    return Caller(world)


def vote(caller: Caller, query: str, result: dict[str, Any], rating: str = "up") -> None:
    body = {"query": query, "document_id": result["document_id"], "chunk_index": result["chunk_index"]}
    reply = caller("POST", "/search/feedback", json={**body, "rating": rating})
    assert reply.status == 204, reply.body


def order(caller: Caller, query: str = QUERY) -> list[str]:
    return [result["document_id"] for result in caller.search(query, limit=len(TEXTS))["results"]]


def scores_of(results: list[dict[str, Any]]) -> dict[str, float]:
    return {result["document_id"]: result["relevance_score"] for result in results}


def stored(caller: Caller) -> list[dict[str, Any]]:
    """Store the texts among others, and return those that a search finds, best first."""
    ids = {caller.store(text, {"public": True}) for text in (*OTHERS, *TEXTS)}
    assert len(ids) == len(OTHERS) + len(TEXTS)
    return list(caller.search(QUERY, limit=len(TEXTS))["results"])


def test_votes_of_several_people_bring_a_chunk_forward(world: World, ann: Caller) -> None:
    last = stored(ann)[-1]
    for user in ("ann", "bob", "eve", "kim"):
        vote(Caller(world, user), QUERY, last)
    assert order(ann)[0] == last["document_id"]
    assert ann.search(QUERY)["results"][0]["relevance_score"] == 1
    (first, *_) = ann.search(QUERY, explain="true")["results"]
    assert 0 < first["explain"]["feedback"] < FARTHEST


def test_votes_against_a_chunk_send_it_back(world: World, ann: Caller) -> None:
    first = stored(ann)[0]
    for user in ("ann", "bob", "eve", "kim"):
        vote(Caller(world, user), QUERY, first, "down")
    assert order(ann)[-1] == first["document_id"]


def test_a_vote_counts_for_the_same_words_in_any_order_and_for_no_others(ann: Caller) -> None:
    results = stored(ann)
    before = ann.search("who repairs the pump")["results"]
    vote(ann, QUERY, results[-1])
    moved = ann.search("Starting the PUMP?", limit=len(TEXTS))["results"]
    assert {result["document_id"] for result in moved} == {result["document_id"] for result in results}
    scores = {
        result["document_id"]: result["relevance_score"] for result in ann.search(QUERY, limit=len(TEXTS))["results"]
    }
    was = {result["document_id"]: result["relevance_score"] for result in results}
    voted = results[-1]["document_id"]
    assert scores[voted] > was[voted]
    assert {key: score for key, score in scores.items() if key != voted} == {
        key: score for key, score in was.items() if key != voted
    }
    explained = ann.search("Starting the PUMP?", limit=len(TEXTS), explain="true")["results"]
    assert [result["explain"]["feedback"] > 0 for result in explained if result["document_id"] == voted] == [True]
    assert ann.search("who repairs the pump")["results"] == before


def test_one_user_votes_once_and_may_take_it_back(ann: Caller) -> None:
    results = stored(ann)
    vote(ann, QUERY, results[-1])
    once = ann.search(QUERY, limit=len(TEXTS))["results"]
    for _ in range(5):
        vote(ann, QUERY, results[-1])
    assert ann.search(QUERY, limit=len(TEXTS))["results"] == once
    vote(ann, QUERY, results[-1], "none")
    assert ann.search(QUERY, limit=len(TEXTS))["results"] == results


def test_no_number_of_votes_moves_a_chunk_farther_than_the_bound(world: World, ann: Caller) -> None:
    results = stored(ann)
    for number in range(40):
        vote(Caller(world, f"user{number}"), QUERY, results[0], "down")
    now = {
        result["document_id"]: result["relevance_score"] for result in ann.search(QUERY, limit=len(TEXTS))["results"]
    }
    assert results[0]["relevance_score"] - FARTHEST <= now[results[0]["document_id"]] < results[0]["relevance_score"]


def test_a_vote_outlives_a_new_version_that_leaves_the_text_and_not_one_that_changes_it(ann: Caller) -> None:
    document_id = ann.store(TEXTS[0])
    vote(ann, QUERY, ann.search(QUERY, limit=len(TEXTS))["results"][0])
    for text, is_moved in ((TEXTS[0], True), (TEXTS[1], False)):
        assert ann("PUT", f"/documents/{document_id}", files={"document": ("pump.md", text)}).status == 200
        ann.world.clock.pass_seconds(1)
        ann.world.run()
        (result,) = ann.search(QUERY, explain="true")["results"]
        assert (result["explain"]["feedback"] > 0) is is_moved


def test_what_cannot_be_read_cannot_be_voted_on(world: World, ann: Caller) -> None:
    ann.store(TEXTS[0])
    (result,) = ann.search(QUERY)["results"]
    body = {"query": QUERY, "document_id": result["document_id"], "chunk_index": 0, "rating": "up"}
    assert Caller(world, "bob")("POST", "/search/feedback", json=body).status == 404
    assert Caller(world, "eve", "admin", tenant="globex")("POST", "/search/feedback", json=body).status == 404
    assert ann("POST", "/search/feedback", json={**body, "chunk_index": 7}).status == 404
    assert ann("POST", "/search/feedback", json={**body, "rating": "great"}).status == 400


def test_an_admin_switches_it_off_and_on(world: World, ann: Caller) -> None:
    results = stored(ann)
    vote(ann, QUERY, results[-1])
    moved = ann.search(QUERY, limit=len(TEXTS))["results"]
    registry = world.container.knowledge_bases
    kb_id = registry.documents(world.caller).kb_id
    registry.switch(world.caller, kb_id, learns=False)
    assert ann.search(QUERY, limit=len(TEXTS))["results"] == results
    registry.switch(world.caller, kb_id, rerank=False)
    assert ann.search(QUERY, limit=len(TEXTS))["results"] == results
    registry.switch(world.caller, kb_id, learns=True)
    assert ann.search(QUERY, limit=len(TEXTS))["results"] == moved
