"""What a process holds in memory of the knowledge bases that it has searched last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock
from typing import TYPE_CHECKING

from knowledge_base.adapters.embedded.shelf import Shelf, load

if TYPE_CHECKING:
    from apsw import Connection

MEMORY = 160_000_000
"""So many bytes are held; what was searched last stays, even if it alone is larger."""


class Shelves:
    """Keeps the shelves that were searched last, for all threads of a process."""

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._lock = Lock()
        self._kept: OrderedDict[int, Shelf] = OrderedDict()

    def read(self, connection: Connection, found: Iterable[tuple[int, str, int]]) -> list[Shelf]:
        """Return the shelves of knowledge bases, given as number, id and stamp, as the connection sees them."""
        shelves = [self._read(connection, *row) for row in found]
        self._forget_oldest(len(shelves))
        return [shelf for shelf in shelves if len(shelf.ids)]

    def _read(self, connection: Connection, number: int, kb_id: str, stamp: int) -> Shelf:
        with self._lock:
            known = self._kept.get(number)
            if known:
                self._kept.move_to_end(number)
        if known and known.stamp == stamp:
            return known
        shelf = load(connection, number, kb_id, stamp, known)
        with self._lock:
            newest = self._kept.get(number)
            if not newest or newest.stamp < stamp:
                self._kept[number] = shelf
        return shelf

    def _forget_oldest(self, in_use: int) -> None:
        with self._lock:
            held = sum(shelf.size for shelf in self._kept.values())
            while held > self._memory and len(self._kept) > in_use:
                held -= self._kept.popitem(last=False)[1].size
