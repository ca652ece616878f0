"""The piece table of an old Word document: which bytes are which characters ([MS-DOC] 2.8.35)."""

from __future__ import annotations

import codecs
import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from knowledge_base.adapters.parsing.doc.fib import Head
from knowledge_base.adapters.parsing.encodings.decoding import decode
from knowledge_base.adapters.parsing.format import corrupt

_COMPRESSED = 0x4000_0000
_MAX_PIECES = 2_000_000
_CHINESE = 0x04
_TRADITIONAL = (0x0404, 0x0C04, 0x1404, 0x7C04)
_CODEPAGES = {
    **dict.fromkeys((0x02, 0x19, 0x22, 0x23), "cp1251"),
    **dict.fromkeys((0x05, 0x0E, 0x15, 0x18, 0x1B, 0x24), "cp1250"),
    0x01: "cp1256",
    0x08: "cp1253",
    0x0D: "cp1255",
    0x11: "cp932",
    0x12: "cp949",
    0x1E: "cp874",
    0x1F: "cp1254",
}
"""Code pages by the primary language of the document."""
_MANY_HIGH = 0.2
_WIDE = ("cp932", "cp949", "cp950", "gb18030")


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters `[start, end)` of the document, `width` bytes each from `offset` on; `change` alters them all."""

    start: int
    end: int
    offset: int
    width: int
    change: bytes = b""


class Pieces:
    """The pieces of a document in reading order; fast-saved ones have many, in any order of bytes."""

    def __init__(self, head: Head) -> None:
        self._head = head
        self.pieces = _read_pieces(head)
        self._starts = [piece.start for piece in self.pieces]

    def text(self) -> str:
        """Return all characters, each at its position: characters beyond 16 bits stay two halves."""
        return "".join(self._characters())

    def offset_of(self, position: int) -> int:
        """Return where in the file the character at a position is."""
        index = bisect_right(self._starts, position) - 1
        if index < 0:
            return -1
        piece = self.pieces[index]
        return piece.offset + (position - piece.start) * piece.width

    def positions(self, ranges: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Yield the positions of ranges of bytes, which are in order and do not overlap."""
        starts = [start for start, _end in ranges]
        for piece in self.pieces:
            last = piece.offset + (piece.end - piece.start) * piece.width
            index = max(0, bisect_right(starts, piece.offset) - 1)
            while index < len(ranges) and ranges[index][0] < last:
                begin, end = max(ranges[index][0], piece.offset), min(ranges[index][1], last)
                if begin < end:
                    yield (
                        piece.start + (begin - piece.offset) // piece.width,
                        piece.start + (end - piece.offset) // piece.width,
                    )
                index += 1

    def _characters(self) -> Iterator[str]:
        narrow = _codec_of(self._head, self.pieces)
        for piece in self.pieces:
            length = piece.end - piece.start
            data = self._head.document[piece.offset : piece.offset + length * piece.width]
            if piece.width == 2:
                yield _units(data).ljust(length, "\x00")[:length]
            else:
                yield _narrow(data, narrow).ljust(length, "\x00")[:length]


def _units(data: bytes) -> str:
    text = data.decode("utf-16-le", "replace")
    if len(text) == len(data) // 2 and "\ufffd" not in text:
        return text
    return "".join(map(chr, struct.unpack(f"<{len(data) // 2}H", data[: len(data) // 2 * 2])))


def _narrow(data: bytes, codec: str) -> str:
    """Decode bytes so that every byte keeps a place: the second byte of a wide character gives a NUL."""
    if codec not in _WIDE:
        return data.decode(codec, "replace")
    text = data.decode(codec, "replace")
    return "".join(character if _is_single(character, codec) else f"{character}\x00" for character in text)


def _is_single(character: str, codec: str) -> bool:
    return character < "\x80" or character == "\ufffd" or (codec == "cp932" and "\uff61" <= character <= "\uff9f")


def _codec_of(head: Head, pieces: list[Piece]) -> str:
    """Word 97 packs only Western text into bytes; before, bytes are in the code page of the writer."""
    if not head.is_old:
        return "cp1252"
    primary = head.language & 0x3FF
    if primary == _CHINESE:
        return "cp950" if head.language in _TRADITIONAL else "gb18030"
    named = _CODEPAGES.get(primary, "")
    sample = b"".join(head.document[piece.offset : piece.offset + piece.end - piece.start] for piece in pieces[:50])
    sample = bytes(byte for byte in sample[:20_000] if byte >= 0x20)
    high = sum(byte >= 0x80 for byte in sample) / max(1, len(sample))
    guessed = decode(sample) if high > _MANY_HIGH and not named else None
    return named or (_name(guessed.encoding) if guessed else "cp1252")


def _name(encoding: str) -> str:
    known = {"gbk": "gb18030", "gb2312": "gb18030", "shift_jis": "cp932", "big5": "cp950", "euc_kr": "cp949"}
    name = codecs.lookup(encoding).name
    return known.get(name.replace("-", "_"), "cp1252" if name.startswith("utf") else name)


def _read_pieces(head: Head) -> list[Piece]:
    changes, table = _split(head.table("pieces"))
    if not table:
        if not head.is_old or head.end <= head.start:
            raise corrupt("its table of pieces is missing")
        return [_only_piece(head)]
    count = (len(table) - 4) // 12
    if count < 1 or count > _MAX_PIECES:
        raise corrupt("its table of pieces is damaged")
    bounds = struct.unpack_from(f"<{count + 1}I", table, 0)
    found = []
    for index in range(count):
        _flags, place, change = struct.unpack_from("<HIH", table, 4 * (count + 1) + 8 * index)
        found.append(_piece(head, bounds[index], bounds[index + 1], place, _change(change, changes)))
    return _check(head, found)


def _only_piece(head: Head) -> Piece:
    total, size = sum(head.lengths.values()), min(head.end, len(head.document)) - head.start
    width = 2 if total and size >= 2 * total else 1
    return Piece(0, size // width, head.start, width)


def _piece(head: Head, start: int, end: int, place: int, change: bytes) -> Piece:
    if head.is_old:
        return Piece(start, end, place, 1, change)
    if place & _COMPRESSED:
        return Piece(start, end, (place & ~_COMPRESSED) // 2, 1, change)
    return Piece(start, end, place, 2, change)


def _check(head: Head, pieces: list[Piece]) -> list[Piece]:
    """Drop what lies outside of the file: damaged tables claim billions of characters."""
    kept, expected = [], 0
    for piece in pieces:
        if piece.start != expected or piece.end < piece.start:
            break
        if piece.offset + (piece.end - piece.start) * piece.width > len(head.document):
            room = max(0, len(head.document) - piece.offset) // piece.width
            kept.append(Piece(piece.start, piece.start + room, piece.offset, piece.width, piece.change))
            break
        kept.append(piece)
        expected = piece.end
    if expected > 4 * len(head.document) + 1024 or not any(piece.end > piece.start for piece in kept):
        raise corrupt("its table of pieces is damaged")
    return kept


def _split(clx: bytes) -> tuple[list[bytes], bytes]:
    """Return the changes of properties, and the table itself."""
    changes, place = [], 0
    while place + 3 <= len(clx) and clx[place] == 1:
        size = struct.unpack_from("<H", clx, place + 1)[0]
        changes.append(clx[place + 3 : place + 3 + size])
        place += 3 + size
    if place + 5 > len(clx) or clx[place] != 2:
        return changes, b""
    size = struct.unpack_from("<I", clx, place + 1)[0]
    return changes, clx[place + 5 : place + 5 + size]


def _change(code: int, changes: list[bytes]) -> bytes:
    """Return the properties that a piece changes; a single one is packed into the code itself."""
    if code & 1:
        return changes[code >> 1] if code >> 1 < len(changes) else b""
    return bytes(((code >> 1) & 0x7F, code >> 8)) if code else b""
