"""The canonical text of a PDF file, made of its pages one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from knowledge_base.adapters.parsing.canonical_text import TextBuilder, clean
from knowledge_base.adapters.parsing.pdf.headings import Headings
from knowledge_base.adapters.parsing.pdf.lines import Line
from knowledge_base.adapters.parsing.pdf.page import Page
from knowledge_base.adapters.parsing.pdf.paragraphs import Paragraph, join_lines
from knowledge_base.adapters.parsing.pdf.tables import Table
from knowledge_base.domain.parsed import Span, SpanKind


class Composer:
    """Writes pages; it keeps their text and what may be a heading, but nothing else of them."""

    def __init__(self) -> None:
        self._out = TextBuilder()
        self._headings = Headings()
        self._pages = 0

    def add(self, page: Page) -> None:
        """Write a page; the next one gets the next number."""
        self._pages += 1
        is_first = True
        start = self._out.length
        for part in _parts(page):
            if is_first and self._out.length:
                self._out.add("\n\n")
                start = self._out.length
            self._write(part, is_first=is_first)
            is_first = False
        self._out.mark(SpanKind.PAGE, start, self._pages)

    def text(self) -> str:
        """Return the text of all pages so far."""
        return self._out.text()

    def spans(self) -> tuple[Span, ...]:
        """Return the spans of all pages so far, with the headings that all of them together tell."""
        spans = (*self._out.spans(), *self._headings.spans())
        return tuple(sorted(spans, key=lambda span: (span.start, -span.end)))

    def _write(self, part: Paragraph | Table, *, is_first: bool) -> None:
        is_apart = isinstance(part, Table) or part.is_apart
        if not is_first:
            self._out.add("\n\n" if is_apart else "\n")
        start = self._out.length
        self._out.add(clean(part.text))
        if isinstance(part, Table):
            self._out.mark(SpanKind.TABLE, start)
        else:
            self._headings.see(part, start, self._out.length)


def _parts(page: Page) -> Iterator[Paragraph | Table]:
    after_table = False
    for is_table, parts in groupby(page.parts, key=lambda part: isinstance(part, Table)):
        if is_table:
            yield from (part for part in parts if isinstance(part, Table))
        else:
            first, *others = join_lines([part for part in parts if isinstance(part, Line)])
            yield first._replace(is_apart=after_table)
            yield from others
        after_table = is_table
    for note in page.notes:
        yield Paragraph(note, is_apart=True)
