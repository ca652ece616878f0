"""What every strategy promises, for any text and any configuration."""

from __future__ import annotations

import re
from itertools import pairwise
from unicodedata import category

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge_base.adapters.chunking.text_chunker import TextChunker
from knowledge_base.adapters.chunking.windows import bounded_overlap
from knowledge_base.adapters.parsing.markdown import find_spans
from knowledge_base.domain.chunks import Chunk
from knowledge_base.domain.knowledge_bases import ChunkingConfig, ChunkingStrategy
from knowledge_base.domain.parsed import ParsedDocument, Span, SpanKind

chunker = TextChunker()
LARGEST_CHARACTER = 4
"""No character has more tokens: below this size a single one may be over the limit."""

PIECES = st.sampled_from(
    [
        *("# Heading\n", "## Second level\n\n", "Title\n=====\n", "A sentence of some words. ", "Is it? Yes! "),
        *("水压过低，热泵停机。", "他说：“请检查阀门！”然后离开", "これはテストです。", "열펌프가 멈추었다. "),
        *("مضخة الحرارة تعمل؟ نعم. ", "מספר 5 נבדק. ", "यह एक वाक्य है। ", "ทดสอบระบบ ทำงานได้ ", "Он жил в г. Москве. "),
        *("e.g. this ", "\n", "\n\n", "\r\n", "\r\n\r\n", "   ", "\t", "\u3000", "\u200b", "\f", "...", "\"'\"'", "……"),
        *("a" * 90, "长" * 60, "- item\n", "1. first\n", "wrapped onto the next line because it is long,\nand on. "),
        *(
            "```\n# code\nx = [1]\n```\n",
            "~~~js\nf({a: [1, 2]})\n",
            "def f():\n    return 1\n\n",
            "if (a) {\n\tb();\n}\n",
        ),
        *("| a | b |\n|---|---|\n| 1 | 2 |\n", "| 3 | 4 |\n", "Code: E1 | Meaning: fault\n", "<<<<<<< HEAD\n"),
        *("👩‍👩‍👧‍👦", "🇩🇪🇯🇵", "👍🏽", "e\u0301\u0302", "क्षि", "1.234.567,89 ", "https://example.org/a/b?c=d ", "𠮷䶮"),
    ]
)
TEXTS = st.lists(st.one_of(PIECES, st.text(st.characters(exclude_categories=["Cs"]), max_size=12)), max_size=60).map(
    "".join
)


@st.composite
def configurations(draw: st.DrawFn, largest: int = 80) -> ChunkingConfig:
    size = draw(st.integers(LARGEST_CHARACTER, largest))
    return ChunkingConfig(draw(st.sampled_from(ChunkingStrategy)), size, draw(st.integers(0, size - 1)))


def split(text: str, config: ChunkingConfig, spans: tuple[Span, ...] = ()) -> list[Chunk]:
    return list(chunker.split(ParsedDocument(text, "text/plain", spans), config, document_id="d", ordinal=1))


def spans_of(text: str, kind: str) -> tuple[Span, ...]:
    return find_spans(text) if kind == "markdown" else (Span(SpanKind.CODE, 0, len(text)),) if kind == "code" else ()


KINDS = st.sampled_from(["plain", "markdown", "code"])


@settings(max_examples=500, deadline=None)
@given(TEXTS, configurations(), KINDS)
def test_any_text_is_cut_as_promised(text: str, config: ChunkingConfig, kind: str) -> None:
    chunks = split(text, config, spans_of(text, kind))

    covered = bytearray(len(text))
    for index, chunk in enumerate(chunks):
        assert chunk.index == index
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.text.strip()
        assert chunk.token_count == chunker.count_tokens(chunk.text)
        is_counted_in_characters = config.strategy is ChunkingStrategy.OVERLAPPING
        assert (len(chunk.text) if is_counted_in_characters else chunk.token_count) <= config.size
        covered[chunk.start : chunk.end] = b"\1" * (chunk.end - chunk.start)
    for before, after in pairwise(chunks):
        assert before.start < after.start
        assert before.end < after.end
    assert not [place for place, seen in enumerate(covered) if not seen and not text[place].isspace()]


@settings(max_examples=100, deadline=None)
@given(TEXTS, configurations(), KINDS)
def test_the_same_text_gives_the_same_chunks(text: str, config: ChunkingConfig, kind: str) -> None:
    assert split(text, config, spans_of(text, kind)) == split(text, config, spans_of(text, kind))


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.sampled_from([ChunkingStrategy.SEMANTIC, ChunkingStrategy.MARKDOWN, ChunkingStrategy.CODE]), KINDS)
def test_strategies_without_overlap_hold_every_character_once(text: str, strategy: ChunkingStrategy, kind: str) -> None:
    chunks = split(text, ChunkingConfig(strategy, 30, 10), spans_of(text, kind))
    assert re.sub(r"\s", "", "".join(chunk.text for chunk in chunks)) == re.sub(r"\s", "", text)
    assert all(before.end <= after.start for before, after in pairwise(chunks))


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=60).map("".join), st.sampled_from(ChunkingStrategy), st.integers(20, 60))
def test_no_cut_parts_a_letter_from_its_marks(text: str, strategy: ChunkingStrategy, size: int) -> None:
    for before, after in pairwise(split(text, ChunkingConfig(strategy, size, size // 4))):
        for place in (before.end, after.start):
            assert category(text[place])[0] != "M"
            assert text[place] != "\n" or text[place - 1] != "\r"


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(["word ", "Words. ", "\n", "\n\n", "长的文字", "x" * 30]), min_size=4, max_size=300),
    st.integers(1, 60),
    st.data(),
)
def test_character_windows_overlap_by_exactly_what_was_asked_for(
    pieces: list[str], size: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    text = "".join(pieces).replace("\n", "¶").replace(" ", "_")
    chunks = split(text, ChunkingConfig(ChunkingStrategy.OVERLAPPING, size, overlap))
    for before, after in pairwise(chunks):
        assert before.end - after.start == bounded_overlap(size, overlap)
    assert all(len(chunk.text) == size for chunk in chunks[:-1])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["word ", "Some more. ", "\n\n", "长的文字。"]), min_size=60, max_size=300), st.data())
def test_token_windows_overlap_by_nearly_what_was_asked_for(pieces: list[str], data: st.DataObject) -> None:
    size = data.draw(st.integers(24, 80))
    overlap = data.draw(st.integers(8, size - 1))
    text = "x" + "".join(pieces)
    asked = bounded_overlap(size, overlap)
    for before, after in pairwise(split(text, ChunkingConfig(ChunkingStrategy.FIXED, size, overlap))):
        assert asked - 5 <= chunker.count_tokens(text[after.start : before.end]) <= asked


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(["# One\n\n", "## Two\n", "Some words here. ", "更多的文字。", "\n\n"]), max_size=40).map(
        "".join
    )
)
def test_heading_is_never_left_alone_at_the_end_of_a_chunk(text: str) -> None:
    spans = find_spans(text)
    for chunk in split(text, ChunkingConfig(ChunkingStrategy.SEMANTIC, 40), spans)[:-1]:
        last_line = chunk.text.rsplit("\n", 1)[-1]
        rest = text[chunk.end :].lstrip()
        assert not last_line.startswith("#") or rest.startswith("#")


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 200), st.integers(0, 400))
def test_overlap_always_leaves_room_for_something_new(size: int, overlap: int) -> None:
    assert 0 <= bounded_overlap(size, overlap) < size


@pytest.mark.parametrize("strategy", list(ChunkingStrategy))
@pytest.mark.parametrize("text", ["", " ", "\n\n\t\u3000\n"])
def test_text_of_white_space_only_has_no_chunks(strategy: ChunkingStrategy, text: str) -> None:
    assert split(text, ChunkingConfig(strategy, 10)) == []


@pytest.mark.timeout(40)
@pytest.mark.parametrize("strategy", list(ChunkingStrategy))
@pytest.mark.parametrize(
    "piece",
    [
        "a",
        ".",
        "长",
        "\n",
        "x\n",
        "# ",
        "```\n",
        "👩‍👩‍👧",
        '."',
        "() ",
        "-",
        "e\u0301",
        "\u0301",
        "🇩",
        "\r\n",
        "Dr. ",
        "…",
    ],
)
def test_long_monotonous_text_ends_soon(strategy: ChunkingStrategy, piece: str) -> None:
    text = "x" + piece * (120_000 // len(piece)) + "y"
    for spans in ((), (Span(SpanKind.CODE, 0, len(text)),)):
        chunks = split(text, ChunkingConfig(strategy, 512, 64), spans)
        assert chunks[-1].text.endswith("y")


@pytest.mark.timeout(40)
@pytest.mark.parametrize("strategy", list(ChunkingStrategy))
def test_unbroken_token_of_a_megabyte_is_cut(strategy: ChunkingStrategy) -> None:
    chunks = split("a" * 1_000_000, ChunkingConfig(strategy, 512, 64))
    assert chunks[-1].end == 1_000_000
    assert sum(chunk.end - chunk.start for chunk in chunks) >= 1_000_000
