"""Headings of a PDF, told by their larger letters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from knowledge_base.adapters.parsing.pdf.lines import Paragraph

LARGER = 1.15
LONGEST = 150
MOST_LEVELS = 4
MOST_LETTERS = 0.3
"""A document in which more of the letters are larger has no headings but large print."""


def find_levels(paragraphs: Iterable[Paragraph]) -> dict[float, int]:
    """Return the heading level from 1 for each font size that headings have, given all paragraphs."""
    known = [paragraph for paragraph in paragraphs if paragraph.size]
    letters: Counter[float] = Counter()
    for paragraph in known:
        letters[_rounded(paragraph.size)] += len(paragraph.text)
    if not letters:
        return {}
    body = letters.most_common(1)[0][0]
    headings = [paragraph for paragraph in known if paragraph.size > LARGER * body and _may_be_heading(paragraph.text)]
    if sum(len(heading.text) for heading in headings) > MOST_LETTERS * letters.total():
        return {}
    sizes = sorted({_rounded(heading.size) for heading in headings}, reverse=True)
    return {size: min(place, MOST_LEVELS) for place, size in enumerate(sizes, start=1)}


def level_of(paragraph: Paragraph, levels: dict[float, int]) -> int:
    """Return a paragraph's level as a heading, 0 where it is none."""
    return levels.get(_rounded(paragraph.size), 0) if _may_be_heading(paragraph.text) else 0


def _may_be_heading(text: str) -> bool:
    return 1 < len(text) <= LONGEST and text[-1] not in ".。,，;；" and any(character.isalpha() for character in text)


def _rounded(size: float) -> float:
    return round(size * 2) / 2
