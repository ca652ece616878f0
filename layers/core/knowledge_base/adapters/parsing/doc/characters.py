"""The properties of characters in an old Word document: what is unseen, symbols, forms, and fonts ([MS-DOC] 2.6.1)."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from functools import lru_cache

from knowledge_base.adapters.parsing.codepages import codec_of_charset
from knowledge_base.adapters.parsing.doc.fib import Head
from knowledge_base.adapters.parsing.doc.forms import read_form_value
from knowledge_base.adapters.parsing.doc.properties import changes_of, pages_of, ranges_of
from knowledge_base.adapters.parsing.symbol_fonts import from_symbol_font
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed

MAX_RANGES = 2_000_000
_DELETED, _HIDDEN = (0x0800, 65), (0x083C, 92)
_SYMBOL, _DATA_PLACE, _IS_DATA = 0x6A09, 0x6A03, 0x0806
_OLD_FONT = 93
_CHARSET_PLACE, _OLD_NAME_PLACE, _NAME_PLACE = 4, 6, 40

Range = tuple[int, int]
"""Bytes of the document."""


@dataclass(frozen=True, slots=True)
class _Look:
    """What a list of changes says of characters; a symbol has its font and its code."""

    is_unseen: bool = False
    symbol: tuple[int, int] | None = None
    data_place: int = -1
    font: int = -1


_USUAL = _Look()


@dataclass(frozen=True, slots=True)
class _Font:
    """A font's name, and the codec that its character set means; empty where the document's own holds."""

    name: str
    codec: str


@dataclass(slots=True)
class Characters:
    """What is special about ranges of characters; each list is in order."""

    unseen: list[Range] = field(default_factory=list)
    symbols: dict[Range, str] = field(default_factory=dict)
    form_values: dict[Range, str] = field(default_factory=dict)
    codecs: list[tuple[int, int, str]] = field(default_factory=list)


def read_characters(head: Head, data: bytes) -> Characters:
    """Return what is special about a document's characters; `data` holds what its forms are filled with.

    Raises:
        IngestionFailed: there are more ranges than can be read.
    """
    found, count = Characters(), 0
    fonts = _read_fonts(head)
    for page in pages_of(head, "characters"):
        count += page[-1]
        if count > MAX_RANGES:
            raise IngestionFailed(FailureCode.TOO_COMPLEX, "the file changes its looks too often to be read")
        for index, range_ in enumerate(ranges_of(page)):
            look = _look_at(page, index, head.is_old)
            if look is not _USUAL:
                _note(found, range_, look, fonts, data)
    found.unseen.sort()
    found.codecs.sort()
    return found


@lru_cache(maxsize=4096)
def look_of(properties: bytes, is_old: bool) -> _Look:
    """Return what a list of changes says of characters."""
    changes = dict(changes_of(properties, is_old))
    if not changes:
        return _USUAL
    unseen = any(changes[code][:1] and changes[code][0] & 1 for code in (*_DELETED, *_HIDDEN) if code in changes)
    symbol = changes.get(_SYMBOL, b"")
    place = changes.get(_DATA_PLACE, b"")
    font = changes.get(_OLD_FONT, b"") if is_old else b""
    look = _Look(
        unseen,
        struct.unpack("<HH", symbol) if len(symbol) == 4 else None,
        int.from_bytes(place, "little") if changes.get(_IS_DATA, b"\x00")[:1] == b"\x01" and len(place) == 4 else -1,
        int.from_bytes(font, "little") if font else -1,
    )
    return _USUAL if look == _USUAL else look


def _look_at(page: bytes, index: int, is_old: bool) -> _Look:
    place = page[4 * (page[-1] + 1) + index] * 2
    size = page[place] if place else 0
    return look_of(page[place + 1 : place + 1 + size], is_old) if size else _USUAL


def _note(found: Characters, range_: Range, look: _Look, fonts: list[_Font], data: bytes) -> None:
    if look.is_unseen:
        found.unseen.append(range_)
    if look.symbol:
        font, code = look.symbol
        found.symbols[range_] = from_symbol_font(f"{code:X}", fonts[font].name if font < len(fonts) else "") or "("
    if look.data_place >= 0:
        found.form_values[range_] = read_form_value(data, look.data_place)
    if 0 <= look.font < len(fonts) and fonts[look.font].codec:
        found.codecs.append((*range_, fonts[look.font].codec))


def _read_fonts(head: Head) -> list[_Font]:
    table, width = head.table("fonts"), 2 if head.is_old else 4
    found, place = [], width
    name_place = _OLD_NAME_PLACE if head.is_old else _NAME_PLACE
    while place + name_place <= len(table):
        end = place + table[place] + 1
        found.append(
            _Font(
                _font_name(table[place + name_place : end], head.is_old),
                codec_of_charset(table[place + _CHARSET_PLACE]),
            )
        )
        place = end
    return found


def _font_name(data: bytes, is_old: bool) -> str:
    return data.decode("latin-1" if is_old else "utf-16-le", "replace").partition("\x00")[0]
