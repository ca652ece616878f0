"""What every strategy promises, for any text."""

from __future__ import annotations

import re
from itertools import pairwise

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
        *(
            "水压过低，热泵停机。",
            "他说：“请检查阀门！”然后离开",
            "これはテストです。",
            "열펌프가 멈추었다. ",
            "e.g. this ",
        ),
        *("\n", "\n\n", "   ", "\t", "\u3000", "\u200b", "...", "\"'\"'", "a" * 90, "长" * 60, "- item\n"),
        *("```\n# code\nx = [1]\n```\n", "def f():\n    return 1\n\n", "| a | b |\n|---|---|\n| 1 | 2 |\n"),
        *("👩‍👩‍👧‍👦", "e\u0301\u0302", "1.234.567,89 ", "https://example.org/a/b?c=d ", "𠮷䶮"),
    ]
)
TEXTS = st.lists(st.one_of(PIECES, st.text(st.characters(exclude_categories=["Cs"]), max_size=12)), max_size=60).map(
    "".join
)
STRATEGIES = st.sampled_from(ChunkingStrategy)


def split(text: str, config: ChunkingConfig, spans: tuple[Span, ...] = ()) -> list[Chunk]:
    return list(chunker.split(ParsedDocument(text, "text/plain", spans), config, document_id="d", ordinal=1))


@settings(max_examples=400, deadline=None)
@given(TEXTS, STRATEGIES, st.integers(LARGEST_CHARACTER, 80), st.integers(0, 90), st.booleans())
def test_any_text_is_cut_as_promised(
    text: str, strategy: ChunkingStrategy, size: int, overlap: int, has_spans: bool
) -> None:
    chunks = split(text, ChunkingConfig(strategy, size, overlap), find_spans(text) if has_spans else ())

    covered = bytearray(len(text))
    for index, chunk in enumerate(chunks):
        assert chunk.index == index
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.text.strip()
        assert chunk.token_count == chunker.count_tokens(chunk.text)
        length = len(chunk.text) if strategy is ChunkingStrategy.OVERLAPPING else chunk.token_count
        assert length <= size
        covered[chunk.start : chunk.end] = b"\1" * (chunk.end - chunk.start)
    for before, after in pairwise(chunks):
        assert before.start < after.start
        assert before.end < after.end
    assert not [place for place, seen in enumerate(covered) if not seen and not text[place].isspace()]


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.sampled_from([ChunkingStrategy.SEMANTIC, ChunkingStrategy.MARKDOWN, ChunkingStrategy.CODE]))
def test_strategies_without_overlap_hold_every_character_once(text: str, strategy: ChunkingStrategy) -> None:
    chunks = split(text, ChunkingConfig(strategy, 30, 10), find_spans(text))
    assert re.sub(r"\s", "", "".join(chunk.text for chunk in chunks)) == re.sub(r"\s", "", text)
    assert all(before.end <= after.start for before, after in pairwise(chunks))


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


@pytest.mark.timeout(20)
@pytest.mark.parametrize("strategy", list(ChunkingStrategy))
@pytest.mark.parametrize("piece", ["a", ".", "长", "\n", "x\n", "# ", "```\n", "👩‍👩‍👧", '."', "() ", "-"])
def test_long_monotonous_text_ends_soon(strategy: ChunkingStrategy, piece: str) -> None:
    text = "x" + piece * (120_000 // len(piece)) + "y"
    chunks = split(text, ChunkingConfig(strategy, 512, 64), (Span(SpanKind.CODE, 0, len(text)),))
    assert chunks[-1].text.endswith("y")
