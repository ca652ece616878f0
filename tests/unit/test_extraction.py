"""Answers without a language model: quotes, exact and with their sources."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge_base.domain.answers import Reference, SourceFound, TextDelta
from knowledge_base.domain.retrieval import FoundChunk, Hit
from knowledge_base.services.extraction import combine, extract_answer
from tests.builders import a_chunk

PUMP = "Pumps need care. The pump starts at 40 degrees. It stops at 20 degrees."


def count_words(text: str) -> int:
    return len(text.split())


def found(text: str = PUMP, *, score: float = 1.0, similarity: float | None = 0.9, **changes: Any) -> FoundChunk:
    chunk = a_chunk(text, **{"end": changes.get("start", 0) + len(text), **changes})
    return FoundChunk(Hit(chunk, "kb-1", similarity, score=score), f"{chunk.document_id}.pdf", "https://u/1", "md5-1")


def answer(question: str, *chunks: FoundChunk, max_tokens: int = 500) -> tuple[str, list[Reference]]:
    events = list(extract_answer(question, chunks, max_tokens=max_tokens, count_tokens=count_words))
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    return text, [event.reference for event in events if isinstance(event, SourceFound)]


def test_the_sentence_that_answers_is_quoted_with_its_source() -> None:
    text, [reference] = answer("When does the pump start?", found(start=100, index=3, page=7, last_page=7))

    assert text == "The pump starts at 40 degrees. [1]"
    assert reference == Reference(
        index=1,
        document_id="doc-1",
        name="doc-1.pdf",
        url="https://u/1",
        md5="md5-1",
        page=7,
        start=117,
        end=147,
        quote="The pump starts at 40 degrees.",
        score=1.0,
        similarity=0.9,
        kb_id="kb-1",
        chunk_id="doc-1:1:3",
        ordinal=1,
        title="doc-1.pdf",
    )


def test_several_documents_speak_best_first_each_with_its_own_number() -> None:
    text, references = answer(
        "What is the start temperature of the pump?",
        found("The start temperature of the pump is 40 degrees."),
        found("A pump of series B has a start temperature of 55 degrees.", document_id="doc-2", score=0.8),
    )

    assert text == (
        "The start temperature of the pump is 40 degrees. [1] "
        "A pump of series B has a start temperature of 55 degrees. [2]"
    )
    assert [(reference.index, reference.document_id) for reference in references] == [(1, "doc-1"), (2, "doc-2")]


def test_a_source_comes_before_its_text() -> None:
    kinds = [event.kind for event in extract_answer("pump", [found()], max_tokens=99, count_tokens=count_words)]

    assert kinds[:2] == ["source", "delta"]


def test_chinese_is_answered_in_sentences_of_its_own() -> None:
    text, [reference] = answer(
        "水泵的启动温度是多少？", found("水泵需要保养。水泵在温度达到40度时启动。每天检查一次。")
    )

    assert text == "水泵在温度达到40度时启动。 [1]"
    assert reference.quote == "水泵在温度达到40度时启动。"


def test_a_heading_that_repeats_the_question_is_not_the_answer() -> None:
    text, _ = answer("启动温度是多少？", found("启动温度\n\n水泵在水温40度时达到启动温度。"))

    assert text.startswith("水泵在水温40度时")


def test_the_sentence_behind_a_matching_one_may_hold_the_answer() -> None:
    text, _ = answer("How many people live in Hanpu?", found("Hanpu is a town by the sea. Its people number 15,518."))

    assert "15,518" in text


def test_a_question_in_the_text_is_less_of_an_answer_than_what_follows_it() -> None:
    text, _ = answer("Is the pump safe?", found("Is the pump safe? The pump is safe when it is closed."))

    assert text.startswith("The pump is safe when it is closed. [1]")


def test_the_script_of_the_question_is_preferred_where_there_is_a_choice() -> None:
    both = found("ERR-4711 表示水泵过载，请关闭电源。 ERR-4711 means that the pump is overloaded.")

    english, _ = answer("What does ERR-4711 mean?", both)
    chinese, _ = answer("ERR-4711 是什么意思？", both)

    assert english.startswith("ERR-4711 means")
    assert chinese.startswith("ERR-4711 表示")


def test_where_no_word_matches_the_nearest_chunk_speaks() -> None:
    text, [reference] = answer("热泵多少度启动？", found("The pump starts at 40 degrees. More."))

    assert text == "The pump starts at 40 degrees. [1]"
    assert reference.start == 0


def test_at_most_five_sentences_are_quoted() -> None:
    chunks = [found(f"Pump number {n} starts at {n} degrees.", document_id=f"doc-{n}") for n in range(9)]

    _, references = answer("When does the pump start?", *chunks)

    assert len(references) == 5


def test_one_document_does_not_silence_the_others() -> None:
    many = " ".join(f"The pump start of series {letter} is slow." for letter in "ABCDEFGH")

    _, references = answer("pump start series", found(many), found("Pump start of series Z.", document_id="doc-2"))

    assert [reference.document_id for reference in references].count("doc-1") <= 4
    assert "doc-2" in {reference.document_id for reference in references}


def test_twins_and_overlapping_chunks_are_quoted_once() -> None:
    text = "The pump starts at 40 degrees."

    shown, references = answer(
        "When does the pump start?",
        found(f"Care. {text}", start=0),
        found(text, start=6, index=1),
        found(text, document_id="twin"),
    )

    assert shown.count(text) == 1
    assert len(references) == 1


def test_the_answer_keeps_to_its_tokens() -> None:
    chunks = [found(f"The pump of series {n} starts at {n} degrees.", document_id=f"doc-{n}") for n in range(5)]

    text, references = answer("When does the pump start?", *chunks, max_tokens=25)

    assert count_words(text) <= 25
    assert len(references) == 2


def test_a_first_sentence_that_is_too_long_is_cut_at_a_word_and_its_quote_with_it() -> None:
    text, [reference] = answer("When does the pump start?", found(), max_tokens=4)

    assert text == "The pump starts [1]"
    assert reference.quote == PUMP[reference.start : reference.end] == "The pump starts"


def test_even_one_token_gives_something() -> None:
    text, references = answer("When does the pump start?", found(), max_tokens=1)

    assert text
    assert len(references) == 1


def test_a_wrapped_line_is_shown_on_one_line_but_quoted_exactly() -> None:
    wrapped = "The pump starts when the water reaches a\ntemperature of 40 degrees."

    text, [reference] = answer("When does the pump start?", found(wrapped))

    assert text == "The pump starts when the water reaches a temperature of 40 degrees. [1]"
    assert reference.quote == wrapped


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("The pump starts[3] at 40 degrees [7].", "The pump starts at 40 degrees. [1]"),
        ("The pump ![x](https://evil.example/p.png) starts.", "The pump x starts. [1]"),
        ('The pump <img src="//evil.example"> starts.', "The pump starts. [1]"),
        ("The pump starts: pump[0] = start(40);", "`The pump starts: pump[0] = start(40);` [1]"),
    ],
)
def test_a_quote_shows_no_marker_but_its_own_and_loads_no_image(sentence: str, shown: str) -> None:
    text, [reference] = answer("When does the pump start?", found(sentence))

    assert text == shown
    assert reference.quote == sentence


def test_a_quote_names_the_page_that_it_stands_on_not_that_of_its_chunk() -> None:
    over_pages = found(start=100, page=7, last_page=8, page_breaks=((110, 8),))

    _, [reference] = answer("When does the pump start?", over_pages)

    assert reference.page == 8


def test_a_source_without_pages_has_none() -> None:
    _, [reference] = answer("When does the pump start?", found())

    assert reference.page is None


def test_nothing_found_gives_nothing() -> None:
    assert answer("When?") == ("", [])
    assert answer("When?", found("--- ***")) == ("", [])


@given(
    st.lists(st.text(alphabet="pump start 40。.!?\n水泵启动[1]`#-", min_size=1, max_size=120), min_size=1, max_size=4),
    st.sampled_from(["When does the pump start?", "水泵何时启动？", "zzz", ""]),
    st.integers(1, 40),
)
def test_every_quote_stands_in_its_document_where_it_says(texts: list[str], question: str, tokens: int) -> None:
    documents = {f"doc-{n}": "intro " + text for n, text in enumerate(texts)}
    chunks = [found(text[6:], document_id=name, start=6) for name, text in documents.items()]

    _, references = answer(question, *chunks, max_tokens=tokens)

    for number, reference in enumerate(references, 1):
        assert reference.index == number
        assert documents[reference.document_id][reference.start : reference.end] == reference.quote


def test_texts_are_combined_without_markers() -> None:
    texts = ["Pumps need care. The pump starts at 40 degrees [2].", "Invoices are paid late.", PUMP]

    assert combine("When does the pump start?", texts, max_tokens=9, count_tokens=count_words) == (
        "The pump starts at 40 degrees."
    )


@pytest.mark.parametrize("texts", [[], [""], ["---"]])
def test_nothing_to_combine_gives_nothing(texts: list[str]) -> None:
    assert combine("When?", texts, max_tokens=9, count_tokens=count_words) == ""
