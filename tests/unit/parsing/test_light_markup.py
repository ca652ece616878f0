"""Headings and code in the lighter markups, in time that grows with the length only."""

from __future__ import annotations

import time

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

parser = LibraryDocumentParser()

RST = """\
=======
The pump
=======

Introduction
============

It starts::

    pump.start()

        wait()

A note.

.. code-block:: python

   Title in code
   =============

Details
-------
Not a title
--
"""


def read(text: str, name: str) -> ParsedDocument:
    return parser.parse(text.encode(), name=name)


def headings(parsed: ParsedDocument) -> list[tuple[str, int]]:
    return [(parsed.text[span.start : span.end], span.number) for span in parsed.spans_of(SpanKind.HEADING)]


def code(parsed: ParsedDocument) -> list[str]:
    return [parsed.text[span.start : span.end] for span in parsed.spans_of(SpanKind.CODE)]


def test_titles_of_restructured_text_are_ranked_by_the_order_of_their_lines() -> None:
    assert headings(read(RST, "a.rst")) == [("The pump", 1), ("Introduction", 2), ("Details", 3)]


def test_code_of_restructured_text_is_what_is_indented_below_its_announcement() -> None:
    assert code(read(RST, "a.rst")) == [
        "    pump.start()\n\n        wait()",
        "   Title in code\n   =============",
    ]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.tex", "\\chapter{One}\n\\section*{Two {x}}\n", [("One", 1), ("Two {x}", 2)]),
        ("a.adoc", "= One\n\n== Two ==\n", [("One", 1), ("Two", 2)]),
        ("a.org", "* One\n** Two\n#+begin_src c\n* three\n#+end_src\n", [("One", 1), ("Two", 2)]),
        ("a.wiki", "== One ==\n=== Two ===\n", [("One", 2), ("Two", 3)]),
    ],
)
def test_headings_are_found_in_each_markup(name: str, text: str, expected: list[tuple[str, int]]) -> None:
    assert headings(read(text, name)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "x" + " " * 1_000_000 + "y",
        "x\n" + "\t" * 1_000_000 + "y\n",
        "\n" * 1_000_000 + "x",
        "=" * 1_000_000 + "x\n",
        ("=" * 1_000 + "\n") * 1_000,
        "a::\n" * 200_000,
        "a::\n\n\n    b\n" * 100_000,
        "\\section{" * 100_000,
        "\\begin{verbatim}\n" * 50_000,
        "= " * 300_000,
    ],
    ids=["spaces", "tabs", "lines", "rule", "rules", "announced", "code", "sections", "verbatim", "marks"],
)
@pytest.mark.parametrize("name", ["a.rst", "a.tex", "a.adoc", "a.org", "a.wiki", "a.md"])
def test_hostile_text_is_read_in_one_pass(text: str, name: str) -> None:
    began = time.process_time()
    read(text + "\nwords", name)
    assert time.process_time() - began < 6
