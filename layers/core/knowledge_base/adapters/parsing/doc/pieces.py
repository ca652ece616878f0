"""The piece table of an old Word document: which bytes are which characters ([MS-DOC] 2.8.35)."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from knowledge_base.adapters.parsing.blocks import MAX_TEXT
from knowledge_base.adapters.parsing.doc.fib import Head
from knowledge_base.adapters.parsing.format import corrupt
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed

_COMPRESSED = 0x4000_0000
_MAX_PIECES = 500_000


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters `[start, end)` of the document, `width` bytes each from `offset` on; `change` alters them all."""

    start: int
    end: int
    offset: int
    width: int
    change: bytes = b""

    @property
    def last(self) -> int:
        """Where its bytes end."""
        return self.offset + (self.end - self.start) * self.width


class Pieces:
    """The pieces of a document in reading order; fast-saved ones have many, in any order of bytes."""

    def __init__(self, head: Head) -> None:
        """Read the pieces.

        Raises:
            IngestionFailed: they are damaged, or more than can be read.
        """
        self.pieces = _read_pieces(head)
        if self.pieces[-1].end > MAX_TEXT:
            raise IngestionFailed(FailureCode.TOO_COMPLEX, "the file has too much text to be read")
        self._starts = [piece.start for piece in self.pieces]

    def offset_of(self, position: int) -> int:
        """Return where in the file the character at a position is."""
        index = bisect_right(self._starts, position) - 1
        if index < 0:
            return -1
        piece = self.pieces[index]
        return piece.offset + (position - piece.start) * piece.width

    def positions(self, ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Yield the positions of the characters in ranges of bytes, which are in order and do not overlap."""
        in_order = list(ranges)
        starts = [start for start, _end in in_order]
        for piece in self.pieces:
            index = max(0, bisect_right(starts, piece.offset) - 1)
            while index < len(in_order) and in_order[index][0] < piece.last:
                begin, end = max(in_order[index][0], piece.offset), min(in_order[index][1], piece.last)
                if begin < end:
                    yield (
                        piece.start + (begin - piece.offset) // piece.width,
                        piece.start + (end - piece.offset) // piece.width,
                    )
                index += 1


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
        if piece.last > len(head.document):
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
