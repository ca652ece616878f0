"""What holds where in an RTF file: the state of a group, the tables in the head, and where text goes to."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from knowledge_base.adapters.parsing.doc.blocks import Block, join_surrogates, table_blocks, tidy
from knowledge_base.adapters.parsing.docx.tables import Cell, Row
from knowledge_base.domain.parsed import SpanKind

_HEADING_NAME = re.compile(r"(?:heading|标题|標題|überschrift|titre|título|titolo|заголовок|見出し|제목) ?(\d)", re.I)
_MAX_CELLS = 500


@dataclass(slots=True)
class State:
    """What a group inherits and may change."""

    destination: str = ""
    font: int = -1
    fallback_length: int = 1
    is_unseen: bool = False
    is_deleted: bool = False
    is_bold: bool = False
    in_alternative: bool = False

    def copy(self) -> State:
        """Return the state that a group begins with."""
        return State(
            self.destination,
            self.font,
            self.fallback_length,
            self.is_unseen,
            self.is_deleted,
            self.is_bold,
            False,
        )


@dataclass(slots=True)
class Look:
    """What a paragraph is: which style, outline level, and whether it stands in a table."""

    style: int = -1
    outline: int = -1
    in_table: bool = False
    is_item: bool = False


@dataclass(slots=True)
class StyleSheet:
    """Heading levels by style."""

    levels: dict[int, int] = field(default_factory=dict)
    titles: set[int] = field(default_factory=set)

    def add(self, number: int, name: str, outline: int) -> None:
        """Note a style; its name counts where it has no outline level of its own."""
        plain = name.strip().rstrip(";").strip()
        named = _HEADING_NAME.match(plain)
        level = outline + 1 if 0 <= outline < 9 else int(named[1]) if named else 0
        if level:
            self.levels[number] = level
        if plain.lower() == "title":
            self.titles.add(number)

    def level_of(self, look: Look) -> int:
        """Return the level of a paragraph as a heading, 0 for body text."""
        if 0 <= look.outline < 9:
            return look.outline + 1
        return self.levels.get(look.style, int(look.style in self.titles))


@dataclass(slots=True)
class Sink:
    """Where text goes to: the body, a note, a text box or a margin, each with its paragraphs and tables."""

    mark: str = ""
    blocks: list[Block] = field(default_factory=list)
    attached: list[Block] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    cell: list[str] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    merges: list[bool] = field(default_factory=list)
    next_merges: bool = False
    is_header: bool = False
    bold: int = 0
    plain: int = 0

    def add(self, text: str, is_bold: bool) -> None:
        """Append characters to the paragraph."""
        self.pieces.append(text)
        if text.strip():
            self.bold, self.plain = self.bold + is_bold, self.plain + (not is_bold)

    def take(self) -> str:
        """Return the paragraph's text, and begin a new one."""
        text = tidy(join_surrogates("".join(self.pieces)))
        self.pieces = []
        return text

    def end_paragraph(self, look: Look, level: int) -> None:
        """Close a paragraph; those in a table belong to its cell."""
        text = self.take()
        if look.in_table:
            self.cell += [text, *(block.text for block in self.attached)]
        else:
            self.end_table()
            is_item = look.is_item and not level
            self.blocks.append(Block(text, SpanKind.HEADING if level else None, level, is_item))
            self.blocks += self.attached
        self.attached = []

    def end_cell(self) -> None:
        """Close a cell."""
        self.end_paragraph(Look(in_table=True), 0)
        text = "\n".join(text for text in self.cell if text)
        self.cells.append(Cell(text, is_bold=bool(self.bold and not self.plain)))
        if len(self.cells) >= _MAX_CELLS:
            self.end_row()
        self.cell, self.bold, self.plain = [], 0, 0

    def end_row(self) -> None:
        """Close a row; cells merged downwards repeat the text above."""
        above = self.rows[-1].cells if self.rows else ()
        merged = [
            above[place] if place < len(self.merges) and self.merges[place] and place < len(above) else cell
            for place, cell in enumerate(self.cells)
        ]
        if merged:
            self.rows.append(Row(tuple(merged), self.is_header))
        self.cells = []

    def begin_row(self) -> None:
        """Forget the definition of the row before."""
        self.merges, self.next_merges, self.is_header = [], False, False

    def end_table(self) -> None:
        """Close a table, and a cell or row that was left open."""
        if any(self.cell):
            self.end_cell()
        if self.cells:
            self.end_row()
        if self.rows:
            self.blocks += table_blocks(self.rows)
            self.rows = []

    def finish(self) -> list[Block]:
        """Close what is open, and return all blocks."""
        if "".join(self.pieces).strip():
            self.end_paragraph(Look(in_table=bool(self.cells)), 0)
        self.end_table()
        self.blocks += self.attached
        self.attached = []
        return self.blocks
