"""Tables of HTML pages, as the walk through a page finds them."""

from __future__ import annotations

from dataclasses import dataclass, field

from knowledge_base.adapters.parsing.blocks import Block
from knowledge_base.adapters.parsing.tables import MAX_COLUMNS, Cell, Row, joined_header, table_blocks

_MAX_ROWS_SPANNED = 1_000
_SEVERAL = 2


@dataclass(slots=True)
class OpenTable:
    """A table that is being read; `spans` are cells that reach into rows to come: column → (rows left, text)."""

    rows: list[Row] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    spans: dict[int, tuple[int, Cell]] = field(default_factory=dict)
    _later: dict[int, tuple[int, Cell]] = field(default_factory=dict)
    inner: list[Block] = field(default_factory=list)
    is_layout: bool = False
    in_head: bool = False

    def add_cell(self, text: str, attributes: dict[str, str | None], *, is_header: bool) -> None:
        """Append a cell, behind those that reach down into its place."""
        self._fill()
        columns = _number(attributes.get("colspan"), MAX_COLUMNS)
        rows = _number(attributes.get("rowspan"), _MAX_ROWS_SPANNED)
        cell = Cell(text, columns, is_bold=is_header)
        for place in range(columns):
            piece = cell if place == 0 else Cell("", is_bold=is_header)
            if rows > 1 and len(self.cells) < MAX_COLUMNS:
                self._later[len(self.cells)] = (rows - 1, piece)
            if len(self.cells) < MAX_COLUMNS:
                self.cells.append(piece)

    def end_row(self) -> None:
        """Close a row."""
        if not self.cells:
            return
        self._fill()
        self.rows.append(Row(tuple(self.cells), self.in_head))
        self.cells = []
        self.spans, self._later = self.spans | self._later, {}

    def blocks(self) -> list[Block]:
        """Return the table as one block, or the blocks of its cells where it only places them on the page."""
        self.end_row()
        is_layout = self.is_layout or any(block.kind for block in self.inner)
        if is_layout or max((len(row.cells) for row in self.rows), default=0) < _SEVERAL:
            return self.inner
        return table_blocks(_with_one_header(self.rows))

    def _fill(self) -> None:
        while (place := len(self.cells)) in self.spans:
            left, cell = self.spans.pop(place)
            self.cells.append(cell)
            if left > 1:
                self._later[place] = (left - 1, cell)


def _number(value: str | None, most: int) -> int:
    text = (value or "").strip()
    return max(1, min(int(text), most)) if text.isdecimal() and len(text) < 6 else 1


def _with_one_header(rows: list[Row]) -> list[Row]:
    """Join the rows of a table's head into one: every column gets the names above it."""
    count = next((place for place, row in enumerate(rows) if not row.is_header), len(rows))
    if count < _SEVERAL:
        return rows
    return [joined_header(rows[:count]), *rows[count:]]
