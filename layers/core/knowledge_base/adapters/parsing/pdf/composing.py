"""The canonical text of a PDF file, made of its pages one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from knowledge_base.adapters.parsing.canonical_text import TextBuilder, clean
from knowledge_base.adapters.parsing.pdf.headings import Headings
from knowledge_base.adapters.parsing.pdf.lines import Line
from knowledge_base.adapters.parsing.pdf.page import Page
from knowledge_base.adapters.parsing.pdf.paragraphs import Paragraph, join_lines
from knowledge_base.adapters.parsing.pdf.tables import Table
from knowledge_base.domain.parsed import Span, SpanKind

_MOST_BETWEEN = 2
"""How many lines, a foot and a head, may stand between the halves of a table that goes on on the next page."""


class Composer:
    """Writes pages; it keeps their text and what may be a heading, but nothing else of them."""

    def __init__(self) -> None:
        self._out = TextBuilder()
        self._headings = Headings()
        self._pages = 0
        self._open: Table | None = None

    def add(self, page: Page) -> None:
        """Write a page; the next one gets the next number."""
        self._pages += 1
        is_first = True
        start = self._out.length
        for part in _parts(self._with_names(page)):
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

    def _with_names(self, page: Page) -> Page:
        """Return a page whose first table has the names of the one that it goes on from."""
        places = [place for place, part in enumerate(page.parts) if isinstance(part, Table)]
        above, self._open = self._open, None
        if not places:
            return page
        parts = list(page.parts)
        first = parts[places[0]]
        if above and isinstance(first, Table) and places[0] <= _MOST_BETWEEN:
            parts[places[0]] = first.going_on(above)
        last = parts[places[-1]]
        if isinstance(last, Table) and len(parts) - 1 - places[-1] <= _MOST_BETWEEN:
            self._open = last
        return replace(page, parts=tuple(parts))

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
