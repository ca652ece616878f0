"""One state of one knowledge base in memory: what a search needs of every chunk, in the order of ids.

A shelf never changes. The next one takes over what is the same, so that a small publish costs the next
search little, however large the knowledge base is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from knowledge_base.adapters.embedded.pages import ROW
from knowledge_base.adapters.embedded.schema import ids_of
from knowledge_base.adapters.embedded.segments import Segment, segments_of

if TYPE_CHECKING:
    from apsw import Connection

ROOM = 1024
"""For so many chunks, or an eighth of those that are there, room is kept for what comes after them."""

_LISTING = "SELECT first_id, stamp FROM pages WHERE first_id BETWEEN ? AND ? ORDER BY first_id"
_ROWS = "SELECT chunks FROM pages WHERE first_id = ?"
_CODES_SIZE = "SELECT length(high_bytes) FROM codes WHERE first_id = ?"
_CODES = "SELECT high_bytes FROM codes WHERE first_id = ?"


class CodeStore:
    """The codes of a knowledge base, one after the other: a scan of one large array takes half the time.

    It only grows at its end, behind what the shelves that share it have seen.
    """

    def __init__(self, size: int, dimensions: int) -> None:
        self._codes = np.empty((size + max(ROOM, size // 8), dimensions), dtype=np.int8)
        self._used = size
        self._lock = Lock()

    def first(self, size: int) -> NDArray[np.int8]:
        """Return the codes that are stored first, to be read, or to be written before anybody else knows of them."""
        return self._codes[:size]

    def grow(self, before: int, size: int) -> bool:
        """Take room for more, up to this size; False if there is none, or it is taken."""
        with self._lock:
            if self._used != before or size > len(self._codes):
                return False
            self._used = size
            return True


@dataclass(frozen=True, slots=True)
class Page:
    """The rows of a page as they were after one change."""

    first_id: int
    stamp: int
    rows: NDArray[np.void]

    @property
    def ids(self) -> NDArray[np.int64]:
        """The ids of its chunks."""
        return self.first_id + self.rows["slot"].astype(np.int64)


@dataclass(frozen=True)
class Shelf:
    """The chunks of a knowledge base at one stamp; a chunk's row is its place here."""

    number: int
    kb_id: str
    stamp: int
    pages: tuple[Page, ...]
    segments: tuple[Segment, ...]
    ids: NDArray[np.int64]
    store: CodeStore | None

    @cached_property
    def codes(self) -> NDArray[np.int8]:
        """The code of each row."""
        return self.store.first(len(self.ids)) if self.store else np.empty((0, 0), dtype=np.int8)

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
        return np.asarray(self._column("norm") > 0)

    @cached_property
    def inverse_norms(self) -> NDArray[np.float32]:
        """One by the length of each row's code; 0 for a vector that points nowhere."""
        norms = self._column("norm")
        found: NDArray[np.float32] = np.divide(1, norms, out=np.zeros_like(norms), where=norms > 0)
        return found

    @cached_property
    def size(self) -> int:
        """Its bytes in memory, about."""
        return self.codes.nbytes * 9 // 8 + 3 * ROW.itemsize * len(self.ids)

    def _column(self, name: str) -> NDArray[Any]:
        return np.concatenate([page.rows[name] for page in self.pages])


def load(connection: Connection, number: int, kb_id: str, stamp: int, known: Shelf | None) -> Shelf:
    """Read a knowledge base, but for what an earlier shelf of it knows."""
    before = {page.first_id: page for page in known.pages} if known else {}
    listing: list[Any] = connection.execute(_LISTING, ids_of(number)).fetchall()
    pages = tuple(_load_page(connection, first_id, changed, before.get(first_id)) for first_id, changed in listing)
    ids = np.concatenate([np.empty(0, dtype=np.int64), *(page.ids for page in pages)])
    store = _load_codes(connection, pages, ids, known)
    return Shelf(number, kb_id, stamp, pages, segments_of(connection, number), ids, store)


def _load_page(connection: Connection, first_id: int, stamp: int, known: Page | None) -> Page:
    if known and known.stamp == stamp:
        return known
    return Page(first_id, stamp, np.frombuffer(connection.execute(_ROWS, (first_id,)).get, dtype=ROW))


def _load_codes(
    connection: Connection, pages: Sequence[Page], ids: NDArray[np.int64], known: Shelf | None
) -> CodeStore | None:
    """Return a store that begins with the codes of these ids: the known one, grown, or else a new one."""
    if not len(ids):
        return None
    if known and known.store and _begins_with(ids, known.ids) and known.store.grow(len(known.ids), len(ids)):
        store, is_known = known.store, np.arange(len(ids)) < len(known.ids)
    else:
        store = CodeStore(len(ids), _dimensions(connection, pages[0]))
        is_known = np.isin(ids, known.ids, assume_unique=True) if known else np.zeros(len(ids), dtype=bool)
        if known and is_known.any():
            store.first(len(ids))[is_known] = known.codes[np.isin(known.ids, ids, assume_unique=True)]
    _read_codes(connection, pages, ~is_known, store.first(len(ids)))
    return store


def _begins_with(ids: NDArray[np.int64], others: NDArray[np.int64]) -> bool:
    return len(others) <= len(ids) and np.array_equal(ids[: len(others)], others)


def _dimensions(connection: Connection, page: Page) -> int:
    size: int = connection.execute(_CODES_SIZE, (page.first_id,)).get
    return size // len(page.rows)


def _read_codes(
    connection: Connection, pages: Sequence[Page], is_wanted: NDArray[np.bool_], codes: NDArray[np.int8]
) -> None:
    """Read the codes of the wanted rows to their places."""
    start = 0
    for page in pages:
        end = start + len(page.rows)
        wanted = is_wanted[start:end]
        if wanted.any():
            packed = connection.execute(_CODES, (page.first_id,)).get
            read = np.frombuffer(packed, dtype=np.int8).reshape(len(page.rows), -1)
            np.copyto(codes[start:end], read, where=True if wanted.all() else wanted[:, None])
        start = end
