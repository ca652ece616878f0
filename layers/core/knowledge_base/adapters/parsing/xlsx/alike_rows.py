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
_SIGNS_OF_ROW, _SIGNS_OF_CELL = 2, 4
"""How often `<` stands in them; once in a cell without a value."""


class Alike(NamedTuple):
    """Rows that are alike, the attributes of their elements but for the number, and where they end."""

    run: RawRun
    attributes: set[str]
    end: int


class _Expression:
    """Finds the rows of one shape."""

    def __init__(self, shape: _Shape) -> None:
        self._expression = re.compile(f"{HEAD}>{''.join(map(_pattern, shape))}</row>")
        self._width = len(shape)
        self._signs = _SIGNS_OF_ROW + sum(1 if is_empty else _SIGNS_OF_CELL for *_cell, is_empty in shape)
        self._are_all = True
        self._cells = tuple(
            (COLUMNS[letters], kind or "n", int(style or 0)) for letters, style, kind, is_empty in shape if not is_empty
        )

    def rows(self, text: str, place: int) -> Alike | None:
        """Return the rows from a place on, as long as their numbers follow each other; None where there is none."""
        rows, end = self._all(text, place), len(text)
        if not rows:
            rows, end = self._first(text, place)
        if not rows:
            return None
        numbers, attributes, *values = zip(*rows, strict=True)
        return Alike(RawRun(int(numbers[0]), self._cells, tuple(values), self._width), set(attributes), end)

    def _all(self, text: str, place: int) -> list[tuple[str, ...]]:
        """Return all rows that are left, which takes half the time; none where there are others among them.

        Then there are more signs than these rows have. Where this was tried in vain it is not tried again.
        """
        count = text.count("<row", place)
        if not self._are_all or text.count("<", place) != count * self._signs or text.find("&", place) >= 0:
            return []
        rows = self._expression.findall(text, place)
        self._are_all = len(rows) == count == _count_consecutive([int(row[0]) for row in rows])
        return rows if self._are_all else []

    def _first(self, text: str, place: int) -> tuple[list[tuple[str, ...]], int]:
        """Return the rows before the first other one, and where they end."""
        rows: list[re.Match[str]] = []
        end = place
        while found := self._expression.match(text, end):
            rows.append(found)
            end = found.end()
        rows = rows[: _count_consecutive([int(row[1]) for row in rows])]
        return [row.groups() for row in rows], rows[-1].end() if rows else place


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


def _count_consecutive(numbers: list[int]) -> int:
    """Return how many numbers there are before the first that does not follow the one before."""
    awaited = list(range(numbers[0], numbers[0] + len(numbers))) if numbers else []
    if numbers == awaited:
        return len(numbers)
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
