"""Footnotes, endnotes and comments of an old Word document ([MS-DOC] 2.8.9, 2.8.10)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from knowledge_base.adapters.parsing.doc.fib import Head

_COMMENT_BYTES, _OLD_COMMENT_BYTES, _NOTE_BYTES = 30, 20, 2
_KINDS = (("footnote", "footnotes", "[^%d]"), ("endnote", "endnotes", "[^e%d]"), ("comment", "comments", ""))


@dataclass(frozen=True, slots=True)
class Note:
    """A note's mark, empty for a comment, and the positions of its text."""

    mark: str
    start: int
    end: int

    @property
    def label(self) -> str:
        """What stands before its text."""
        return self.mark or "Comment"


def read_notes(head: Head, parts: dict[str, tuple[int, int]]) -> dict[int, Note]:
    """Return the notes by the positions of their references."""
    return {position: note for kind, part, mark in _KINDS for position, note in _notes(head, kind, parts[part], mark)}


def _notes(head: Head, kind: str, part: tuple[int, int], mark: str) -> Iterator[tuple[int, Note]]:
    references, texts = head.table(f"{kind}_refs"), head.table(f"{kind}_texts")
    size = (_OLD_COMMENT_BYTES if head.is_old else _COMMENT_BYTES) if kind == "comment" else _NOTE_BYTES
    positions = _positions(references, (len(references) - 4) // (4 + size))
    bounds = _positions(texts, len(texts) // 4 - 1)
    for index, position in enumerate(positions[: len(bounds) - 1]):
        begin, end = part[0] + bounds[index], part[0] + bounds[index + 1]
        if part[0] <= begin <= end <= part[1]:
            yield position, Note(mark % (index + 1) if mark else "", begin, end)


def _positions(table: bytes, count: int) -> tuple[int, ...]:
    return struct.unpack_from(f"<{count}I", table, 0) if count > 0 and len(table) >= 4 * count else ()
