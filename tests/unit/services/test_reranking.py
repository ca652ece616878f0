"""A reranker orders what was found, where a knowledge base wants it; without it the search's own order stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from knowledge_base.domain.errors import RerankerUnavailable
from knowledge_base.domain.retrieval import SearchRequest, SearchResult
from knowledge_base.services.searching import RERANKER_DOWN
from tests.unit.dialects.test_platform_routes import Caller
from tests.world import World

LINES = [f"The pump of hall {number} starts at {number + 30} degrees." for number in range(60)]
QUESTION = "When does the pump start?"


@dataclass
class ByHall:
    """Likes the halls with the greatest numbers best."""

    is_down: bool = False
    asked: list[Sequence[str]] = field(default_factory=list)

    def score(self, _question: str, passages: Sequence[str]) -> list[float]:
        self.asked.append(passages)
        if self.is_down:
            raise RerankerUnavailable("no reranking endpoint answers")
        return [int(passage.split()[4]) / 100 for passage in passages]


@pytest.fixture
def reranker(world: World) -> ByHall:
    made = ByHall()
    world.stores.reranker = made
    return made


@pytest.fixture
def filled(world: World, reranker: ByHall) -> World:
    for line in LINES:
        world.import_text(f"{line.split()[4]}.txt", line)
    world.run()
    return world


def switch_on(world: World, *, rerank: bool = True) -> None:
    kb_id = world.knowledge_base().kb_id
    reply = Caller(world, "acme", "admin")("PATCH", "/admin/knowledge-bases/{kb_id}", {"rerank": rerank}, kb_id=kb_id)
    assert (reply.status, reply.body["rerank"]) == (200, rerank)


def search(world: World, top_k: int = 5) -> SearchResult:
    kb_ids = (world.knowledge_base().kb_id,)
    vectors = world.container.searching.embed("acme", kb_ids, QUESTION)
    return world.container.searching.search("acme", SearchRequest(QUESTION, kb_ids, top_k), vectors)


def names(result: SearchResult) -> list[str]:
    return [item.document_name for item in result.found]


def test_nothing_is_reranked_unless_the_knowledge_base_wants_it(filled: World, reranker: ByHall) -> None:
    before = names(search(filled))
    assert reranker.asked == []
    switch_on(filled)
    assert names(search(filled)) != before
    switch_on(filled, rerank=False)
    assert names(search(filled)) == before


def test_what_the_reranker_likes_best_comes_first_with_its_score(filled: World, reranker: ByHall) -> None:
    switch_on(filled)
    found = search(filled).found
    best = max(int(passage.split()[4]) for passage in reranker.asked[0])
    assert found[0].document_name == f"{best}.txt"
    assert found[0].hit.score == best / 100
    assert len(found) == 5


def test_few_results_are_the_first_of_many_and_scores_never_rise(filled: World, reranker: ByHall) -> None:
    switch_on(filled)
    many = search(filled, top_k=60)
    assert names(search(filled, top_k=5)) == names(many)[:5]
    scores = [item.hit.score for item in many.found]
    assert scores == sorted(scores, reverse=True)
    assert len(many.found) == 60


def test_a_reranker_that_does_not_answer_leaves_the_order_and_is_named(filled: World, reranker: ByHall) -> None:
    before = search(filled)
    reranker.is_down = True
    switch_on(filled)
    result = search(filled)
    assert names(result) == names(before)
    assert result.degraded == (RERANKER_DOWN,)


def test_a_wish_without_a_reranker_is_no_fault(world: World) -> None:
    world.import_text("0.txt", LINES[0])
    world.run()
    world.stores.reranker = None
    switch_on(world)
    assert search(world).degraded == ()


def test_only_admins_of_the_tenant_switch_it(world: World) -> None:
    kb_id = world.knowledge_base().kb_id
    for caller, status in ((Caller(world), 403), (Caller(world, "umbrella", "admin"), 404)):
        reply = caller("PATCH", "/admin/knowledge-bases/{kb_id}", {"rerank": True}, kb_id=kb_id)
        assert reply.status == status
    assert not world.knowledge_base().config.rerank


def test_admins_see_the_knowledge_bases_of_their_tenant(world: World) -> None:
    world.knowledge_base("b")
    world.knowledge_base("a")
    listed = Caller(world, "acme", "admin")("GET", "/admin/knowledge-bases").body["knowledge_bases"]
    assert [(item["dialect"], item["name"]) for item in listed] == [("uran", "a"), ("uran", "b")]
    assert Caller(world, "umbrella", "admin")("GET", "/admin/knowledge-bases").body == {"knowledge_bases": []}
    assert Caller(world)("GET", "/admin/knowledge-bases").status == 403
