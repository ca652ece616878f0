"""Where in its document a chunk stands: pages and headings."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from knowledge_base.domain.parsed import ParsedDocument, SpanKind

LONGEST_HEADING = 200


class Places:
    """Tells the pages and the heading path of places in a parsed document."""

    def __init__(self, parsed: ParsedDocument) -> None:
        pages = [span for span in parsed.spans_of(SpanKind.PAGE) if span.end > span.start]
        self._page_starts = [span.start for span in pages]
        self._page_numbers = [span.number for span in pages]
        self._path_starts: list[int] = []
        self._paths: list[tuple[str, ...]] = []
        self._note_headings(parsed)

    def page_at(self, position: int) -> int:
        """Return the number of the page that a character is on, 0 where there are no pages."""
        if not self._page_starts:
            return 0
        return self._page_numbers[max(0, bisect_right(self._page_starts, position) - 1)]

    def page_breaks(self, start: int, end: int) -> tuple[tuple[int, int], ...]:
        """Return (start, number) of each page that begins after `start` and before `end`."""
        first, last = bisect_right(self._page_starts, start), bisect_left(self._page_starts, end)
        return tuple(zip(self._page_starts[first:last], self._page_numbers[first:last], strict=True))

    def headings_at(self, position: int) -> tuple[str, ...]:
        """Return the headings that a place stands under, the highest first; a heading stands under itself."""
        index = bisect_right(self._path_starts, position) - 1
        return self._paths[index] if index >= 0 else ()

    def _note_headings(self, parsed: ParsedDocument) -> None:
        open_headings: list[tuple[int, str]] = []
        for span in parsed.spans_of(SpanKind.HEADING):
            open_headings = [heading for heading in open_headings if heading[0] < span.number]
            open_headings.append((span.number, " ".join(parsed.text[span.start : span.end].split())[:LONGEST_HEADING]))
            self._path_starts.append(parsed.text.rfind("\n", 0, span.start) + 1)
            self._paths.append(tuple(title for _level, title in open_headings))
