"""Where in its document a chunk stands: pages, headings, definitions, and the header of the table it is cut from."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import TypedDict

from knowledge_base.adapters.chunking.prose import table_header
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

LONGEST_HEADING = 200


class Place(TypedDict, total=False):
    """The fields of a chunk that tell where it stands; those of pages are missing where there are none.

    `headings` are what the chunk's first character stands under, the highest first; a heading stands
    under itself. In source code they are the definitions around it. The last one is the header row of
    a table, for a place below it.
    """

    headings: tuple[str, ...]
    page: int
    last_page: int
    page_breaks: tuple[tuple[int, int], ...]


class Places:
    """Tells the pages and the heading path of places in a parsed document."""

    def __init__(self, parsed: ParsedDocument, definitions: Iterable[tuple[int, int, str]] = ()) -> None:
        """Read the spans, or for source code the start, indentation and title (or none) of each statement."""
        self._text = parsed.text
        pages = [span for span in parsed.spans_of(SpanKind.PAGE) if span.end > span.start]
        self._page_starts = [span.start for span in pages]
        self._page_numbers = [span.number for span in pages]
        self._tables = list(parsed.spans_of(SpanKind.TABLE))
        self._table_starts = [table.start for table in self._tables]
        self._path_starts: list[int] = []
        self._paths: list[tuple[str, ...]] = []
        self._note(self._headings(parsed))
        self._note(definitions)

    def of(self, start: int, end: int) -> Place:
        """Return where the characters `[start, end)` stand."""
        place: Place = {"headings": self._headings_at(start)}
        if self._page_starts:
            place["page"] = self._page_at(start)
            place["last_page"] = self._page_at(end - 1)
            place["page_breaks"] = self._page_breaks(start, end)
        return place

    def _page_at(self, position: int) -> int:
        return self._page_numbers[max(0, bisect_right(self._page_starts, position) - 1)]

    def _page_breaks(self, start: int, end: int) -> tuple[tuple[int, int], ...]:
        first, last = bisect_right(self._page_starts, start), bisect_left(self._page_starts, end)
        return tuple(zip(self._page_starts[first:last], self._page_numbers[first:last], strict=True))

    def _headings_at(self, position: int) -> tuple[str, ...]:
        index = bisect_right(self._path_starts, position) - 1
        path = self._paths[index] if index >= 0 else ()
        return path + self._header_row_above(position) if self._tables else path

    def _header_row_above(self, position: int) -> tuple[str, ...]:
        index = bisect_right(self._table_starts, position) - 1
        if index < 0 or position >= self._tables[index].end:
            return ()
        table = self._tables[index]
        if position < (end := table_header(self._text, table)) or end == table.start:
            return ()
        row = self._text[table.start : self._text.find("\n", table.start, end)]
        return (_title(row.strip(" \t|").replace("|", " | ")),)

    def _headings(self, parsed: ParsedDocument) -> Iterable[tuple[int, int, str]]:
        for span in parsed.spans_of(SpanKind.HEADING):
            start = parsed.text.rfind("\n", 0, span.start) + 1
            yield start, span.number, _title(parsed.text[span.start : span.end])

    def _note(self, titles: Iterable[tuple[int, int, str]]) -> None:
        """Note what path begins where; a title ends those of its own level and below, so does a place without one."""
        path: list[tuple[int, str]] = []
        for start, level, title in titles:
            depth = len(path)
            while path and path[-1][0] >= level:
                path.pop()
            if title:
                path.append((level, title))
            if title or len(path) != depth:
                self._path_starts.append(start)
                self._paths.append(tuple(name for _level, name in path))


def _title(words: str) -> str:
    return " ".join(words.split())[:LONGEST_HEADING]
