"""Headings of a PDF, told by their larger letters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from knowledge_base.adapters.parsing.pdf.paragraphs import Paragraph
from knowledge_base.domain.parsed import Span, SpanKind

LARGER = 1.15
LONGEST = 150
MOST_LEVELS = 4
MOST_LETTERS = 0.3
"""A document in which more of the letters are larger has no headings but large print."""


class Headings:
    """Sees a document's paragraphs one by one; which are headings is clear once all have been seen."""

    def __init__(self) -> None:
        self._letters: Counter[float] = Counter()
        self._candidates: list[tuple[float, int, int]] = []

    def see(self, paragraph: Paragraph, start: int, end: int) -> None:
        """Take note of a paragraph that stands at characters [start, end) of the canonical text."""
        if paragraph.size:
            size = _rounded(paragraph.size)
            self._letters[size] += len(paragraph.text)
            if _may_be_heading(paragraph.text):
                self._candidates.append((size, start, end))

    def spans(self) -> Iterator[Span]:
        """Yield the headings seen so far, with levels from 1 by the size of their letters."""
        if not self._letters:
            return
        body = self._letters.most_common(1)[0][0]
        headings = [candidate for candidate in self._candidates if candidate[0] > LARGER * body]
        if sum(end - start for _size, start, end in headings) > MOST_LETTERS * self._letters.total():
            return
        sizes = sorted({size for size, _start, _end in headings}, reverse=True)
        for size, start, end in headings:
            yield Span(SpanKind.HEADING, start, end, min(sizes.index(size) + 1, MOST_LEVELS))


def _may_be_heading(text: str) -> bool:
    return 1 < len(text) <= LONGEST and text[-1] not in ".。,，;；" and any(character.isalpha() for character in text)


def _rounded(size: float) -> float:
    return round(size * 2) / 2
