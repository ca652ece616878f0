"""Where the text of an RTF file goes to."""

from __future__ import annotations

from dataclasses import dataclass, field

from knowledge_base.adapters.parsing.blocks import Block, join_surrogates, tidy
from knowledge_base.adapters.parsing.field_codes import shown_text
from knowledge_base.adapters.parsing.list_numbers import item_text
from knowledge_base.adapters.parsing.rtf.state import Look
from knowledge_base.adapters.parsing.tables import Cell, EdgedRow, cell_of, check_cells, rows_by_edges, table_blocks
from knowledge_base.domain.parsed import SpanKind

_MAX_COLUMNS = 500
_MANY_PIECES = 4_096


@dataclass(slots=True)
class Sink:
    """The body, a note, a text box or a margin, each with its paragraphs and tables; notes have a label."""

    label: str = ""
    is_margin: bool = False
    blocks: list[Block] = field(default_factory=list)
    _attached: list[Block] = field(default_factory=list)
    _pieces: list[str] = field(default_factory=list)
    _cell: list[Block] = field(default_factory=list)
    _cells: list[Cell] = field(default_factory=list)
    _rows: list[EdgedRow] = field(default_factory=list)
    _edges: list[int] = field(default_factory=list)
    _merges: list[bool] = field(default_factory=list)
    _next_merges: bool = False
    _is_header: bool = False
    _has_bold: bool = False
    _has_plain: bool = False
    _count: int = 0

    def add(self, text: str, *, is_bold: bool = False) -> None:
        """Append characters to the paragraph."""
        self._pieces.append(text)
        if len(self._pieces) > _MANY_PIECES:
            self._pieces = ["".join(self._pieces)]
        if is_bold:
            self._has_bold = True
        elif not text.isspace():
            self._has_plain = True

    def attach(self, blocks: list[Block]) -> None:
        """Add what hangs on the paragraph."""
        self._attached += blocks

    def take(self) -> list[Block]:
        """Return the blocks so far, and forget them."""
        taken, self.blocks = self.blocks, []
        return taken

    def end_paragraph(self, look: Look, level: int) -> None:
        """Close a paragraph; those in a table belong to its cell."""
        if not (self._pieces or self._attached or self._rows or self._cell or self._cells):
            return
        block = self._paragraph(look, level)
        if look.in_table:
            self._cell += [block, *self._attached] if block.text else self._attached
        else:
            self._end_table()
            self.blocks += [block, *self._attached] if block.text else self._attached
        self._attached = []

    def end_cell(self) -> None:
        """Close a cell."""
        self.end_paragraph(Look(in_table=True), 0)
        place = len(self._cells)
        is_merged = place < len(self._merges) and self._merges[place]
        is_bold = self._has_bold and not self._has_plain
        self._cells.append(cell_of(self._cell, is_bold=is_bold, continues=is_merged))
        self._cell, self._has_bold, self._has_plain = [], False, False
        self._count += 1
        check_cells(self._count)
        if place + 1 >= _MAX_COLUMNS:
            self.end_row()

    def end_row(self) -> None:
        """Close a row."""
        if self._cells:
            self._rows.append(EdgedRow(tuple(self._cells), tuple(self._edges), self._is_header))
        self._cells = []

    def begin_row(self) -> None:
        """Forget the definition of the row before."""
        self._merges, self._next_merges, self._is_header = [], False, False
        self._edges = [0]

    def set_left_edge(self, edge: int) -> None:
        """Note where the row begins."""
        self._edges[:1] = [edge]

    def mark_header(self) -> None:
        """Note that the row names the columns."""
        self._is_header = True

    def mark_merge(self) -> None:
        """Note that the next cell to be defined continues the one above."""
        self._next_merges = True

    def define_cell(self, edge: int) -> None:
        """Close the definition of a cell that ends at an edge."""
        if len(self._merges) < _MAX_COLUMNS:
            self._merges.append(self._next_merges)
            self._edges.append(edge)
        self._next_merges = False

    def finish(self) -> list[Block]:
        """Close what is open, and return the blocks that are left."""
        if "".join(self._pieces).strip():
            self.end_paragraph(Look(in_table=bool(self._cells)), 0)
        self._end_table()
        self.blocks += self._attached
        self._attached = []
        return self.take()

    def _paragraph(self, look: Look, level: int) -> Block:
        text = tidy(join_surrogates(shown_text("".join(self._pieces))))
        self._pieces = []
        if look.is_item and not level:
            return Block(item_text("", text, look.list_level), is_item=True)
        return Block(text, SpanKind.HEADING if level else None, level)

    def _end_table(self) -> None:
        if self._cell:
            self.end_cell()
        self.end_row()
        if self._rows:
            self.blocks += table_blocks(rows_by_edges(self._rows))
        self._rows, self._count = [], 0
        self._has_bold = self._has_plain = False
