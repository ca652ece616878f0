"""Tables of a PDF page whose cells are parted by ruled lines."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from knowledge_base.adapters.parsing.canonical_text import clean
from knowledge_base.adapters.parsing.pdf.characters import tidy
from knowledge_base.adapters.parsing.pdf.lines import Line, Piece
from knowledge_base.adapters.parsing.pdf.paragraphs import glue
from knowledge_base.adapters.parsing.pdf.rules import Grid
from knowledge_base.adapters.parsing.pdf.tables import Table
from knowledge_base.adapters.parsing.tables import LONG_CELL, Cell, Row

FEWEST_ROWS, FEWEST_CELLS = 2, 4
MOST_LONG = 0.2
"""Share of the cells that may be as long as paragraphs: more, and the grid only places text on the page."""
LEAST_REGULAR = 0.5
"""Share of the rows that must have as many cells as the grid has columns."""
_TELLING, _TITLES = 2, 20
"""How many rows of several cells tell by their looks whether the first one has names, and where they are looked for."""
_HYPHEN = "\ufffe"
_FIGURE = re.compile(r"[-–—+±$€£¥(]*\d[\d.,%)/:]*|[-–—*.]+")
_MOSTLY, _FEWEST_FIGURES = 0.8, 2

Field = tuple[int, int]
"""The row and the column of a field of a grid."""


def take_tables(
    lines: Sequence[Line],
    grids: Iterable[Grid],
    words_of: Callable[[Line], Iterable[Piece]],
    is_bold: Callable[[int], bool],
) -> list[Line | Table]:
    """Return the lines of a page with tables in place of those that stand in a grid of ruled lines.

    A grid that holds no regular table, or that a line sticks out of, leaves its lines as they are.
    """
    parts: list[Line | Table] = list(lines)
    for grid in grids:
        inside = [part for part in parts if isinstance(part, Line) and part.size and _is_inside(part, grid)]
        table = _read(grid, inside, words_of, is_bold) if inside else None
        if table:
            place = parts.index(inside[0])
            taken = set(map(id, inside))
            parts[place:] = [table, *(part for part in parts[place:] if id(part) not in taken)]
    return parts


def _is_inside(line: Line, grid: Grid) -> bool:
    return grid.ys[-1] < line.last and line.first < grid.ys[0] and line.right > grid.xs[0] and line.left < grid.xs[-1]


def _read(
    grid: Grid, lines: Sequence[Line], words_of: Callable[[Line], Iterable[Piece]], is_bold: Callable[[int], bool]
) -> Table | None:
    owners = _owners(grid)
    fields = _fields(grid, lines, words_of, owners)
    if fields is None or len(fields) < FEWEST_CELLS or not _is_regular(grid, owners):
        return None
    long = sum(sum(len(word.text) for word in words) > LONG_CELL for words in fields.values())
    if long > MOST_LONG * len(fields):
        return None
    rows: list[Row] = []
    for place in range(len(grid.ys) - 1):
        looks = is_bold if sum(map(_is_full, rows[:_TITLES])) < _TELLING else _not_looked_at
        rows += _rows(grid, place, owners, fields, looks)
    return Table.of(rows, lines, grid.xs)


def _is_full(row: Row) -> bool:
    return any(cell.text for cell in row.cells[1:])


def _not_looked_at(_place: int) -> bool:
    return False


def _owners(grid: Grid) -> dict[Field, Field]:
    """Return for each field the upper left one of those that no rule parts it from."""
    owners: dict[Field, Field] = {}
    for row in range(len(grid.ys) - 1):
        for column in range(len(grid.xs) - 1):
            owner = row, column
            if column and not grid.is_parted_right(row, column - 1):
                owner = owners[row, column - 1]
            elif row and not grid.is_parted_below(row - 1, column):
                owner = owners[row - 1, column]
            owners[row, column] = owner
    return owners


def _fields(
    grid: Grid,
    lines: Sequence[Line],
    words_of: Callable[[Line], Iterable[Piece]],
    owners: dict[Field, Field],
) -> dict[Field, list[Piece]] | None:
    """Return the words in each field, None where one stands outside of the grid."""
    fields: dict[Field, list[Piece]] = {}
    for line in lines:
        for word in words_of(line):
            field = grid.field_at((word.left + word.right) / 2, word.bottom + line.size / 3)
            if field is None:
                return None
            fields.setdefault(owners[field], []).append(word)
    return fields


def _is_regular(grid: Grid, owners: dict[Field, Field]) -> bool:
    rows, columns = len(grid.ys) - 1, len(grid.xs) - 1
    counts = [len({owners[row, column] for column in range(columns)}) for row in range(rows)]
    return rows >= FEWEST_ROWS and sum(count == columns for count in counts) >= LEAST_REGULAR * rows


def _rows(
    grid: Grid,
    row: int,
    owners: dict[Field, Field],
    fields: dict[Field, list[Piece]],
    is_bold: Callable[[int], bool],
) -> Iterator[Row]:
    """Yield a row of a grid: a cell that reaches down repeats in each row, one that reaches right leaves empty ones.

    Where columns of figures stand in it, it is as many rows as there are figures.
    """
    own = [owners[row, column] for column in range(len(grid.xs) - 1)]
    cells = [fields.get(owner, []) if owner not in own[:place] else [] for place, owner in enumerate(own)]
    heights = _heights_of_figures(cells)
    if not heights:
        yield Row(tuple(_cell(words, is_bold) for words in cells))
        return
    parted = [_by_height(words, heights) for words in cells]
    for height in reversed(heights):
        yield Row(tuple(_cell(levels[height], is_bold) for levels in parted))


def _heights_of_figures(cells: Sequence[Sequence[Piece]]) -> list[float]:
    """Return on which heights figures stand, from the bottom up, where two cells or more hold columns of them."""
    stacks = [
        sorted({round(word.bottom) for word in words})
        for words in cells
        if words and sum(bool(_FIGURE.fullmatch(word.text)) for word in words) >= _MOSTLY * len(words)
    ]
    stacks = [stack for stack in stacks if len(stack) >= _FEWEST_FIGURES]
    return [float(height) for height in max(stacks, key=len)] if len(stacks) > 1 else []


def _by_height(words: Sequence[Piece], heights: Sequence[float]) -> dict[float, list[Piece]]:
    """Return words by the nearest of some heights."""
    middles = [(below + above) / 2 for below, above in pairwise(heights)]
    levels: dict[float, list[Piece]] = {height: [] for height in heights}
    for word in words:
        levels[heights[bisect_left(middles, word.bottom)]].append(word)
    return levels


def _cell(words: Sequence[Piece], is_bold: Callable[[int], bool]) -> Cell:
    text = ""
    for word in words:
        text += word.text if not text or text.endswith(_HYPHEN) else glue(text, word.text) + word.text
    return Cell(" ".join(clean(tidy(text)).split()), is_bold=bool(words) and is_bold(words[0].start))
