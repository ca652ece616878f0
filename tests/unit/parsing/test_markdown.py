"""Markdown keeps its source; headings, code and tables are found in it."""

from __future__ import annotations

import time

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.adapters.parsing.markdown import find_spans
from knowledge_base.domain.parsed import SpanKind


def found(text: str, kind: SpanKind) -> list[tuple[int, str]]:
    return [(span.number, text[span.start : span.end]) for span in find_spans(text) if span.kind is kind]


def headings(text: str) -> list[tuple[int, str]]:
    return found(text, SpanKind.HEADING)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# One\n## Two ##\n###### Six", [(1, "One"), (2, "Two"), (6, "Six")]),
        ("One\n===\n\nTwo words\n---\n", [(1, "One"), (2, "Two words")]),
        ("#no heading\n####### seven\n    # indented code\n#\n", []),
        ("# C# and F#\n# Closed #####\n", [(1, "C# and F#"), (1, "Closed")]),
        ("text\n\n---\n\n- item\n---\n", []),
        ("   #\ttabbed\n", [(1, "tabbed")]),
        ("# 第一章 总则\n", [(1, "第一章 总则")]),
        ("<!--\n# not shown\n-->\n# shown\n", [(1, "shown")]),
        ("---\ntitle: x\n# a comment of YAML\n---\n# Real\n", [(1, "Real")]),
    ],
)
def test_headings_are_found_with_their_level(text: str, expected: list[tuple[int, str]]) -> None:
    assert headings(text) == expected


@pytest.mark.parametrize("fence", ["```", "~~~~", "```python", "  ```", "> ```", "- ```", "1. ~~~"])
def test_hash_in_fenced_code_is_no_heading(fence: str) -> None:
    marks = fence.strip("> -1.").rstrip("python")
    text = f"# Real\n\n{fence}\n# a comment\nx = 1\n{marks}\n\n# Also real\n"
    assert headings(text) == [(1, "Real"), (1, "Also real")]


def test_longer_fence_holds_a_shorter_one() -> None:
    text = "~~~~~~\n~~~~\n# inside\n~~~~\n# still inside\n~~~~~~\n# out\n"
    assert headings(text) == [(1, "out")]
    assert len(found(text, SpanKind.CODE)) == 1


def test_fence_that_never_closes_reaches_to_the_end() -> None:
    text = "# A\n```\n# B\n"
    assert headings(text) == [(1, "A")]
    assert found(text, SpanKind.CODE) == [(0, "```\n# B\n")]


def test_table_is_found_whole() -> None:
    text = "Before\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\nAfter | not\n"
    assert found(text, SpanKind.TABLE) == [(0, "| a | b |\n|---|:-:|\n| 1 | 2 |")]


def test_text_is_the_source_and_the_title_its_first_heading() -> None:
    source = "intro\n\n# *The* Pump\n\n[link](http://x.example)\n"
    parsed = LibraryDocumentParser().parse(source.encode(), name="a.md")
    assert parsed.text == source
    assert parsed.title == "*The* Pump"


@pytest.mark.parametrize("piece", ["# ", "#", "> ", "```\n", "| a ", "|-", "1. ", "=", "<!--", "`"])
def test_repeated_marks_take_no_long_time(piece: str) -> None:
    began = time.perf_counter()
    find_spans(piece * 50_000 + "x")
    assert time.perf_counter() - began < 2
