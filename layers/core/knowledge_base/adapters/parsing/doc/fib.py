"""The head of an old Word document: which version it is, and where its tables are ([MS-DOC] 2.5)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from knowledge_base.adapters.parsing.doc.streams import Streams
from knowledge_base.adapters.parsing.format import corrupt, encrypted

_WORD_2, _WORD_97 = 0xA5DB, 0xA5EC
_WORD_6 = (0xA5DC, 0xA697, 0xA698, 0xA699)
"""The usual one, and those of the East Asian editions."""
_FAST_SAVED, _ENCRYPTED, _SECOND_TABLE = 0x0004, 0x0100, 0x0200
_SHORTEST = 0x180
_MAC = 0x0100
_OLD_TABLES = {
    "styles": 0x60,
    "footnote_refs": 0x68,
    "footnote_texts": 0x70,
    "comment_refs": 0x78,
    "comment_texts": 0x80,
    "margins": 0xB0,
    "characters": 0xB8,
    "paragraphs": 0xC0,
    "fonts": 0xD0,
    "pieces": 0x160,
    "endnote_refs": 0x1D2,
    "endnote_texts": 0x1DA,
}
_TABLES = {
    "styles": 1,
    "footnote_refs": 2,
    "footnote_texts": 3,
    "comment_refs": 4,
    "comment_texts": 5,
    "margins": 11,
    "characters": 12,
    "paragraphs": 13,
    "fonts": 15,
    "pieces": 33,
    "endnote_refs": 46,
    "endnote_texts": 47,
    "lists": 73,
    "list_uses": 74,
}
PARTS = ("text", "footnotes", "margins", "macros", "comments", "endnotes", "boxes", "margin_boxes")


@dataclass(frozen=True, slots=True)
class Head:
    """What the head says; `is_old` is Word 6 and 95, whose tables stand in the document stream.

    Of Word 2 (`has_tables` is false) only the characters are read.
    """

    document: bytes
    tables: bytes
    is_old: bool
    has_tables: bool
    is_mac: bool
    language: int
    start: int
    end: int
    lengths: dict[str, int]

    def place_of(self, name: str) -> tuple[int, int]:
        """Return offset and size of a table among the tables, zeros where there is none."""
        place = _OLD_TABLES.get(name) if self.is_old else _place(name)
        if place is None or not self.has_tables or place + 8 > len(self.document):
            return 0, 0
        offset, size = struct.unpack_from("<II", self.document, place)
        return offset, size

    def table(self, name: str) -> bytes:
        """Return the bytes of a table, empty where there is none or it lies outside of the file."""
        offset, size = self.place_of(name)
        return self.tables[offset : offset + size] if offset + size <= len(self.tables) else b""


def read_head(streams: Streams) -> Head:
    """Return the head of a document.

    Raises:
        IngestionFailed: it is damaged, encrypted, or of a version before Word 2.
    """
    document = streams.document
    if len(document) < _SHORTEST:
        raise corrupt("its main part is cut off")
    magic, _version, _product, language = struct.unpack_from("<4H", document, 0)
    flags = struct.unpack_from("<H", document, 0x0A)[0]
    if flags & _ENCRYPTED:
        raise encrypted("the Word document")
    if magic not in (_WORD_2, *_WORD_6, _WORD_97) or (magic == _WORD_2 and flags & _FAST_SAVED):
        raise corrupt("its head is not one of a Word document")
    is_old = magic != _WORD_97
    start, end = struct.unpack_from("<II", document, 0x18)
    lengths = struct.unpack_from("<8i", document, 0x34 if is_old else 0x4C)
    return Head(
        document=document,
        tables=document if is_old else streams.tables[bool(flags & _SECOND_TABLE)],
        is_old=is_old,
        has_tables=magic != _WORD_2,
        is_mac=is_old and struct.unpack_from("<H", document, 0x14)[0] == _MAC,
        language=language,
        start=start,
        end=end,
        lengths={name: max(0, length) for name, length in zip(PARTS, lengths, strict=True)},
    )


def _place(name: str) -> int | None:
    return 0x9A + 8 * _TABLES[name] if name in _TABLES else None
