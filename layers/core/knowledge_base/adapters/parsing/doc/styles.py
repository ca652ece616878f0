"""The paragraph styles of an old Word document ([MS-DOC] 2.9.271)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import replace

from knowledge_base.adapters.parsing.doc.fib import Head
from knowledge_base.adapters.parsing.doc.paragraphs import Paragraph, apply

TITLE = 62
_LAST_HEADING = 9
_PARAGRAPH_KIND = 1
_MAX_DEPTH = 20


def read_styles(head: Head) -> tuple[dict[int, Paragraph], set[int]]:
    """Return what each style gives its paragraphs, and which styles are titles."""
    raw = dict(_raw_styles(head.table("styles")))
    resolved = {index: _resolve(index, raw, head.is_old) for index in raw}
    return resolved, {index for index, (kind, _base, _changes) in raw.items() if kind == TITLE}


def _resolve(index: int, raw: dict[int, tuple[int, int, bytes]], is_old: bool) -> Paragraph:
    chain: list[int] = []
    while index in raw and index not in chain and len(chain) < _MAX_DEPTH:
        chain.append(index)
        index = raw[index][1]
    paragraph = Paragraph()
    for place in reversed(chain):
        kind, _base, changes = raw[place]
        if 1 <= kind <= _LAST_HEADING:
            paragraph = replace(paragraph, outline=kind)
        paragraph = apply(paragraph, changes, is_old)
    return paragraph


def _raw_styles(table: bytes) -> Iterator[tuple[int, tuple[int, int, bytes]]]:
    """Yield index, built-in kind, base and property changes of the paragraph styles."""
    if len(table) < 6:
        return
    size, count, base_size = struct.unpack_from("<HHH", table, 0)
    place = 2 + size
    for index in range(count):
        if place + 2 > len(table):
            return
        length = struct.unpack_from("<H", table, place)[0]
        style = table[place + 2 : place + 2 + length]
        place += 2 + length + length % 2
        if len(style) >= 6:
            kind, base = struct.unpack_from("<HH", style, 0)
            if base & 0xF == _PARAGRAPH_KIND:
                yield index, (kind & 0xFFF, base >> 4, _changes(style, base_size))


def _changes(style: bytes, base_size: int) -> bytes:
    """Return a style's changes: they follow its name, which is in bytes up to Word 95."""
    if base_size < 10 or base_size >= len(style):
        return b""
    is_wide = base_size >= 0x0A and len(style) > base_size + 1 and style[base_size + 1] == 0
    length = style[base_size]
    place = base_size + (2 + 2 * length + 2 if is_wide else 1 + length + 1)
    place += (place - 0) % 2
    if place + 2 > len(style):
        return b""
    size = struct.unpack_from("<H", style, place)[0]
    return style[place + 4 : place + 2 + size]
