"""The ruled lines of a PDF page, and the grids that they make."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from ctypes import c_int, c_void_p
from dataclasses import dataclass
from itertools import repeat
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from knowledge_base.adapters.parsing.pdf.letters import turned
from knowledge_base.adapters.parsing.pdf.pdfium_calls import Question, address, quick

MOST_OBJECTS = 2_000
"""Pages with more objects are drawings."""
MOST_RULES, MOST_LONG_RULES, MOST_FIELDS = 4_000, 300, 5_000
_MOST_SEGMENTS = 100
_THIN, _SHORTEST, _NEAR = 2.5, 6.0, 3.0

Segment = tuple[float, float, float, float]
"""Left, top, right and bottom of a straight line."""
_BOUNDS = Question("FPDFPageObj_GetBounds", c_void_p, code="f", per_answer=4, pointers=4)
_MATRIX = Question("FPDFPageObj_GetMatrix", c_void_p, code="f", per_answer=6)
_MODE = Question("FPDFPath_GetDrawMode", c_void_p, code="i", per_answer=2, pointers=2)
_POINT = Question("FPDFPathSegment_GetPoint", c_void_p, code="f", per_answer=2, pointers=2)


class Rule(NamedTuple):
    """A straight line: the height or the distance from the left at which it runs, and from where to where."""

    at: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells between ruled lines. `xs` are the columns' edges from left to right, `ys` the rows' from the top down.

    `across` and `upright` are the rules themselves: where none parts two fields of the grid they are one cell.
    """

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    across: tuple[Rule, ...]
    upright: tuple[Rule, ...]

    def is_parted_right(self, row: int, column: int) -> bool:
        """Whether a rule parts a field from the one on its right."""
        return _is_ruled(self.upright, self.xs[column + 1], (self.ys[row] + self.ys[row + 1]) / 2)

    def is_parted_below(self, row: int, column: int) -> bool:
        """Whether a rule parts a field from the one below."""
        return _is_ruled(self.across, self.ys[row + 1], (self.xs[column] + self.xs[column + 1]) / 2)

    def field_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Return the row and the column of the field in which a point lies, None outside of the grid."""
        if not (self.xs[0] <= x <= self.xs[-1] and self.ys[-1] <= y <= self.ys[0]):
            return None
        row = next(place for place, edge in enumerate(self.ys[1:]) if y >= edge)
        return row, next(place for place, edge in enumerate(self.xs[1:]) if x <= edge)


def find_grids(page: Any, turn: int) -> list[Grid]:
    """Return the grids of a loaded page with two rows and columns at least, seen as lines of text run on it."""
    across: list[Rule] = []
    upright: list[Rule] = []
    for left, top, right, bottom in _segments(page, turn):
        if top - bottom <= _THIN and right - left >= _SHORTEST:
            across.append(Rule((top + bottom) / 2, left, right))
        elif right - left <= _THIN and top - bottom >= _SHORTEST:
            upright.append(Rule((left + right) / 2, bottom, top))
        if len(across) + len(upright) > MOST_RULES:
            return []
    across, upright = _merged(across), _merged(upright)
    return list(_grids(across, upright)) if len(across) + len(upright) <= MOST_LONG_RULES else []


def _segments(page: Any, turn: int) -> Iterator[Segment]:
    paths = _paths(page)
    numbers = _BOUNDS.ask(len(paths), paths)
    for path, (left, bottom, right, top) in zip(paths, zip(*[iter(numbers)] * 4, strict=True), strict=True):
        is_thin = right - left <= _THIN or top - bottom <= _THIN
        for segment in ((left, top, right, bottom),) if is_thin else _sides(path):
            yield turned(segment, turn) if turn else segment


def _paths(page: Any) -> list[int]:
    count = pdfium.FPDFPage_CountObjects(page)
    if count > MOST_OBJECTS:
        return []
    objects = map(quick("FPDFPage_GetObject", c_void_p, c_void_p, c_int), repeat(address(page.raw)), range(count))
    kind_of = quick("FPDFPageObj_GetType", c_int, c_void_p)
    return [found for found in objects if kind_of(found) == pdfium.FPDF_PAGEOBJ_PATH]


def _sides(path: int) -> Iterator[Segment]:
    """Yield the sides of a stroked path of straight lines, none where it has curves."""
    _fill, is_stroked = _MODE.ask(1, [path])
    count = quick("FPDFPath_CountSegments", c_int, c_void_p)(path)
    if not is_stroked or count > _MOST_SEGMENTS:
        return
    segments = list(map(quick("FPDFPath_GetPathSegment", c_void_p, c_void_p, c_int), repeat(path), range(count)))
    kinds = list(map(quick("FPDFPathSegment_GetType", c_int, c_void_p), segments))
    if pdfium.FPDF_SEGMENT_BEZIERTO in kinds:
        return
    closes = map(quick("FPDFPathSegment_GetClose", c_int, c_void_p), segments)
    before = start = (0.0, 0.0)
    for kind, is_last, point in zip(kinds, closes, _points(path, segments), strict=True):
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            start = point
        else:
            yield _side(before, point)
        if is_last:
            yield _side(point, start)
        before = point


def _points(path: int, segments: Sequence[int]) -> Iterator[tuple[float, float]]:
    """Yield where segments end on the page."""
    a, b, c, d, e, f = _MATRIX.ask(1, [path])
    numbers = iter(_POINT.ask(len(segments), segments))
    return ((a * x + c * y + e, b * x + d * y + f) for x, y in zip(numbers, numbers, strict=True))


def _side(one: tuple[float, float], other: tuple[float, float]) -> Segment:
    return min(one[0], other[0]), max(one[1], other[1]), max(one[0], other[0]), min(one[1], other[1])


def _merged(rules: Iterable[Rule]) -> list[Rule]:
    """Return rules with those made one that run at the same height and touch."""
    merged: list[Rule] = []
    for rule in sorted(rules, key=lambda rule: (round(rule.at / _NEAR), rule.start)):
        last = merged[-1] if merged else None
        if last and abs(last.at - rule.at) <= _NEAR and rule.start <= last.end + _NEAR:
            merged[-1] = last._replace(end=max(last.end, rule.end))
        else:
            merged.append(rule)
    return merged


def _grids(across: Sequence[Rule], upright: Sequence[Rule]) -> Iterator[Grid]:
    """Yield the grids of rules that cross or touch each other, directly or by others."""
    free_across, free_upright = set(across), set(upright)
    while free_upright:
        new_upright = {free_upright.pop()}
        own_across, own_upright = set[Rule](), set[Rule]()
        while new_upright:
            own_upright |= new_upright
            new_across = {rule for rule in free_across if any(_touch(rule, other) for other in new_upright)}
            free_across -= new_across
            own_across |= new_across
            new_upright = {rule for rule in free_upright if any(_touch(other, rule) for other in new_across)}
            free_upright -= new_upright
        grid = _grid(own_across, own_upright)
        if grid:
            yield grid


def _grid(across: Collection[Rule], upright: Collection[Rule]) -> Grid | None:
    if len(across) < 2:
        return None
    xs = _distinct([*(rule.at for rule in upright), min(r.start for r in across), max(r.end for r in across)])
    ys = _distinct([*(rule.at for rule in across), min(r.start for r in upright), max(r.end for r in upright)])
    fields = (len(xs) - 1) * (len(ys) - 1)
    if len(xs) < 3 or len(ys) < 3 or fields > MOST_FIELDS:
        return None
    return Grid(tuple(xs), tuple(reversed(ys)), tuple(across), tuple(upright))


def _touch(across: Rule, upright: Rule) -> bool:
    return (
        across.start - _NEAR <= upright.at <= across.end + _NEAR
        and upright.start - _NEAR <= across.at <= upright.end + _NEAR
    )


def _distinct(edges: Iterable[float]) -> list[float]:
    distinct: list[float] = []
    for edge in sorted(edges):
        if not distinct or edge - distinct[-1] > _NEAR:
            distinct.append(edge)
    return distinct


def _is_ruled(rules: Iterable[Rule], at: float, along: float) -> bool:
    return any(abs(rule.at - at) <= _NEAR and rule.start <= along <= rule.end for rule in rules)
