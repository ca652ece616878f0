"""The properties of paragraphs in an old Word document ([MS-DOC] 2.6.2, 2.9.175)."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace

from knowledge_base.adapters.parsing.doc.fib import Head
from knowledge_base.adapters.parsing.doc.properties import PAGE, changes_of, pages_of, ranges_of
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed

MAX_PARAGRAPHS = 1_000_000
_LEVEL, _LIST, _LIST_LEVEL = 0x2640, 0x460B, 0x260A
_IN_TABLE, _ROW_END, _HEADER_ROW = (0x2416, 24), (0x2417, 25), (0x3404, 186)
_INNER_CELL, _INNER_ROW = 0x244B, 0x244C
_DEFINITION = (0xD608, 190)
_CELL, _OLD_CELL = 20, 10
_MERGED_DOWN, _MERGE_BEGINS = 0x20, 0x40
_BODY_LEVEL = 9


@dataclass(frozen=True, slots=True)
class Paragraph:
    """What is known of a paragraph; `outline` is None where nothing is said, 0 for body text.

    One that ends a row of a table knows the edges of its cells, and which of them continue the cell above.
    """

    style: int = 0
    outline: int | None = None
    list_use: int = 0
    list_level: int = 0
    in_table: bool = False
    ends_row: bool = False
    is_header: bool = False
    is_inner: bool = False
    edges: tuple[int, ...] = ()
    continues: tuple[bool, ...] = ()


def check_paragraphs(count: int) -> None:
    """Refuse a document of too many paragraphs.

    Raises:
        IngestionFailed: there are more than can be read.
    """
    if count > MAX_PARAGRAPHS:
        raise IngestionFailed(FailureCode.TOO_COMPLEX, f"the file has more than {MAX_PARAGRAPHS} paragraphs")


def apply(paragraph: Paragraph, properties: bytes, is_old: bool) -> Paragraph:
    """Return a paragraph with some properties changed."""
    changes = dict(changes_of(properties, is_old))
    if not changes:
        return paragraph
    values = {code: int.from_bytes(operand[:2], "little") for code, operand in changes.items()}
    flags = {code: operand[:1] > b"\x00" for code, operand in changes.items()}
    level = values.get(_LEVEL)
    edges, continues = _cells(next((changes[code] for code in _DEFINITION if code in changes), b""), is_old)
    return replace(
        paragraph,
        outline=paragraph.outline if level is None else level + 1 if level < _BODY_LEVEL else 0,
        list_use=values.get(_LIST, paragraph.list_use),
        list_level=values.get(_LIST_LEVEL, paragraph.list_level),
        in_table=_flag(flags, _IN_TABLE, paragraph.in_table),
        ends_row=_flag(flags, _ROW_END, paragraph.ends_row),
        is_header=_flag(flags, _HEADER_ROW, paragraph.is_header),
        is_inner=_flag(flags, (_INNER_CELL, _INNER_ROW), paragraph.is_inner),
        edges=edges,
        continues=continues,
    )


def _flag(flags: dict[int, bool], codes: tuple[int, int], otherwise: bool) -> bool:
    return next((flags[code] for code in codes if code in flags), otherwise)


def _cells(definition: bytes, is_old: bool) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    """Return the edges of a row's cells, and which of them continue the cell above ([MS-DOC] 2.9.328)."""
    count, size = definition[0] if definition else 0, _OLD_CELL if is_old else _CELL
    behind_edges = 1 + 2 * (count + 1)
    if not count or len(definition) < behind_edges:
        return (), ()
    cells = [definition[place : place + 2] for place in range(behind_edges, behind_edges + count * size, size)]
    flags = [int.from_bytes(cell, "little") for cell in cells]
    continues = tuple(bool(flag & _MERGED_DOWN) and not flag & _MERGE_BEGINS for flag in flags)
    return struct.unpack_from(f"<{count + 1}h", definition, 1), () if is_old else continues


class Paragraphs:
    """Finds what is known of the paragraph that a byte of the document belongs to."""

    def __init__(self, head: Head, styles: dict[int, Paragraph]) -> None:
        """Read the paragraphs.

        Raises:
            IngestionFailed: there are more than can be read.
        """
        self._is_old, self._styles = head.is_old, styles
        self._entries: list[tuple[int, int, int, bytes]] = []
        for page in pages_of(head, "paragraphs"):
            self._entries.extend(_entries(page, head.is_old))
            check_paragraphs(len(self._entries))
        self._entries.sort(key=lambda entry: entry[0])
        self._starts = [start for start, _end, _style, _properties in self._entries]
        self._known: dict[tuple[int, bytes], Paragraph] = {}

    def at(self, offset: int) -> Paragraph:
        """Return the paragraph whose mark is at this byte; properties of its style included."""
        index = bisect_right(self._starts, offset) - 1
        if index < 0 or offset >= self._entries[index][1]:
            return self._styles.get(0, Paragraph())
        _start, _end, style, properties = self._entries[index]
        known = self._known.get((style, properties))
        if known is None:
            paragraph = replace(self._styles.get(style, Paragraph()), style=style)
            known = self._known[style, properties] = apply(paragraph, properties, self._is_old)
        return known


def _entries(page: bytes, is_old: bool) -> Iterator[tuple[int, int, int, bytes]]:
    """Yield where paragraphs are, their style and its changes."""
    width = 7 if is_old else 13
    for index, (start, end) in enumerate(ranges_of(page)):
        at = 4 * (page[-1] + 1) + width * index
        place = page[at] * 2 if at < PAGE else 0
        if not place:
            yield start, end, 0, b""
            continue
        size, place = page[place] * 2 - (0 if is_old else 1), place + 1
        if size < 0 and place < PAGE:
            size, place = page[place] * 2, place + 1
        data = page[place : place + size]
        if len(data) >= 2:
            yield start, end, data[0] | data[1] << 8, data[2:]
