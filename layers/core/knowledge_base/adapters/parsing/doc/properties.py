"""The properties of characters and paragraphs in an old Word document ([MS-DOC] 2.6, 2.9.33, 2.9.175)."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from knowledge_base.adapters.parsing.doc.fib import Head

_PAGE = 512
_VARIABLE = -1
_SIZES = (1, 1, 2, 4, 2, 2, _VARIABLE, 3)
"""Bytes of an operand by the three upper bits of its code."""
_LONG_TABLE, _LONG_TABS = 0xD608, 0xC615
_OLD_SIZES = {
    **dict.fromkeys((3, 12, 15, 23, 52, 68, 74, 81, 82, 100, 103, 117, 118, 120, 187, 188, 190), _VARIABLE),
    **dict.fromkeys((2, 16, 17, 18, 19, 21, 22, 26, 27, 28, 30, 31, 32, 33, 34, 35, 36, 38, 39, 40, 41, 42), 2),
    **dict.fromkeys((43, 45, 46, 47, 48, 49, 69, 72, 80, 93, 96, 97, 99, 101, 105, 107, 108), 2),
    **dict.fromkeys((182, 183, 184, 185, 186, 189, 191), 2),
    20: 4,
    70: 4,
    73: 3,
    83: 0,
    95: 3,
}
_DELETED, _HIDDEN = (0x0800, 65), (0x083C, 92)
_LEVEL, _LIST, _LIST_LEVEL = 0x2640, 0x460B, 0x260A
_IN_TABLE, _ROW_END, _HEADER_ROW = (0x2416, 24), (0x2417, 25), (0x3404, 186)
_INNER_CELL, _INNER_ROW = 0x244B, 0x244C
_BODY_LEVEL = 9


@dataclass(frozen=True, slots=True)
class Paragraph:
    """What is known of a paragraph; `outline` is None where nothing is said, 0 for body text."""

    style: int = 0
    outline: int | None = None
    list_use: int = 0
    list_level: int = 0
    in_table: bool = False
    ends_row: bool = False
    is_header: bool = False
    is_inner: bool = False


def changes_of(properties: bytes, is_old: bool) -> Iterator[tuple[int, bytes]]:
    """Yield the codes and operands of a list of property changes; stops where it is damaged."""
    place = 0
    while place + (1 if is_old else 2) <= len(properties):
        code, place = _code(properties, place, is_old)
        start, size = _operand(properties, place, code, is_old)
        if start + size > len(properties):
            return
        yield code, properties[start : start + size]
        place = start + size


def _code(properties: bytes, place: int, is_old: bool) -> tuple[int, int]:
    if is_old:
        return properties[place], place + 1
    return properties[place] | properties[place + 1] << 8, place + 2


def _operand(properties: bytes, place: int, code: int, is_old: bool) -> tuple[int, int]:
    size = _OLD_SIZES.get(code, 1) if is_old else _SIZES[code >> 13]
    if size != _VARIABLE:
        return place, size
    if code in (_LONG_TABLE, 190, 188) and place + 2 <= len(properties):
        return place + 2, max(0, struct.unpack_from("<H", properties, place)[0] - 1)
    length = properties[place] if place < len(properties) else 0
    if code == _LONG_TABS and length == 255:
        return len(properties), 1
    return place + 1, length


def is_unseen(properties: bytes, is_old: bool) -> bool:
    """Whether characters with these properties are deleted or hidden."""
    unseen = {}
    for code, operand in changes_of(properties, is_old):
        if (code in _DELETED or code in _HIDDEN) and operand:
            unseen[code] = operand[0] & 1
    return any(unseen.values())


def apply(paragraph: Paragraph, properties: bytes, is_old: bool) -> Paragraph:
    """Return a paragraph with some properties changed."""
    said: dict[str, int | None] = {}
    for code, operand in changes_of(properties, is_old):
        value = int.from_bytes(operand[:2], "little")
        if code == _LEVEL:
            said["outline"] = value + 1 if value < _BODY_LEVEL else 0
        elif code == _LIST:
            said["list_use"] = value
        elif code == _LIST_LEVEL:
            said["list_level"] = value
    flags = {code: bool(operand[:1] > b"\x00") for code, operand in changes_of(properties, is_old)}
    return replace(
        paragraph,
        **said,  # type: ignore[arg-type]  # the keys are fields
        in_table=_flag(flags, _IN_TABLE, paragraph.in_table),
        ends_row=_flag(flags, _ROW_END, paragraph.ends_row),
        is_header=_flag(flags, _HEADER_ROW, paragraph.is_header),
        is_inner=_flag(flags, (_INNER_CELL, _INNER_ROW), paragraph.is_inner),
    )


def _flag(flags: dict[int, bool], codes: tuple[int, int], otherwise: bool) -> bool:
    return next((flags[code] for code in codes if code in flags), otherwise)


def unseen_ranges(head: Head) -> list[tuple[int, int]]:
    """Return the ranges of bytes that hold deleted or hidden characters."""
    found = []
    for page in _pages(head, "characters"):
        for index, (start, end) in enumerate(_ranges(page)):
            place = page[4 * (page[-1] + 1) + index] * 2
            size = page[place] if place else 0
            if size and is_unseen(page[place + 1 : place + 1 + size], head.is_old):
                found.append((start, end))
    return sorted(found)


class Paragraphs:
    """Finds what is known of the paragraph that a byte of the document belongs to."""

    def __init__(self, head: Head) -> None:
        self._is_old = head.is_old
        entries = [entry for page in _pages(head, "paragraphs") for entry in _entries(page, head.is_old)]
        entries.sort(key=lambda entry: entry[0])
        self._entries = entries
        self._starts = [start for start, _end, _style, _properties in entries]

    def at(self, offset: int, styles: dict[int, Paragraph]) -> Paragraph:
        """Return the paragraph whose mark is at this byte; properties of its style included."""
        index = bisect_right(self._starts, offset) - 1
        if index < 0 or offset >= self._entries[index][1]:
            return styles.get(0, Paragraph())
        _start, _end, style, properties = self._entries[index]
        return apply(replace(styles.get(style, Paragraph()), style=style), properties, self._is_old)


def _pages(head: Head, name: str) -> Iterator[bytes]:
    """Yield the pages of properties that a table points to, each once."""
    table = head.table(name)
    width = 2 if head.is_old else 4
    count = max(0, (len(table) - 4) // (4 + width))
    numbers = struct.unpack_from(f"<{count}{'H' if width == 2 else 'I'}", table, 4 * (count + 1)) if count else ()
    for number in dict.fromkeys(number & 0x3F_FFFF for number in numbers):
        page = head.document[number * _PAGE : (number + 1) * _PAGE]
        if len(page) == _PAGE and 0 < page[-1] <= 101:
            yield page


def _ranges(page: bytes) -> list[tuple[int, int]]:
    bounds = struct.unpack_from(f"<{page[-1] + 1}I", page, 0)
    return list(pairwise(bounds))


def _entries(page: bytes, is_old: bool) -> Iterator[tuple[int, int, int, bytes]]:
    width = 7 if is_old else 13
    for index, (start, end) in enumerate(_ranges(page)):
        at = 4 * (page[-1] + 1) + width * index
        place = page[at] * 2 if at < _PAGE else 0
        if not place:
            yield start, end, 0, b""
            continue
        size, place = page[place] * 2 - (0 if is_old else 1), place + 1
        if size < 0 and place < _PAGE:
            size, place = page[place] * 2, place + 1
        data = page[place : place + size]
        if len(data) >= 2:
            yield start, end, data[0] | data[1] << 8, data[2:]
