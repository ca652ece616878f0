"""Rows and cells as a workbook stores them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from knowledge_base.adapters.parsing.canonical_text import clean

_LETTERS = re.compile(r"[A-Za-z]{1,3}")
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")


class RawCell(NamedTuple):
    """A cell as it is stored: `kind` is its `t` attribute, `style` the number of its look."""

    column: int
    kind: str
    style: int
    value: str
    formula: str = ""


AnyCell = tuple[int, str, int, str, str]
"""A `RawCell`, or a plain tuple of the same: those are made in a third of the time."""


class RawRow(NamedTuple):
    """The stored cells of the row with this number from 1."""

    number: int
    cells: Sequence[AnyCell]

    def rows(self) -> Iterator[RawRow]:
        """Yield the row."""
        yield self


class RawRun(NamedTuple):
    """Rows that follow each other, from `number` on, and whose cells have the same columns, kinds and styles.

    `cells` are those three of each cell that has a value, every column once; `values` holds for each of them the values
    of all rows. `width` counts the cells of a row, empty ones too.
    """

    number: int
    cells: tuple[tuple[int, str, int], ...]
    values: tuple[tuple[str, ...], ...]
    width: int

    @property
    def height(self) -> int:
        """How many rows there are."""
        return len(self.values[0])

    def rows(self) -> Iterator[RawRow]:
        """Yield the rows one by one."""
        for number, row in enumerate(zip(*self.values, strict=True), start=self.number):
            yield RawRow(number, [(*cell, value, "") for cell, value in zip(self.cells, row, strict=True)])


class _Columns(dict[str, int]):
    """Columns from 0 by their letters."""

    def __missing__(self, letters: str) -> int:
        column = 0
        for letter in letters.upper():
            column = column * 26 + ord(letter) - ord("A") + 1
        return self.setdefault(letters, column - 1)


COLUMNS = _Columns()


def column_of(reference: str) -> int | None:
    """Return the column from 0 of a cell such as `B3`, or None where it is no cell."""
    letters = reference.rstrip("0123456789")
    return COLUMNS[letters] if letters in COLUMNS or _LETTERS.fullmatch(letters) else None


def unescape(text: str) -> str:
    """Return a stored text with its `_x000D_` signs as the characters they stand for."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def one_line(text: str) -> str:
    """Return a cell's text clean and on one line."""
    if text.isprintable() and "  " not in text:
        return text.strip()
    return " ".join(clean(text).split())
