"""Rows that are alike: in the same columns, of the same kinds and looks, read at once by an expression of their own.

Such an expression takes a fifth of the time of one for rows of any shape, and what is known of one row is known of
all: their values come column by column, and no object is made for a cell.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from knowledge_base.adapters.parsing.xlsx.cells import COLUMNS, RawRun

Cells = list[tuple[str, str, str, str]]
"""The letters of the column, style, kind and value of each cell of a row."""
_Shape = tuple[tuple[str, str, str, bool], ...]
HEAD = r'[ \t\r\n]*+<row r="([0-9]{1,9})"((?: [\w:]++="[^"<>&]*+")*+)'
VALUE = r"[^<&\x00-\x1f]"
_ENOUGH, _FEW = 24, 2
"""An expression costs as much as two dozen rows: it is made for as many that follow each other, and used for fewer."""
_MOST, _WIDEST = 40, 500


class Alike(NamedTuple):
    """Rows that are alike, the attributes of their elements but for the number, and where they end."""

    run: RawRun
    attributes: set[str]
    end: int


class _Expression:
    """Finds the rows of one shape."""

    def __init__(self, shape: _Shape) -> None:
        self._match = re.compile(f"{HEAD}>{''.join(map(_pattern, shape))}</row>").match
        self._width = len(shape)
        self._cells = tuple(
            (COLUMNS[letters], kind or "n", int(style or 0)) for letters, style, kind, is_empty in shape if not is_empty
        )

    def rows(self, text: str, place: int) -> Alike:
        """Return the rows from a place on, at least one, as long as their numbers follow each other."""
        rows: list[re.Match[str]] = []
        while found := self._match(text, place):
            rows.append(found)
            place = found.end()
        rows = rows[: _count_consecutive(rows)]
        _numbers, attributes, *values = zip(*map(re.Match.groups, rows), strict=True)
        run = RawRun(int(rows[0][1]), self._cells, tuple(values), self._width)
        return Alike(run, set(attributes), rows[-1].end())


class Shapes:
    """The shapes that a workbook's rows have, and the expressions of those that many have."""

    def __init__(self) -> None:
        self._expressions: dict[_Shape, _Expression] = {}
        self._last: _Shape = ()
        self._count = 0

    def alike(self, text: str, place: int, cells: Cells) -> Alike | None:
        """Return the rows from a place on that are like the first of them, whose cells are given.

        None where too few like that one have gone before, which costs little to find out.
        """
        shape = tuple([(letters, style, kind, not value) for letters, style, kind, value in cells])
        self._count = self._count + 1 if shape == self._last else 1
        self._last = shape
        if self._count < _FEW or not (expression := self._expression(shape)):
            return None
        self._count = 0
        return expression.rows(text, place)

    def _expression(self, shape: _Shape) -> _Expression | None:
        known = self._expressions.get(shape)
        if known or self._count < _ENOUGH or len(self._expressions) >= _MOST or not _is_simple(shape):
            return known
        return self._expressions.setdefault(shape, _Expression(shape))


def _count_consecutive(rows: list[re.Match[str]]) -> int:
    """Return how many rows there are before the first that has not the number after the one before."""
    numbers = [int(row[1]) for row in rows]
    awaited = list(range(numbers[0], numbers[0] + len(rows)))
    if numbers == awaited:
        return len(rows)
    return next(place for place, number in enumerate(numbers) if number != awaited[place])


def _is_simple(shape: _Shape) -> bool:
    """Whether there is a value, and no column twice."""
    columns = {letters for letters, _style, _kind, _is_empty in shape}
    has_value = not all(is_empty for *_cell, is_empty in shape)
    return has_value and len(columns) == len(shape) <= _WIDEST


def _pattern(cell: tuple[str, str, str, bool]) -> str:
    letters, style, kind, is_empty = cell
    looks = (f' s="{style}"' if style else "") + (f' t="{kind}"' if kind else "")
    value = "[0-9]{1,9}+" if kind == "s" else f"{VALUE}++"
    rest = "(?:/>|>(?:<v></v>)?</c>)" if is_empty else f"><v>({value})</v></c>"
    return f'<c r="{letters}[0-9]{{1,7}}"{looks}{rest}'
