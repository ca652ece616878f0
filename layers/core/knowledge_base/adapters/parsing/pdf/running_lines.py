"""Headers and footers: lines at the edge of pages that come back on page after page.

Their first occurrence stays, the others would only drown the text. To be dropped, a line must stand at the same
height of at least three near pages and say the same there, but for a number that counts the pages. It must be no
larger than the body's letters, since the title of slides that go on is content. And it must stand apart from the
body, since the names of columns that each page repeats belong to the rows below them; but for the lowest line of
pages where it counts them, which may have a footnote right above.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from knowledge_base.adapters.parsing.pdf.lines import Line
from knowledge_base.adapters.parsing.pdf.page import Page
from knowledge_base.adapters.parsing.pdf.paragraphs import APART, usual_pitch
from knowledge_base.adapters.parsing.pdf.tables import Table

NEAR = 25
"""How many pages before and after count as near."""
FEWEST = 3
EDGE = 0.15
"""How far from either end of the text a line may stand, as a share of the text's height."""
LARGER = 1.15
MOST_LINES = 4
_SAME_HEIGHT = 4.0
_LONGEST = 200
_MOST_NUMBERS = 4
_NUMBER = re.compile(r"\d{1,9}")
_ROMAN = re.compile(r"(?=[ivxlc])(?:c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}

Key = tuple[str, tuple[int, ...], int, int]
"""A line without its numbers; the numbers; which of them is counted from the page's own; the height."""


@dataclass(frozen=True, slots=True)
class _Edge:
    """A page's parts from one of its edges inwards; `keys` are those of the first few, which may be dropped."""

    parts: Sequence[Line | Table]
    keys: Sequence[frozenset[Key]]
    is_lower: bool

    def counts_pages(self, returning: Sequence[set[Key]]) -> bool:
        """Whether the outermost line is the page's lowest, and counts the pages."""
        return self.is_lower and any(counted >= 0 for _words, _numbers, counted, _height in returning[0])


def drop_running_lines(pages: Iterable[Page]) -> Iterator[Page]:
    """Yield the pages without the headers and footers that an earlier page has shown already."""
    running = _RunningLines()
    ahead: deque[tuple[Page, tuple[_Edge, ...]]] = deque()
    for index, page in enumerate(pages):
        edges = _edges(page, index)
        running.see(edges)
        ahead.append((page, edges))
        if len(ahead) > NEAR:
            yield running.drop_known(*ahead.popleft())
    while ahead:
        yield running.drop_known(*ahead.popleft())


class _RunningLines:
    """Which lines come back on the pages near the one that is looked at, and which of them have been shown.

    A page that has nothing else keeps them: there they are the content.
    """

    def __init__(self) -> None:
        self._counts: Counter[Key] = Counter()
        self._behind: deque[set[Key]] = deque()
        self._shown: set[Key] = set()

    def see(self, edges: Sequence[_Edge]) -> None:
        self._counts.update(_all_keys(edges))

    def drop_known(self, page: Page, edges: Sequence[_Edge]) -> Page:
        known = {id(part) for edge in edges for part in self._known_parts(page, edge)}
        if len(known) == len(page.parts):
            known.clear()
        self._behind.append(_all_keys(edges))
        if len(self._behind) > NEAR:
            self._forget(self._behind.popleft())
        return replace(page, parts=tuple(part for part in page.parts if id(part) not in known)) if known else page

    def _known_parts(self, page: Page, edge: _Edge) -> Iterator[Line | Table]:
        returning = [{key for key in keys if self._counts[key] >= FEWEST} for keys in edge.keys]
        if not any(returning):
            return
        outside = _outside(edge.parts, [bool(keys) for keys in returning], _pitch(page))
        for place in outside or [0] * edge.counts_pages(returning):
            if returning[place] & self._shown:
                yield edge.parts[place]
            self._shown |= returning[place]

    def _forget(self, keys: Iterable[Key]) -> None:
        for key in keys:
            self._counts[key] -= 1
            if not self._counts[key]:
                del self._counts[key]


def _all_keys(edges: Sequence[_Edge]) -> set[Key]:
    return {key for edge in edges for keys in edge.keys for key in keys}


def _edges(page: Page, index: int) -> tuple[_Edge, ...]:
    """Return the upper and the lower edge of a page."""
    parts = sorted((part for part in page.parts if part.size), key=lambda part: -part.first)
    if not parts:
        return ()
    reach = EDGE * (parts[0].first - parts[-1].last)
    largest = LARGER * _body_size(parts)
    middle = len(parts) // 2
    upper = _keys_at_edge(parts, index, largest, reach, min(MOST_LINES, len(parts) - middle))
    lower = _keys_at_edge(parts[::-1], index, largest, reach, min(MOST_LINES, middle))
    return _Edge(parts, upper, is_lower=False), _Edge(parts[::-1], lower, is_lower=True)


def _keys_at_edge(
    parts: Sequence[Line | Table], index: int, largest: float, reach: float, most: int
) -> list[frozenset[Key]]:
    """Return the keys of the first lines, which may be dropped, up to one that is too far inside or too large."""
    keys = []
    for part in parts[:most]:
        if _distance(part, parts[0]) > reach or part.size > largest or not isinstance(part, Line):
            break
        keys.append(_keys(part, index))
    return keys


def _body_size(parts: Sequence[Line | Table]) -> float:
    letters: Counter[float] = Counter()
    for part in parts:
        letters[round(part.size * 2) / 2] += len(part.text)
    return letters.most_common(1)[0][0]


def _keys(line: Line, index: int) -> frozenset[Key]:
    """Return what a line may be known by on other pages: all numbers as they are, or one that counts the pages.

    Heights are in steps, twice, so that two that differ a little share one.
    """
    if len(line.text) > _LONGEST:
        return frozenset()
    words, numbers = _parted(line.text)
    heights = (int(line.first // (2 * _SAME_HEIGHT)) * 2, int((line.first / _SAME_HEIGHT + 1) // 2) * 2 + 1)
    counted = range(-1, min(len(numbers), _MOST_NUMBERS))
    return frozenset((words, _from(numbers, place, index), place, height) for place in counted for height in heights)


def _parted(text: str) -> tuple[str, tuple[int, ...]]:
    """Return a text without its numbers, and the numbers."""
    flat = "".join(text.lower().split())
    if 0 < len(flat) < len("lxxxviii") and _ROMAN.fullmatch(flat):
        return "#", (_roman(flat),)
    return _NUMBER.sub("#", flat), tuple(map(int, _NUMBER.findall(flat)))


def _from(numbers: tuple[int, ...], place: int, index: int) -> tuple[int, ...]:
    return tuple(number - index if position == place else number for position, number in enumerate(numbers))


def _roman(text: str) -> int:
    digits = [_ROMAN_DIGITS[letter] for letter in text]
    return sum(-digit if digit < after else digit for digit, after in zip(digits, [*digits[1:], 0], strict=True))


def _pitch(page: Page) -> float:
    return usual_pitch([part for part in page.parts if isinstance(part, Line)])


def _outside(parts: Sequence[Line | Table], returning: Sequence[bool], pitch: float) -> list[int]:
    """Return the places of returning lines that nothing but each other stands between and a gap to the body."""
    places: list[int] = []
    is_outside = False
    for place in reversed(range(len(returning))):
        inner = parts[place + 1 : place + 3]
        if not returning[place]:
            is_outside = False
            continue
        is_outside = is_outside or not inner or _stands_apart(parts[place], inner, pitch)
        if is_outside:
            places.append(place)
    return places


def _stands_apart(part: Line | Table, inner: Sequence[Line | Table], pitch: float) -> bool:
    """Whether more room parts it from what is inside of it than that from what comes next."""
    gap = _distance(part, inner[0])
    if gap <= APART * pitch * part.size:
        return False
    return len(inner) < 2 or gap > APART * _distance(*inner)


def _distance(outer: Line | Table, inner: Line | Table) -> float:
    return max(outer.last - inner.first, inner.last - outer.first)
