"""The chunks that a process has found last, so that it need not read and build them again.

Nothing of this can be out of date: an id is never given twice, and what a chunk says never changes under its id.
Who may find it, and at which revision, is not kept here: a search has decided that before it asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import Lock

from knowledge_base.domain.chunks import Chunk

MOST = 4096
"""So many are kept: some 10 MB, and what twenty different questions find."""


class ChunkMemory:
    """Keeps the chunks that were found last, for all threads of a process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: dict[int, Chunk] = {}

    def read(
        self, ids: Sequence[int], read_others: Callable[[Sequence[int]], Iterable[tuple[int, Chunk]]]
    ) -> dict[int, Chunk]:
        """Return the chunks with these ids; those that are not kept are read."""
        with self._lock:
            found = {id_: self._kept.pop(id_) for id_ in ids if id_ in self._kept}
            self._kept.update(found)
        if len(found) < len(ids):
            found.update(read_others([id_ for id_ in ids if id_ not in found]))
            self._keep(found)
        return found

    def _keep(self, chunks: dict[int, Chunk]) -> None:
        with self._lock:
            self._kept.update(chunks)
            for id_ in list(self._kept)[: max(0, len(self._kept) - MOST)]:
                del self._kept[id_]
