"""The lines of a PDF page with their place on it.

A file may have thousands of pages and each some sixty lines: PDFium is asked about all of a page's words at once,
and lines are named tuples, which are made in a third of the time of frozen dataclasses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from operator import sub
from typing import NamedTuple

from knowledge_base.adapters.parsing.pdf.characters import needs_tidying, tidy
from knowledge_base.adapters.parsing.pdf.letters import Letters, turned

CELL_GAP = 1.2
"""How far apart in sizes of the font the words of different cells are at least."""

_LINE = re.compile(r"\S(?:[^\r\n]*[^\s])?")
_WORD = re.compile("[^\\s\ufffe]+\ufffe?")
_LIST_SIGN = re.compile(r"[^\d]|\(?\d{1,3}[.):、．]|\(?[a-zA-Z][.)]|\d{1,2}(?:\.\d{1,2})+\.?")
_HYPHEN = "\ufffe"
_EVERY_HYPHEN = re.compile(_HYPHEN)
_FEWEST_CUTS = 4
"""So many rows of a page at least must go on in another column before it is taken for one drawn row by row."""
_LEAST_SIZE = 2.0
_SPARSE = 0.6
_SAME_ROW, _SAME_HEIGHT = 1.5, 0.25
_CLOCKWISE = 3
"""Quarter turns against the clock of a line that runs down the page."""

Span = tuple[int, int]
"""The places of a page where something begins and ends."""
Ends = tuple[float, float, float, float, float, float, float, float]
"""The boxes of the first and of the last letter of something."""


class Piece(NamedTuple):
    """A cell or a word of a line; `start` and `end` are the places of its letters on the page, `bottom` its height."""

    text: str
    left: float
    right: float
    start: int = 0
    end: int = 0
    bottom: float = 0


class Line(NamedTuple):
    """A line of text. `size` is its font's in points, 0 where nothing is known but the text.

    `first` and `last` are the heights on which it begins and ends: PDFium joins lines at hyphens. `cells` are
    there only where gaps part it into several. `turn` says how many quarter turns it makes, against the clock;
    where it stands is seen with the page turned so that it is upright. `start` and `end` are the places of its
    letters on the page.
    """

    text: str
    left: float = 0
    right: float = 0
    first: float = 0
    last: float = 0
    size: float = 0
    cells: tuple[Piece, ...] = ()
    turn: int = 0
    start: int = 0
    end: int = 0


def plain_lines(raw: str) -> list[Line]:
    """Return lines of which only the text is known."""
    return [Line(line.strip()) for line in tidy(raw.replace("\r\n", "\n")).split("\n") if line.strip()]


def pieces_of(line: Line) -> tuple[Piece, ...]:
    """Return the cells of a line; one that has none is one itself."""
    return line.cells or (Piece(line.text, line.left, line.right, line.start, line.end),)


class LineReader:
    """Reads the lines of a page, given what its letters are to be read as."""

    def __init__(self, letters: Letters, text: str) -> None:
        self._letters = letters
        self._text = text
        self._tidy = tidy if needs_tidying(text) else str
        self._spans = [match.span() for match in _LINE.finditer(text)]
        if _HYPHEN in text:
            self._spans = list(self._parted(self._spans))

    def lines(self) -> list[Line]:
        """Return the lines in PDFium's order, but those in the right one that PDFium has in the opposite."""
        lines = self._spans
        rows = list(map(self._last_row, lines)) if _HYPHEN in self._text else lines
        styles = self._letters.styles([start for start, _end in lines])
        lasts = styles.bases if rows is lines else self._letters.styles([start for start, _end in rows]).bases
        boxes = self._letters.boxes([place for start, end in rows for place in (start, end - 1)])
        firsts, counts = zip(*[iter(boxes)] * 8, strict=True), self._letters.count_pieces(rows)
        read = map(self._line, lines, rows, *styles, lasts, firsts, counts)
        return list(_in_order(_whole_rows(line for line in read if line.text)))

    def _parted(self, lines: Iterable[Span]) -> Iterator[Span]:
        """Yield lines, those parted that PDFium has joined from one column to the next.

        Where a file draws two columns row by row, the hyphen at the end of a row is followed by the first column.
        """
        lines = list(lines)
        cuts = {place for line in lines for place in self._hyphens(line) if self._leaves_column(line[0], place + 1)}
        if len(cuts) < _FEWEST_CUTS:
            yield from lines
            return
        self._text = "".join("-" if place in cuts else letter for place, letter in enumerate(self._text))
        for start, end in lines:
            ends = [place + 1 for place in range(start, end - 1) if place in cuts]
            yield from zip([start, *ends], [*ends, end], strict=True)

    def _hyphens(self, line: Span) -> list[int]:
        """Return the places of the hyphens at which PDFium has joined a line."""
        return [match.start() for match in _EVERY_HYPHEN.finditer(self._text, line[0], line[1] - 1)]

    def _leaves_column(self, start: int, end: int) -> bool:
        """Whether a row of cells that ends with a hyphen goes on to the left of its last cell."""
        row = self._last_row((start, end))
        if self._letters.count_pieces([row])[0] < 2:
            return False
        (size,), (turn,), _bases = self._letters.styles(row[:1])
        cells = () if turn else self._cells(row, size, 0)
        return bool(cells) and self._letters.boxes([end])[0] < cells[-1].left - CELL_GAP * size

    def words(self, line: Line) -> Iterator[Piece]:
        """Yield the words of a line, each with the bottom of its first letter; a hyphen at a row's end stays."""
        spans = [match.span() for match in _WORD.finditer(self._text, line.start, line.end)]
        boxes = self._letters.boxes([place for start, end in spans for place in (start, end - 1)])
        for (start, end), ends in zip(spans, zip(*[iter(boxes)] * 8, strict=True), strict=True):
            left, right, _height = _extent(ends, line.turn)
            bottom = turned(ends[:4], line.turn)[3] if line.turn else ends[3]
            yield Piece(self._text[start:end], left, right, start, end, bottom)

    def _line(
        self, line: Span, row: Span, size: float, turn: int, first: float, last: float, ends: Ends, pieces: int
    ) -> Line:
        text = self._tidy(self._text[line[0] : line[1]]).strip()
        if size < _LEAST_SIZE:
            size = max(size, self._letters.height(*line))
        left, right, height = _extent(ends, turn)
        if height > _SAME_ROW * size:
            return Line(text)
        may_have_cells = pieces > 1 or right - left > _SPARSE * size * (row[1] - row[0])
        cells = self._cells(row, size, turn) if may_have_cells else ()
        return Line(text, left, right, first, last, size, cells, turn, *line)

    def _cells(self, row: Span, size: float, turn: int) -> tuple[Piece, ...]:
        """Return the cells of a row, none where no gap parts it; the sign of a list is no cell of its own."""
        spans = [match.span() for match in _WORD.finditer(self._text, *row)]
        boxes = self._letters.boxes([place for start, end in spans for place in (start, end - 1)])
        gap = CELL_GAP * size
        if not turn and max(map(sub, boxes[8::8], boxes[6::8]), default=0) <= gap and _runs_right(boxes):
            return ()
        extents = [_extent(ends, turn) for ends in zip(*[iter(boxes)] * 8, strict=True)]
        cells = list(_joined(spans, extents, gap)) if spans else []
        cells = [cell._replace(text=self._tidy(self._text[cell.start : cell.end])) for cell in cells]
        if len(cells) > 1 and _LIST_SIGN.fullmatch(cells[0].text):
            sign, item, *others = cells
            cells = [Piece(f"{sign.text} {item.text}", sign.left, item.right, sign.start, item.end), *others]
        return tuple(cells) if len(cells) > 1 else ()

    def _last_row(self, line: Span) -> Span:
        """Return what comes after the last hyphen at which PDFium has joined a line from two."""
        start, end = line
        return self._text.rfind(_HYPHEN, start, end - 1) + 1 or start, end


def _in_order(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield lines, those that run down the page from the last to the first: PDFium takes their left for the top."""
    for turn, group in groupby(lines, key=lambda line: line.turn):
        run = list(group)
        rises = sum(after.first > before.first for before, after in pairwise(run))
        yield from reversed(run) if turn == _CLOCKWISE and 2 * rises > len(run) - 1 else run


def _whole_rows(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield lines with those made one that follow each other on the same height: PDFium breaks rows at wide gaps."""
    return merged(lines, lambda before, line: _row_of(before, line) if _is_same_row(before, line) else None)


def merged(lines: Iterable[Line], join: Callable[[Line, Line], Line | None]) -> Iterator[Line]:
    """Yield lines; those of which `join` makes one of two come as that one, which the next may join again."""
    before: Line | None = None
    for line in lines:
        if before and (one := join(before, line)):
            before = one
            continue
        if before:
            yield before
        before = line
    if before:
        yield before


def _is_same_row(before: Line, line: Line) -> bool:
    return (
        bool(before.size and line.size)
        and before.turn == line.turn
        and abs(before.last - line.first) < _SAME_HEIGHT * line.size
        and line.left - before.right > CELL_GAP * line.size
    )


def _row_of(before: Line, line: Line) -> Line:
    cells = () if _LIST_SIGN.fullmatch(before.text) else (*pieces_of(before), *pieces_of(line))
    text, size = f"{before.text} {line.text}", max(before.size, line.size)
    return before._replace(text=text, right=line.right, last=line.last, size=size, cells=cells, end=line.end)


def _runs_right(boxes: Sequence[float]) -> bool:
    """Whether words run from left to right and follow each other so, given the boxes of their ends."""
    lefts = boxes[0::8]
    return min(map(sub, boxes[6::8], lefts), default=0) >= 0 and min(map(sub, lefts[1:], lefts), default=0) >= 0


def _joined(spans: Sequence[Span], extents: Sequence[tuple[float, float, float]], gap: float) -> Iterator[Piece]:
    """Yield the cells that words make, parted by gaps."""
    (start, end), (left, right, _) = spans[0], extents[0]
    for (begin, stop), (near, far, _height) in zip(spans[1:], extents[1:], strict=True):
        if near - right > gap or left - far > gap:
            yield Piece("", left, right, start, end)
            start, left, right = begin, near, far
        left, right, end = min(left, near), max(right, far), stop
    yield Piece("", left, right, start, end)


def _extent(ends: Ends, turn: int) -> tuple[float, float, float]:
    """Return where letters begin and end on their line, and how far the first and the last differ in height."""
    left, _top, near, bottom, far, _other_top, right, other_bottom = ends
    if turn:
        left, _top, near, bottom = turned(ends[:4], turn)
        far, _other_top, right, other_bottom = turned(ends[4:], turn)
    return (left, right, abs(bottom - other_bottom)) if left <= far else (far, near, abs(bottom - other_bottom))
