"""What a process holds in memory of the knowledge bases that it has searched last.

A shelf is one state of one knowledge base and never changes. The next one takes over the pages that are the
same, so that a small publish costs the next search little, however large the knowledge base is.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from knowledge_base.adapters.embedded.pages import ROW
from knowledge_base.adapters.embedded.schema import ids_of
from knowledge_base.adapters.embedded.segments import Segment, segments_of

if TYPE_CHECKING:
    from apsw import Connection

BUDGET = 160_000_000
"""So many bytes are held; what was searched last stays, even if it alone is larger."""

_LISTING = "SELECT first_id, stamp, codes_stamp FROM pages WHERE first_id BETWEEN ? AND ? ORDER BY first_id"
_ROWS = "SELECT chunks FROM pages WHERE first_id = ?"
_CODES = "SELECT high_bytes FROM codes WHERE first_id = ?"


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it was after one change."""

    first_id: int
    stamp: int
    codes_stamp: int
    rows: NDArray[np.void]
    codes: NDArray[np.int8]


@dataclass(frozen=True)
class Shelf:
    """The chunks of a knowledge base in the order of their ids, at one stamp; a chunk's row is its place here."""

    number: int
    kb_id: str
    stamp: int
    pages: tuple[Page, ...]
    segments: tuple[Segment, ...]

    @cached_property
    def ids(self) -> NDArray[np.int64]:
        """The id of each row."""
        return np.concatenate([page.first_id + page.rows["slot"].astype(np.int64) for page in self.pages])

    @cached_property
    def reader_sets(self) -> NDArray[np.int32]:
        """The number of the set of readers of each row."""
        return self._column("reader_set")

    @cached_property
    def documents(self) -> NDArray[np.int32]:
        """The number of the document of each row."""
        return self._column("document")

    @cached_property
    def from_revs(self) -> NDArray[np.int64]:
        """The first revision of each row."""
        return self._column("from_rev")

    @cached_property
    def to_revs(self) -> NDArray[np.int64]:
        """The revision before which each row ends."""
        return self._column("to_rev")

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """The length of each row's text in words, as BM25 knows it."""
        return self._column("length")

    @cached_property
    def has_vector(self) -> NDArray[np.bool_]:
        """Whether the vector of each row points anywhere."""
        return self._column("norm") > 0

    @cached_property
    def inverse_norms(self) -> NDArray[np.float32]:
        """One by the length of each row's code; 0 for a vector that points nowhere."""
        norms = self._column("norm")
        return np.divide(1, norms, out=np.zeros_like(norms), where=norms > 0)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The row with which each page begins, and the number of all rows."""
        return np.cumsum([0, *(len(page.rows) for page in self.pages)])

    @cached_property
    def size(self) -> int:
        """Its bytes in memory, about."""
        return sum(page.codes.nbytes + 3 * page.rows.nbytes for page in self.pages)

    def codes_at(self, rows: NDArray[np.intp]) -> NDArray[np.int8]:
        """Return the codes of rows, given in ascending order."""
        limits = np.searchsorted(rows, self.starts)
        parts = [
            page.codes[rows[start:end] - before]
            for page, before, start, end in zip(self.pages, self.starts, limits, limits[1:], strict=False)
            if start < end
        ]
        return np.concatenate(parts)

    def _column(self, name: str) -> NDArray[np.generic]:
        return np.concatenate([page.rows[name] for page in self.pages])


class Shelves:
    """Keeps the shelves that were searched last, for all threads of a process."""

    def __init__(self, budget: int = BUDGET) -> None:
        self._budget = budget
        self._lock = Lock()
        self._kept: OrderedDict[int, Shelf] = OrderedDict()

    def read(self, connection: Connection, found: Iterable[tuple[int, str, int]]) -> list[Shelf]:
        """Return the shelves of knowledge bases, given as number, id and stamp, as the connection sees them."""
        shelves = [self._read(connection, *row) for row in found]
        self._forget_oldest(len(shelves))
        return [shelf for shelf in shelves if shelf.pages]

    def _read(self, connection: Connection, number: int, kb_id: str, stamp: int) -> Shelf:
        with self._lock:
            known = self._kept.get(number)
            if known:
                self._kept.move_to_end(number)
        if known and known.stamp == stamp:
            return known
        shelf = _load(connection, number, kb_id, stamp, known)
        with self._lock:
            newest = self._kept.get(number)
            if not newest or newest.stamp < stamp:
                self._kept[number] = shelf
        return shelf

    def _forget_oldest(self, in_use: int) -> None:
        with self._lock:
            held = sum(shelf.size for shelf in self._kept.values())
            while held > self._budget and len(self._kept) > in_use:
                held -= self._kept.popitem(last=False)[1].size


def _load(connection: Connection, number: int, kb_id: str, stamp: int, known: Shelf | None) -> Shelf:
    before = {page.first_id: page for page in known.pages} if known else {}
    listing = connection.execute(_LISTING, ids_of(number)).fetchall()
    pages = tuple(_load_page(connection, *row, before.get(row[0])) for row in listing)
    return Shelf(number, kb_id, stamp, pages, segments_of(connection, number))


def _load_page(connection: Connection, first_id: int, stamp: int, codes_stamp: int, known: Page | None) -> Page:
    if known and known.stamp == stamp:
        return known
    rows = np.frombuffer(connection.execute(_ROWS, (first_id,)).get, dtype=ROW)
    if known and known.codes_stamp == codes_stamp:
        return Page(first_id, stamp, codes_stamp, rows, known.codes)
    packed = connection.execute(_CODES, (first_id,)).get
    return Page(first_id, stamp, codes_stamp, rows, np.frombuffer(packed, dtype=np.int8).reshape(len(rows), -1))
