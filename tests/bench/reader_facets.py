"""What a document holds beside its words: headings, list numbers, notes, columns, pages, and what is not to be read.

A facet is judged by a reader's output alone, as Markdown where it writes that: ours is given the same form, from its
spans. `PAGE_END` stands where a page ends, for readers whose interface gives pages.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from tests.bench.public_readers.reader import PAGE_END, PAGES
from tests.bench.reader_quality import Texts, without_marks, words

_HEADING = re.compile(r"^[ \t]*#{1,6} +(.*)$", re.M)
_RULE = re.compile(r"^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*\|?[ \t]*$")
_BETWEEN_CELLS = re.compile(r"(?<!\\)\|")


class Facet(NamedTuple):
    """Something that a file holds: `words` are what it says, `value` what belongs to them.

    The value of a heading is empty; of a list's item its number; of a column its name; of a page its number from 1.
    A row's words are what its first cell says, then, after a tab, what stands in the column.
    """

    kind: str
    words: str
    value: str = ""


class Output:
    """A reader's output, looked at in several ways."""

    def __init__(self, text: str) -> None:
        self.raw, _pages, self._pages = text.partition(PAGES)
        self.plain = without_marks(self.raw)

    @cached_property
    def all_words(self) -> str:
        """All words, a space between and around them."""
        return _padded(self.plain)

    @cached_property
    def headings(self) -> set[str]:
        """The words of each heading."""
        return {_padded(found) for found in _HEADING.findall(self.plain)}

    @cached_property
    def lines(self) -> list[str]:
        """The lines, without emphases."""
        return [" ".join(unicodedata.normalize("NFKC", line).split()) for line in self.plain.splitlines()]

    @cached_property
    def pages(self) -> list[str]:
        """The words of each page; one page where the reader tells of none."""
        return [_padded(page) for page in (self._pages or self.plain).split(PAGE_END)]

    @cached_property
    def values(self) -> set[tuple[str, str, str]]:
        """The first cell of each row of a Markdown table, a column's name, and what stands there."""
        found: set[tuple[str, str, str]] = set()
        names: list[str] = []
        before: list[str] = []
        for line in self.plain.splitlines():
            cells = _cells(line)
            if _RULE.match(line) and before:
                names = before
            elif cells and names:
                found.update((cells[0], name, cell) for name, cell in zip(names, cells, strict=False))
            else:
                names = []
            before = cells
        return found


def carries(output: Output, facet: Facet) -> bool:
    """Whether a reader's output holds a facet."""
    return _CHECKS[facet.kind](output, facet)


def shares(texts: Texts, known: Mapping[str, Iterable[Facet]]) -> dict[str, float]:
    """Return for each kind of facet which share of them a reader's texts carry; the kinds in their usual order."""
    counts: dict[str, list[bool]] = defaultdict(list)
    for name, facets in known.items():
        output = Output(texts.get(name) or "")
        for facet in facets:
            counts[facet.kind].append(carries(output, facet))
    return {kind: sum(counts[kind]) / len(counts[kind]) for kind in _CHECKS if kind in counts}


def _padded(text: str) -> str:
    return f" {' '.join(words(text))} "


def _cells(line: str) -> list[str]:
    """Return the cells of a line of a Markdown table, none of any other line."""
    if "|" not in line:
        return []
    return [" ".join(words(cell)) for cell in _BETWEEN_CELLS.split(line.strip().strip("|"))]


def _is_said(output: Output, facet: Facet) -> bool:
    return _padded(facet.words) in output.all_words


def _is_unsaid(output: Output, facet: Facet) -> bool:
    return bool(output.plain.strip()) and not _is_said(output, facet)


def _is_heading(output: Output, facet: Facet) -> bool:
    return _padded(facet.words) in output.headings


def _is_numbered(output: Output, facet: Facet) -> bool:
    """The number stands right before the item."""
    return _padded(f"{facet.value} {facet.words}") in output.all_words


def _is_named(output: Output, facet: Facet) -> bool:
    """The column's name stands before the value in the row's line, or above it in a Markdown table."""
    first, _tab, value = facet.words.partition("\t")
    if (" ".join(words(first)), " ".join(words(facet.value)), " ".join(words(value))) in output.values:
        return True
    named = f"{facet.value}: {value}"
    return any(first in line and named in line for line in output.lines)


def _is_on_page(output: Output, facet: Facet) -> bool:
    place = int(facet.value) - 1
    return len(output.pages) > 1 and place < len(output.pages) and _padded(facet.words) in output.pages[place]


def _is_linked(output: Output, facet: Facet) -> bool:
    return facet.value in output.raw


_CHECKS: dict[str, Callable[[Output, Facet], bool]] = {
    "headings": _is_heading,
    "list numbers": _is_numbered,
    "columns": _is_named,
    "pages": _is_on_page,
    "notes": _is_said,
    "comments": _is_said,
    "text boxes": _is_said,
    "form values": _is_said,
    "link texts": _is_said,
    "link targets": _is_linked,
    "hyphens": _is_said,
    "hidden": _is_unsaid,
}
KINDS = tuple(_CHECKS)
