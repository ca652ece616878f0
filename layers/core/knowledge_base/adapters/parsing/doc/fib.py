"""The head of an old Word document: which version it is, and where its tables are ([MS-DOC] 2.5)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from knowledge_base.adapters.parsing.format import corrupt, encrypted
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed

_WORD_2 = 0xA5DB
_WORD_6 = 0xA5DC
_WORD_97 = 0xA5EC
_ENCRYPTED, _SECOND_TABLE = 0x0100, 0x0200
_OLD_TABLES = {
    "styles": 0x60,
    "footnote_refs": 0x68,
    "footnote_texts": 0x70,
    "margins": 0xB0,
    "characters": 0xB8,
    "paragraphs": 0xC0,
    "pieces": 0x160,
    "endnote_refs": 0x1D2,
    "endnote_texts": 0x1DA,
}
_TABLES = {
    "styles": 1,
    "footnote_refs": 2,
    "footnote_texts": 3,
    "margins": 11,
    "characters": 12,
    "paragraphs": 13,
    "pieces": 33,
    "endnote_refs": 46,
    "endnote_texts": 47,
    "lists": 73,
    "list_uses": 74,
}
PARTS = ("text", "footnotes", "margins", "macros", "comments", "endnotes", "boxes", "margin_boxes")


@dataclass(frozen=True, slots=True)
class Head:
    """What the head says; `is_old` is Word 6 and 95, whose tables stand in the document stream."""

    document: bytes
    tables: bytes
    is_old: bool
    language: int
    start: int
    end: int
    lengths: dict[str, int]

    def place_of(self, name: str) -> tuple[int, int]:
        """Return offset and size of a table among the tables, zeros where there is none."""
        place = _OLD_TABLES.get(name) if self.is_old else 0x9A + 8 * _TABLES[name]
        if place is None or place + 8 > len(self.document):
            return 0, 0
        offset, size = struct.unpack_from("<II", self.document, place)
        return offset, size

    def table(self, name: str) -> bytes:
        """Return the bytes of a table, empty where there is none or it lies outside of the file."""
        offset, size = self.place_of(name)
        return self.tables[offset : offset + size] if offset + size <= len(self.tables) else b""


def read_head(streams: dict[str, bytes]) -> Head:
    """Return the head of a document.

    Raises:
        IngestionFailed: it is damaged, encrypted, or of a version before Word 6.
    """
    document = streams["WordDocument"]
    if len(document) < 0x200:
        raise corrupt("its main part is cut off")
    magic, _version = struct.unpack_from("<HH", document, 0)
    if magic == _WORD_2:
        raise IngestionFailed(FailureCode.UNSUPPORTED, "the file is of a version before Word 6, which is not supported")
    flags = struct.unpack_from("<H", document, 0x0A)[0]
    if flags & _ENCRYPTED:
        raise encrypted("the Word document")
    if magic not in (_WORD_6, _WORD_97):
        raise corrupt("its head is not one of a Word document")
    is_old = magic == _WORD_6
    tables = document if is_old else streams.get("1Table" if flags & _SECOND_TABLE else "0Table", b"")
    start, end = struct.unpack_from("<II", document, 0x18)
    lengths = struct.unpack_from("<8i", document, 0x34 if is_old else 0x4C)
    return Head(
        document=document,
        tables=tables,
        is_old=is_old,
        language=struct.unpack_from("<H", document, 6)[0],
        start=start,
        end=end,
        lengths={name: max(0, length) for name, length in zip(PARTS, lengths, strict=True)},
    )
