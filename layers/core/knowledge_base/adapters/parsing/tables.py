"""Tables as rows that can be read, and cited, by themselves."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from knowledge_base.adapters.parsing.blocks import Block
from knowledge_base.adapters.parsing.list_numbers import BULLET
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import SpanKind

MAX_COLUMNS = 200
MAX_CELLS = 500_000
"""Cells of one table."""
BETWEEN = " | "
_BULLET = f"{BULLET} "
LONG_CELL = 400
LONG_HEADER = 60
LONG_LABEL = 100
_SEVERAL_ROWS = 3
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"[\s\d.,:%±+\-–—€$£¥/()]*\d[\s\d.,:%±+\-–—€$£¥/()]*")
_SEVERAL = 2
_NO_LOOKS = Block("")[1:]
_TOUCHING = 60
"""Edges this close are the same, in twentieths of a point."""


class Cell(NamedTuple):
    """A cell's text; `is_bold` and `is_shaded` tell header cells; `continues` the cell above.

    `blocks` are its paragraphs where their kinds matter: a table that only places text on the page gives them back.
    """

    text: str
    columns: int = 1
    is_bold: bool = False
    is_shaded: bool = False
    continues: bool = False
    blocks: tuple[Block, ...] = ()


_TEXT, _CONTINUES = attrgetter("text"), attrgetter("continues")


class Row(NamedTuple):
    """A row's cells, each repeated for every column it spans (the repetitions are empty)."""

    cells: tuple[Cell, ...]
    is_header: bool = False


def cell_of(blocks: Iterable[Block], **looks: bool | int) -> Cell:
    """Return the cell with these blocks.

    Asides are no part of its text, a table inside has no columns there, and a single bullet says nothing.
    """
    kept = tuple([block for block in blocks if block.text or block.inside])
    if len(kept) == 1 and kept[0][1:] == _NO_LOOKS and "\n" not in kept[0].text:
        return Cell(kept[0].text, **looks)  # type: ignore[arg-type]  # the looks are fields
    text = "\n".join(_text_in_cell(block) for block in kept if not block.is_aside)
    if len(kept) == 1 and kept[0].is_item:
        text = text.lstrip().removeprefix(_BULLET)
    is_plain = len(kept) == 1 and "\n" not in text and not (kept[0].kind or kept[0].is_aside or kept[0].inside)
    return Cell(text, blocks=() if is_plain else kept, **looks)  # type: ignore[arg-type]  # the looks are fields


def _text_in_cell(block: Block) -> str:
    return block.text.replace(BETWEEN, ", ") if block.kind is SpanKind.TABLE else block.text


def check_cells(count: int) -> None:
    """Refuse a table of too many cells.

    Raises:
        IngestionFailed: there are more than can be read.
    """
    if count > MAX_CELLS:
        raise IngestionFailed(FailureCode.TOO_COMPLEX, f"a table has more than {MAX_CELLS} cells")


def merged_down(cells: Iterable[Cell], rows: list[Row]) -> tuple[Cell, ...]:
    """Return a row's cells, in which those that continue the cell above repeat its text."""
    cells = tuple(cells)
    if not any(map(_CONTINUES, cells)):
        return cells
    above = rows[-1].cells if rows else ()
    return tuple(
        _repeated(above[place]) if cell.continues and place < len(above) else cell for place, cell in enumerate(cells)
    )


class EdgedRow(NamedTuple):
    """A row whose cells are told by where they end: `edges` are the left edge of the row and each cell's right one."""

    cells: tuple[Cell, ...]
    edges: tuple[int, ...] = ()
    is_header: bool = False


def rows_by_edges(edged: list[EdgedRow]) -> list[Row]:
    """Return rows in which cells that stand above each other are in the same column; wide cells span several."""
    grid = _grid(edge for row in edged for edge in row.edges)
    rows: list[Row] = []
    for row in edged:
        rows.append(Row(merged_down(_on_grid(row, grid), rows), row.is_header))
    return rows


def _grid(edges: Iterable[int]) -> list[int]:
    """Return the distinct edges, those that nearly touch as one; none where there are too many."""
    grid: list[int] = []
    for edge in sorted(set(edges)):
        if not grid or edge - grid[-1] > _TOUCHING:
            grid.append(edge)
    return grid if len(grid) <= MAX_COLUMNS else []


def _on_grid(row: EdgedRow, grid: list[int]) -> Iterator[Cell]:
    places = [bisect_right(grid, edge) for edge in row.edges] if grid else []
    if len(places) != len(row.cells) + 1:
        yield from row.cells
        return
    yield from [Cell("")] * (places[0] - 1)
    for cell, (left, right) in zip(row.cells, pairwise(places), strict=True):
        yield cell._replace(columns=max(1, right - left))
        yield from [Cell("")] * (right - left - 1)


def table_blocks(rows: list[Row]) -> list[Block]:
    """Return a table's block and its asides; what only places text on the page gives its paragraphs."""
    filled = [[cell for cell in row.cells if cell.text.strip() or cell.blocks] for row in rows]
    if max(map(len, filled), default=0) < _SEVERAL or any(
        len(cell.text) > LONG_CELL and _is_long(cell) for row in filled for cell in row
    ):
        return [block for row in filled for cell in row for block in cell.blocks or (Block(cell.text),)]
    asides = [block for row in filled for cell in row for block in cell.blocks if block.is_aside]
    lines = table_lines([Row(tuple(map(_on_one_line, row.cells)), row.is_header) for row in rows])
    return [Block("\n".join(lines), SpanKind.TABLE), *asides]


def table_lines(rows: list[Row]) -> list[str]:
    """Return a line for each row; below a header row, every value stands with its column's name.

    Rows of one cell above it are titles: they stand for themselves.
    """
    titles, table = _titles_and_table(rows)
    lines = [_plain_line(row) for row in titles]
    if not _has_header(table):
        return lines + [_plain_line(row) for row in table]
    names = [cell.text for cell in table[0].cells]
    return [*lines, _plain_line(table[0]), *named_lines(table[1:], names)]


def column_names(rows: list[Row]) -> tuple[str, ...]:
    """Return the names of a table's columns; empty where it has none."""
    _titles, table = _titles_and_table(rows)
    return tuple(cell.text for cell in table[0].cells) if _has_header(table) else ()


def named_lines(rows: Iterable[Row], names: Sequence[str]) -> list[str]:
    """Return a line for each row in which values stand with the names of their columns."""
    return [_named_values(row, names) for row in rows if any(map(_TEXT, row.cells))]


def _titles_and_table(rows: list[Row]) -> tuple[list[Row], list[Row]]:
    rows = [row for row in rows if any(map(_TEXT, row.cells))]
    titles = _count_titles(rows)
    return rows[:titles], _with_one_header(rows[titles:])


def _is_long(cell: Cell) -> bool:
    """Whether a cell of so many characters holds several paragraphs."""
    return len(cell.blocks) > 1 if cell.blocks else "\n" in cell.text


def _repeated(cell: Cell) -> Cell:
    """What a merged cell leaves in the rows below: its text if it is a label, nothing if it is more than that."""
    return Cell(cell.text if len(cell.text) <= LONG_LABEL else "", cell.columns, cell.is_bold, cell.is_shaded)


def _on_one_line(cell: Cell) -> Cell:
    text = cell.text
    if not cell.blocks and text.isprintable() and "  " not in text and text == text.strip():
        return cell
    return Cell(" ".join(text.split()), cell.columns, cell.is_bold, cell.is_shaded)


def _named_values(row: Row, names: Sequence[str]) -> str:
    values = []
    for place, cell in enumerate(row.cells):
        name = names[place] if place < len(names) else ""
        if cell.text:
            values.append(f"{name}: {cell.text}" if name and name != cell.text else cell.text)
    return BETWEEN.join(values)


def _plain_line(row: Row) -> str:
    return BETWEEN.join(cell.text for cell in row.cells if cell.text)


def _count_titles(rows: list[Row]) -> int:
    """How many rows that have their first cell only stand above a table of several columns."""
    filled = ([place for place, cell in enumerate(row.cells) if cell.text] for row in rows)
    return next((place for place, places in enumerate(filled) if places != [0]), 0)


def _with_one_header(rows: list[Row]) -> list[Row]:
    """Join the header rows into one: every column gets the names above it, if they stay short."""
    count = next((place for place, row in enumerate(rows) if not row.is_header), len(rows))
    if not _SEVERAL <= count < len(rows):
        return rows
    header = joined_header(rows[:count])
    if max(len(cell.text) for cell in header.cells) > LONG_HEADER:
        return rows
    return [header, *rows[count:]]


def joined_header(rows: list[Row]) -> Row:
    """Return header rows as one: every column gets the names above it, each once."""
    width = max(len(row.cells) for row in rows)
    spread = [_spread(row, width) for row in rows]
    names = (" ".join(dict.fromkeys(filter(None, column))) for column in zip(*spread, strict=True))
    return Row(tuple(Cell(name, is_bold=True) for name in names), is_header=True)


def _spread(row: Row, width: int) -> list[str]:
    """The texts of a row, each in every column that it spans."""
    texts: list[str] = []
    spanned, left = "", 0
    for cell in row.cells:
        spanned, left = (spanned, left - 1) if left else (cell.text, cell.columns - 1)
        texts.append(spanned)
    return texts + [""] * (width - len(texts))


def _has_header(rows: list[Row]) -> bool:
    if len(rows) < _SEVERAL or len(rows[0].cells) < _SEVERAL:
        return False
    first, second = rows[0], rows[1]
    if first.is_header:
        return True
    if sum(bool(cell.text) for cell in second.cells) < _SEVERAL:
        return False
    names = [cell.text for cell in first.cells]
    if not all(0 < len(name) <= LONG_HEADER for name in names) or len(set(names)) < len(names):
        return False
    stands_out = _all_bold(first) > _all_bold(second) or _all_shaded(first) > _all_shaded(second)
    return stands_out or (len(names) > _SEVERAL and _heads_numbers(rows))


def _heads_numbers(rows: list[Row]) -> bool:
    """Whether the first row has words only and some column below it numbers, or several words with figures in each."""
    if any(_NUMBER.fullmatch(cell.text) for cell in rows[0].cells):
        return False
    columns = list(zip(*(row.cells for row in rows[1:] if len(row.cells) == len(rows[0].cells)), strict=True))
    if any(all(_NUMBER.fullmatch(cell.text) for cell in column) for column in columns):
        return True
    if len(rows) <= _SEVERAL_ROWS or any(_DIGIT.search(cell.text) for cell in rows[0].cells):
        return False
    return any(all(_DIGIT.search(cell.text) for cell in column) for column in columns if column)


def _all_bold(row: Row) -> bool:
    return all(cell.is_bold for cell in row.cells)


def _all_shaded(row: Row) -> bool:
    return all(cell.is_shaded for cell in row.cells)
