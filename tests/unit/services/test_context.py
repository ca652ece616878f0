"""What a model is shown: the found passages first, then what stands beside them, as long as there is room."""

from __future__ import annotations

from dataclasses import replace

from knowledge_base.domain.chunks import Chunk
from knowledge_base.domain.retrieval import FoundChunk, Hit
from knowledge_base.services.context import in_context

DOCUMENT = "One is here.\n\nTwo is there.\n\nThree is on page two. Four is late."
PARTS = [(0, 12), (14, 27), (29, 50), (40, 65)]
PAGES = {0: 1, 1: 1, 2: 2, 3: 2}


def a_chunk(index: int, document: str = "doc-1") -> Chunk:
    start, end = PARTS[index]
    breaks = ((29, 2),) if index == 2 else ()
    page = PAGES[index]
    return Chunk(document, 1, index, DOCUMENT[start:end], start, end, page=page, last_page=page, page_breaks=breaks)


def found(index: int, document: str = "doc-1") -> FoundChunk:
    before = a_chunk(index - 1, document) if index else None
    after = a_chunk(index + 1, document) if index < 3 else None
    return FoundChunk(Hit(a_chunk(index, document), "kb"), "", before=before, after=after)


def texts(*items: FoundChunk, budget: int = 1000) -> list[str]:
    return [item.hit.chunk.text for item in in_context(items, len, budget=budget)]


def test_a_passage_is_shown_with_what_stands_before_and_behind_it() -> None:
    (shown,) = in_context([found(1)], len)
    assert shown.hit.chunk.text == DOCUMENT[:50]
    assert (shown.hit.chunk.start, shown.hit.chunk.end) == (0, 50)
    assert shown.hit.chunk.chunk_id == "doc-1:1:1"


def test_characters_keep_their_places_and_their_pages() -> None:
    (shown,) = in_context([found(1)], len)
    chunk = shown.hit.chunk
    for sentence in ("One is here.", "Two is there.", "Three is on page two."):
        start = chunk.start + chunk.text.index(sentence)
        assert DOCUMENT[start : start + len(sentence)] == sentence
        assert chunk.page_at(start) == (2 if "Three" in sentence else 1)


def test_windows_that_overlap_are_joined_without_repeating() -> None:
    assert texts(found(3)) == [DOCUMENT[29:]]


def test_what_is_a_passage_itself_is_not_shown_twice() -> None:
    assert texts(found(1), found(2)) == [DOCUMENT[:27], DOCUMENT[29:]]
    assert texts(found(0), found(2)) == [DOCUMENT[:27], DOCUMENT[29:]]


def test_every_passage_has_its_place_before_any_is_widened() -> None:
    others = [found(1, document=f"doc-{number}") for number in range(3)]
    assert texts(*others, budget=3 * 13 + 33) == [DOCUMENT[:50], "Two is there.", "Two is there."]
    assert texts(*others, budget=3 * 13) == ["Two is there."] * 3


def test_passages_that_do_not_fit_are_left_out_but_the_best_one_never() -> None:
    others = [found(1, document=f"doc-{number}") for number in range(3)]
    assert texts(*others, budget=30) == ["Two is there."] * 2
    assert texts(*others, budget=3) == ["Two is there."]


def test_a_passage_without_neighbours_stays_as_it_is() -> None:
    alone = replace(found(1), before=None, after=None)
    assert in_context([alone], len) == [alone]
