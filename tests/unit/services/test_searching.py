"""What a search shows, and what it never shows."""

from __future__ import annotations

from typing import Any

import pytest

from knowledge_base.domain.errors import KnowledgeBaseNotFound
from knowledge_base.domain.retrieval import SearchMode, SearchRequest, SearchResult
from tests.builders import a_principal
from tests.world import World

TEXTS = {
    "pump.txt": "The pump starts at forty degrees.",
    "valve.txt": "The valve closes at ninety bar.",
    "lunch.txt": "Lunch is served at noon in the canteen.",
    "zh.txt": "出差住宿费超出标准的部分由本人承担。",
}


@pytest.fixture
def filled(world: World) -> World:
    for name, text in TEXTS.items():
        world.import_text(name, text)
    world.run()
    return world


def search(world: World, text: str, *, tenant: str = "acme", **changes: Any) -> SearchResult:
    kb_ids = changes.pop("kb_ids", (world.knowledge_base().kb_id,))
    request = SearchRequest(**{"text": text, "kb_ids": kb_ids, "top_k": 5, **changes})
    vectors = world.container.searching.embed(tenant, kb_ids, text)
    return world.container.searching.search(tenant, request, vectors)


def test_the_nearest_text_comes_first(filled: World) -> None:
    assert search(filled, "when does the pump start").texts[0] == TEXTS["pump.txt"]


def test_a_two_character_word_inside_a_chinese_sentence_is_found(filled: World) -> None:
    assert search(filled, "住宿", mode=SearchMode.KEYWORD).texts == [TEXTS["zh.txt"]]


def test_scores_never_rise_and_lie_between_zero_and_one(filled: World) -> None:
    scores = [item.hit.score for item in search(filled, "the valve at ninety").found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_every_hit_has_its_similarity_also_one_that_only_words_found(filled: World) -> None:
    found = search(filled, "canteen", mode=SearchMode.KEYWORD).found
    assert [item.hit.similarity for item in found] == [pytest.approx(found[0].hit.similarity)]
    assert found[0].hit.similarity


def test_a_smaller_top_k_gives_the_beginning_of_a_larger_one(filled: World) -> None:
    many = search(filled, "the pump at noon", top_k=4).texts
    assert search(filled, "the pump at noon", top_k=2).texts == many[:2]


def test_a_threshold_keeps_only_what_is_near_enough(filled: World) -> None:
    found = search(filled, "the pump starts", threshold=0.5).found
    assert found
    assert all(item.hit.similarity >= 0.5 for item in found)


def test_a_source_is_named_with_the_url_and_md5_of_its_version(filled: World) -> None:
    first = search(filled, "pump").found[0]
    assert (first.document_name, first.md5) == ("pump.txt", f"md5 of {TEXTS['pump.txt']}")
    assert first.url.startswith("https://files.example/pump.txt")


def test_a_removed_document_is_not_shown_although_the_index_still_has_it(filled: World) -> None:
    filled.container.importing.remove(filled.knowledge_base(), "pump.txt")
    assert TEXTS["pump.txt"] not in search(filled, "pump").texts


def test_a_removed_document_does_not_shorten_the_list(filled: World) -> None:
    filled.container.importing.remove(filled.knowledge_base(), "pump.txt")
    assert len(search(filled, "pump at", top_k=3).texts) == 3


def test_a_pinned_revision_still_shows_what_was_removed_later(filled: World) -> None:
    kb = filled.stores.knowledge_bases.get(filled.knowledge_base().kb_id)
    filled.container.importing.remove(kb, "pump.txt")
    filled.run()
    pinned = search(filled, "pump", pinned={kb.kb_id: kb.revision})
    assert pinned.texts[0] == TEXTS["pump.txt"]


def test_another_tenants_knowledge_base_does_not_exist(filled: World) -> None:
    with pytest.raises(KnowledgeBaseNotFound):
        search(filled, "pump", tenant="other")


def test_two_knowledge_bases_are_searched_as_one(filled: World) -> None:
    filled.import_text("other.txt", "The pump of the other hall starts at fifty degrees.", repository="other")
    filled.run()
    kb_ids = (filled.knowledge_base().kb_id, filled.knowledge_base("other").kb_id)
    assert {item.document_name for item in search(filled, "pump starts", kb_ids=kb_ids, top_k=2).found} == {
        "pump.txt",
        "other.txt",
    }


def test_without_the_embedder_words_alone_are_searched_and_that_is_said(filled: World) -> None:
    filled.stores.embedders.embedder.down = True
    result = search(filled, "canteen", threshold=0.99)
    assert result.texts == [TEXTS["lunch.txt"]]
    assert result.degraded == ("embedding",)


@pytest.mark.parametrize("text", ["???", "!!! ... ---", "\u200b", '" OR NEAR(* ^', "x" * 9000, "词" * 5000])
def test_any_question_is_answered_with_a_list(filled: World, text: str) -> None:
    assert isinstance(search(filled, text).texts, list)


def test_who_may_not_read_a_document_does_not_see_it(filled: World) -> None:
    assert search(filled, "pump", readers=frozenset({"user:ann"})).texts == []
    assert search(filled, "pump", readers=frozenset({"user:ann", "*"})).texts


def test_a_principal_of_the_tenant_is_not_asked_for_more(filled: World) -> None:
    bob = a_principal(user_id="bob")
    assert filled.knowledge_base(caller=bob).kb_id == filled.knowledge_base().kb_id
