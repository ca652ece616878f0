"""Lists of property changes in an old Word document, and the pages that hold them ([MS-DOC] 2.6, 2.9.33, 2.9.175)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import pairwise

from knowledge_base.adapters.parsing.doc.fib import Head

PAGE = 512
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
_MOST_RANGES = 101


def changes_of(properties: bytes, is_old: bool) -> Iterator[tuple[int, bytes]]:
    """Yield the codes and operands of a list of property changes; stops where it is damaged."""
    place, width = 0, 1 if is_old else 2
    while place + width <= len(properties):
        code = properties[place] if is_old else properties[place] | properties[place + 1] << 8
        start, size = _operand(properties, place + width, code, is_old)
        if start + size > len(properties):
            return
        yield code, properties[start : start + size]
        place = start + size


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


def pages_of(head: Head, name: str) -> Iterator[bytes]:
    """Yield the pages of properties that a table points to, each once."""
    table = head.table(name)
    width = 2 if head.is_old else 4
    count = max(0, (len(table) - 4) // (4 + width))
    numbers = struct.unpack_from(f"<{count}{'H' if width == 2 else 'I'}", table, 4 * (count + 1)) if count else ()
    for number in dict.fromkeys(number & 0x3F_FFFF for number in numbers):
        page = head.document[number * PAGE : (number + 1) * PAGE]
        if len(page) == PAGE and 0 < page[-1] <= _MOST_RANGES:
            yield page


def ranges_of(page: bytes) -> Iterator[tuple[int, int]]:
    """Yield the ranges of bytes of the document that a page speaks of."""
    return pairwise(struct.unpack_from(f"<{page[-1] + 1}I", page, 0))
