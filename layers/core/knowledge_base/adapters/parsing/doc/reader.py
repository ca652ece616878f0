"""DOC: the binary files of Word 6 to 2003, fast-saved ones too."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from knowledge_base.adapters.parsing.doc.blocks import Block, join_surrogates, table_blocks, tidy, write_document
from knowledge_base.adapters.parsing.doc.fib import PARTS, Head, read_head
from knowledge_base.adapters.parsing.doc.lists import read_lists
from knowledge_base.adapters.parsing.doc.ole import holds_word, read_streams, read_title
from knowledge_base.adapters.parsing.doc.pieces import Pieces
from knowledge_base.adapters.parsing.doc.properties import Paragraph, Paragraphs, is_unseen, unseen_ranges
from knowledge_base.adapters.parsing.doc.styles import read_styles
from knowledge_base.adapters.parsing.docx.styles import ListPlace
from knowledge_base.adapters.parsing.docx.tables import Cell, Row
from knowledge_base.adapters.parsing.format import Format, Hints
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

MEDIA_TYPE = "application/msword"
_PARAGRAPH = re.compile("([^\r\x07\x0c]*)([\r\x07\x0c]|$)")
_FIELD_MARKS = re.compile("[\x13\x14\x15]")
_ERASED = re.compile("[^\r\x07\x13-\x15]")
_SIGNS = {0x0B: "\n", 0x0E: "\n", 0x1E: "\u2011", 0x1F: "\xad", 0xA0: " ", 0x02: "", 0x05: "", 0x28: "("}
_CELL = "\x07"
_NOTES = {"footnote_refs": ("footnotes", "footnote_texts", ""), "endnote_refs": ("endnotes", "endnote_texts", "e")}


@dataclass(slots=True)
class _Table:
    """A table that is being read."""

    rows: list[Row] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def end_cell(self) -> None:
        self.cells.append(Cell("\n".join(text for text in self.texts if text)))
        self.texts = []

    def end_row(self, is_header: bool) -> None:
        if any(self.texts):
            self.end_cell()
        self.rows.append(Row(tuple(self.cells), is_header))
        self.cells, self.texts = [], []

    def blocks(self) -> list[Block]:
        if self.cells or any(self.texts):
            self.end_row(False)
        found = table_blocks(self.rows) if self.rows else []
        self.rows = []
        return found


class _Reader:
    """Turns the characters of a document into blocks."""

    def __init__(self, head: Head) -> None:
        self._pieces = Pieces(head)
        self._paragraphs = Paragraphs(head)
        self._styles, self._titles = read_styles(head)
        self._lists = read_lists(head)
        self._parts = _part_bounds(head)
        self._text = self._final_text(head)
        self._notes = dict(_notes(head, self._parts))
        self.title = ""

    def blocks(self) -> Iterator[Block]:
        yield from self._blocks_of("text")
        for part in ("footnotes", "endnotes"):
            yield from self._unreferenced(part)
        yield from self._blocks_of("boxes")

    def margins(self) -> list[str]:
        return [block.text for part in ("margins", "margin_boxes") for block in self._blocks_of(part)]

    def _final_text(self, head: Head) -> str:
        """The characters without those that are deleted or hidden and without the codes of fields."""
        text = self._pieces.text()
        ranges = list(self._pieces.positions(unseen_ranges(head)))
        ranges += [(p.start, p.end) for p in self._pieces.pieces if _is_changed_away(p.change, head)]
        text = _erase(text, sorted(ranges), _ERASED)
        return _erase(text, _field_codes(text), re.compile("[^\x07]"))

    def _blocks_of(self, part: str) -> Iterator[Block]:
        start, end = self._parts[part]
        table = _Table()
        for match in _PARAGRAPH.finditer(self._text, start, end):
            properties = self._paragraphs.at(self._pieces.offset_of(match.end() - 1), self._styles)
            if match[2] == _CELL or properties.in_table:
                self._read_in_table(table, match, properties)
                continue
            yield from table.blocks()
            yield from self._read_paragraph(match, properties)
        yield from table.blocks()

    def _read_in_table(self, table: _Table, match: re.Match[str], properties: Paragraph) -> None:
        if properties.ends_row and not properties.is_inner:
            table.end_row(properties.is_header)
            return
        text = self._labelled(self._words(match), properties)
        table.texts += [text, *(block.text for block in self._attached(match))]
        if match[2] == _CELL:
            table.end_cell()

    def _read_paragraph(self, match: re.Match[str], properties: Paragraph) -> Iterator[Block]:
        text = self._words(match)
        level = properties.outline or int(properties.style in self._titles)
        if text and properties.style in self._titles:
            self.title = self.title or text
        labelled = self._labelled(text, properties)
        if level:
            yield Block(labelled, SpanKind.HEADING, level)
        elif properties.list_use:
            yield Block(f"{'  ' * min(properties.list_level, 9)}{labelled}" if labelled else "", is_item=True)
        else:
            yield Block(labelled)
        yield from self._attached(match)

    def _labelled(self, text: str, properties: Paragraph) -> str:
        if not text or not 0 < properties.list_use < 0xF801:
            return text
        label = self._lists.next_label(ListPlace(str(properties.list_use), properties.list_level))
        return f"{label} {text}" if label else text

    def _words(self, match: re.Match[str]) -> str:
        raw = match[1]
        if "\x02" in raw:
            marks = [(place, self._notes[place][0]) for place in _places(match) if place in self._notes]
            for place, mark in reversed(marks):
                raw = raw[: place - match.start()] + mark + raw[place - match.start() + 1 :]
        return tidy(join_surrogates(raw.translate(_SIGNS)))

    def _attached(self, match: re.Match[str]) -> Iterator[Block]:
        for place in _places(match):
            if place in self._notes:
                mark, start, end = self._notes[place]
                text = " ".join(self._plain(start, end).split())
                yield Block(f"{mark}: {text}" if text else "")

    def _plain(self, start: int, end: int) -> str:
        return tidy(join_surrogates(re.sub("[\r\x07\x0c]", "\n", self._text[start:end]).translate(_SIGNS)))

    def _unreferenced(self, part: str) -> Iterator[Block]:
        """Notes whose references are not known follow the text as they are."""
        start, end = self._parts[part]
        if not any(start <= begin < end for _mark, begin, _end in self._notes.values()):
            yield from self._blocks_of(part)


def _places(match: re.Match[str]) -> list[int]:
    return [match.start() + place.start() for place in re.finditer("\x02", match[1])]


def _part_bounds(head: Head) -> dict[str, tuple[int, int]]:
    bounds, start = {}, 0
    for name in PARTS:
        bounds[name] = (start, start + head.lengths[name])
        start += head.lengths[name]
    return bounds


def _is_changed_away(change: bytes, head: Head) -> bool:
    """Whether a fast save has deleted or hidden a whole piece; a change of two bytes is a short code."""
    if len(change) == 2:
        return is_unseen(change, is_old=True)
    return is_unseen(change, head.is_old)


def _erase(text: str, ranges: list[tuple[int, int]], what: re.Pattern[str]) -> str:
    pieces, last = [], 0
    for start, end in ranges:
        if end > last:
            begin = max(start, last)
            pieces += [text[last:begin], what.sub("\x00", text[begin:end])]
            last = end
    return "".join((*pieces, text[last:]))


def _field_codes(text: str) -> list[tuple[int, int]]:
    """Return where the codes of fields are: from their begin to what they show, or to their end."""
    found: list[tuple[int, int]] = []
    open_fields: list[int] = []
    for match in _FIELD_MARKS.finditer(text):
        if match[0] == "\x13":
            open_fields.append(match.start())
        elif open_fields and match[0] == "\x14":
            if open_fields[-1] >= 0:
                found.append((open_fields[-1], match.end()))
            open_fields[-1] = -1
        elif open_fields:
            start = open_fields.pop()
            found.append((start if start >= 0 else match.start(), match.end()))
    return sorted(found)


def _notes(head: Head, parts: dict[str, tuple[int, int]]) -> Iterator[tuple[int, tuple[str, int, int]]]:
    """Yield, by the position of its reference, a note's mark and where its text is."""
    for references, (part, texts, prefix) in _NOTES.items():
        table = head.table(references)
        positions = _positions(table, max(0, (len(table) - 4) // 6))
        text_table = head.table(texts)
        bounds = _positions(text_table, max(0, len(text_table) // 4 - 1))
        start, end = parts[part]
        for index, position in enumerate(positions[: len(bounds) - 1]):
            begin, stop = start + bounds[index], start + bounds[index + 1]
            if start <= begin <= stop <= end:
                yield position, (f"[^{prefix}{index + 1}]", begin, stop)


def _positions(table: bytes, count: int) -> list[int]:
    return list(struct.unpack_from(f"<{count}I", table, 0)) if count and len(table) >= 4 * count else []


def _read(content: bytes, _hints: Hints) -> ParsedDocument:
    reader = _Reader(read_head(read_streams(content)))
    blocks = list(reader.blocks())
    title = read_title(content) or reader.title
    return write_document(blocks, MEDIA_TYPE, title=title, margins=reader.margins())


FORMAT = Format("an old Word document", holds_word, _read, ("olefile",))
