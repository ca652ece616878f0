"""The records of a PowerPoint document, and which of them are its last state ([MS-PPT] 2.3, 2.4.16)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from knowledge_base.adapters.parsing.format import corrupt, encrypted

_CONTAINER = 0xF
_HEAD = 8
_USER_EDIT, _PERSISTED = 0x0FF5, 0x1772
_ENCRYPTED_EDIT = 0x20
_MOST_EDITS, _DEEPEST = 10_000, 50


@dataclass(frozen=True, slots=True)
class Record:
    """A record: `start` and `end` are where its content is in the stream."""

    kind: int
    instance: int
    is_container: bool
    start: int
    end: int


class Stream:
    """The stream that holds a presentation."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def record_at(self, place: int) -> Record | None:
        """Return the record that begins at a place, cut off where the stream ends; None where there is none."""
        if not 0 <= place <= len(self._data) - _HEAD:
            return None
        version, kind, length = struct.unpack_from("<HHI", self._data, place)
        end = min(place + _HEAD + length, len(self._data))
        return Record(kind, version >> 4, version & _CONTAINER == _CONTAINER, place + _HEAD, end)

    def children(self, parent: Record) -> Iterator[Record]:
        """Yield the records in a container."""
        place = parent.start
        while place < parent.end and (record := self.record_at(place)):
            yield record
            place = record.end

    def descendants(self, parent: Record, depth: int = 0) -> Iterator[Record]:
        """Yield all records in a container, outer ones first."""
        for record in self.children(parent):
            yield record
            if record.is_container and depth < _DEEPEST:
                yield from self.descendants(record, depth + 1)

    def content(self, record: Record) -> bytes:
        """Return the bytes of a record."""
        return self._data[record.start : record.end]

    def persisted(self, last_edit: int) -> dict[int, int]:
        """Return where the objects of a presentation are, by their ids: later edits replace those of earlier ones.

        Raises:
            IngestionFailed: the presentation is encrypted, or its list of objects is damaged.
        """
        found: dict[int, int] = {}
        for _edit in range(_MOST_EDITS):
            edit = self.record_at(last_edit)
            if edit is None or edit.kind != _USER_EDIT or edit.end - edit.start < _ENCRYPTED_EDIT - 4:
                break
            if edit.end - edit.start >= _ENCRYPTED_EDIT:
                raise encrypted("the presentation")
            before, directory = struct.unpack_from("<II", self._data, edit.start + 8)
            found = {**self._directory(directory), **found}
            if not before or before >= last_edit:
                break
            last_edit = before
        if not found:
            raise corrupt("its list of slides is missing")
        return found

    def _directory(self, place: int) -> dict[int, int]:
        record = self.record_at(place)
        found: dict[int, int] = {}
        if record is None or record.kind != _PERSISTED:
            return found
        place = record.start
        while place + 4 <= record.end:
            head = struct.unpack_from("<I", self._data, place)[0]
            first, count = head & 0xF_FFFF, head >> 20
            count = min(count, (record.end - place - 4) // 4)
            for index, offset in enumerate(struct.unpack_from(f"<{count}I", self._data, place + 4)):
                found[first + index] = offset
            place += 4 + 4 * count
        return found
