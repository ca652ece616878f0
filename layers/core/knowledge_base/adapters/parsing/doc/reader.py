"""DOC: the binary files of Word 2 to 2003, fast-saved ones too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from knowledge_base.adapters.parsing.blocks import Block, write_document
from knowledge_base.adapters.parsing.doc.fib import read_head
from knowledge_base.adapters.parsing.doc.lists import read_lists
from knowledge_base.adapters.parsing.doc.paragraphs import Paragraph, Paragraphs, check_paragraphs
from knowledge_base.adapters.parsing.doc.story import Story
from knowledge_base.adapters.parsing.doc.streams import Streams, holds_word, read_streams
from knowledge_base.adapters.parsing.doc.styles import read_styles
from knowledge_base.adapters.parsing.docx.styles import ListPlace
from knowledge_base.adapters.parsing.format import Format, Hints
from knowledge_base.adapters.parsing.list_numbers import item_text
from knowledge_base.adapters.parsing.ole_container import LIBRARY
from knowledge_base.adapters.parsing.tables import EdgedRow, cell_of, rows_by_edges, table_blocks
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

MEDIA_TYPE = "application/msword"
_CELL = "\x07"
_LAST_LIST = 0xF801


@dataclass(slots=True)
class _Table:
    """A table that is being read."""

    rows: list[EdgedRow] = field(default_factory=list)
    cells: list[list[Block]] = field(default_factory=list)
    cell: list[Block] = field(default_factory=list)

    def end_cell(self) -> None:
        self.cells.append(self.cell)
        self.cell = []

    def end_row(self, properties: Paragraph) -> None:
        if self.cell:
            self.end_cell()
        continues = (*properties.continues, *[False] * len(self.cells))
        cells = [cell_of(cell, continues=goes_on) for cell, goes_on in zip(self.cells, continues, strict=False)]
        self.rows.append(EdgedRow(tuple(cells), properties.edges, properties.is_header))
        self.cells = []

    def take(self) -> list[Block]:
        if self.cells or self.cell:
            self.end_row(Paragraph())
        found = table_blocks(rows_by_edges(self.rows)) if self.rows else []
        self.rows = []
        return found


class _Reader:
    """Turns the characters of a document into blocks."""

    def __init__(self, streams: Streams) -> None:
        head = read_head(streams)
        styles, self._titles = read_styles(head)
        self._paragraphs = Paragraphs(head, styles)
        self._lists = read_lists(head)
        self._story = Story(head, streams.data)
        self.title = streams.title

    def read(self) -> ParsedDocument:
        blocks = list(self._blocks())
        margins = [block.text for part in ("margins", "margin_boxes") for block in self._blocks_of(part)]
        has_pictures = self._story.has_pictures
        return write_document(blocks, MEDIA_TYPE, title=self.title, margins=margins, has_pictures=has_pictures)

    def _blocks(self) -> Iterator[Block]:
        yield from self._blocks_of("text")
        for part in ("footnotes", "endnotes"):
            yield from self._unreferenced(part)
        yield from self._blocks_of("boxes")

    def _blocks_of(self, part: str) -> Iterator[Block]:
        table = _Table()
        for count, paragraph in enumerate(self._story.paragraphs(part)):
            check_paragraphs(count)
            properties = self._paragraphs.at(self._story.offset_of_mark(paragraph))
            if paragraph[2] == _CELL or properties.in_table:
                self._read_in_table(table, paragraph, properties)
                continue
            yield from table.take()
            yield from self._read_paragraph(paragraph, properties)
        yield from table.take()

    def _read_in_table(self, table: _Table, paragraph: re.Match[str], properties: Paragraph) -> None:
        if properties.ends_row and not properties.is_inner:
            table.end_row(properties)
            return
        table.cell.extend(block for block in self._read_paragraph(paragraph, properties) if block.text)
        if paragraph[2] == _CELL and not properties.is_inner:
            table.end_cell()

    def _read_paragraph(self, paragraph: re.Match[str], properties: Paragraph) -> Iterator[Block]:
        text = self._story.words(paragraph)
        level = properties.outline or int(properties.style in self._titles)
        self.title = self.title or (text if properties.style in self._titles else "")
        label = self._label(properties) if text else ""
        if level:
            yield Block(f"{label} {text}".lstrip(), SpanKind.HEADING, level)
        elif properties.list_use:
            yield Block(item_text(label, text, properties.list_level), is_item=True)
        else:
            yield Block(text)
        for place in self._story.references(paragraph):
            note = self._story.notes[place]
            line = self._story.line((note.start, note.end))
            yield Block(f"{note.label}: {line}" if line else "", is_aside=True)

    def _label(self, properties: Paragraph) -> str:
        if not 0 < properties.list_use < _LAST_LIST:
            return ""
        return self._lists.next_label(ListPlace(str(properties.list_use), properties.list_level))

    def _unreferenced(self, part: str) -> Iterator[Block]:
        """Notes whose references are not known follow the text as they are."""
        start, end = self._story.parts[part]
        if not any(start <= note.start < end for note in self._story.notes.values()):
            yield from self._blocks_of(part)


def _read(content: bytes, _hints: Hints) -> ParsedDocument:
    return _Reader(read_streams(content)).read()


FORMAT = Format("an old Word document", holds_word, _read, (LIBRARY,))
