"""The pages of a knowledge base: what filters and the scan need of its chunks, packed for reading at a stroke."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from knowledge_base.adapters.embedded.schema import ID_BITS, PAGE
from knowledge_base.adapters.embedded.vectors import Encoded

if TYPE_CHECKING:
    from apsw import Connection

ROW = np.dtype(
    [
        ("slot", "<u2"),
        ("reader_set", "<i4"),
        ("document", "<i4"),
        ("length", "<i4"),
        ("from_rev", "<i8"),
        ("to_rev", "<i8"),
        ("norm", "<f4"),
    ]
)
"""A chunk of a page: the slot is its id less the page's first; `norm` is the length of its high bytes."""

_CHUNKS = """
SELECT id - :first, reader_set, document, length, from_rev, to_rev, 0.0 FROM chunks
WHERE id BETWEEN :first AND :last ORDER BY id
"""
_SET_CHUNKS = "UPDATE pages SET stamp = ?, chunks = ? WHERE first_id = ?"
_PAGES_WITH_CODES = """
SELECT p.first_id, p.chunks, c.high_bytes FROM pages AS p CROSS JOIN codes AS c ON c.first_id = p.first_id
WHERE p.first_id BETWEEN ? AND ?
"""
_STAMP = "UPDATE knowledge_bases SET stamp = stamp + 1 WHERE number = ? RETURNING stamp"


@dataclass(frozen=True, slots=True)
class Added:
    """The vectors of chunks that have just been written, and their ids in order."""

    ids: NDArray[np.int64]
    vectors: Encoded


def refresh(connection: Connection, ids: Iterable[int], added: Added | None = None) -> None:
    """Pack the pages of chunks anew that were written, changed or deleted; `added` are those just written."""
    stamps: dict[int, int] = {}
    for first in sorted({id_ // PAGE * PAGE for id_ in ids}):
        knowledge_base = first >> ID_BITS
        if knowledge_base not in stamps:
            stamps[knowledge_base] = connection.execute(_STAMP, (knowledge_base,)).get
        _pack(connection, first, stamps[knowledge_base], added)


def codes_by_id(connection: Connection, first_id: int, last_id: int) -> dict[int, NDArray[np.int8]]:
    """Return the high bytes of the chunks between two ids, of which the first begins a page and the last ends one."""
    return {
        first + slot: code
        for first, chunks, codes in connection.execute(_PAGES_WITH_CODES, (first_id, last_id))
        for slot, code in zip(*_unpack(chunks, codes), strict=True)
    }


def _pack(connection: Connection, first: int, stamp: int, added: Added | None) -> None:
    rows = _rows(connection, first)
    packed = connection.execute("SELECT chunks FROM pages WHERE first_id = ?", (first,)).get
    old = np.frombuffer(packed or b"", dtype=ROW)
    if not len(rows):
        connection.execute("DELETE FROM pages WHERE first_id = ?", (first,))
        connection.execute("DELETE FROM codes WHERE first_id = ?", (first,))
    elif np.array_equal(rows["slot"], old["slot"]):
        rows["norm"] = old["norm"]
        connection.execute(_SET_CHUNKS, (stamp, rows.tobytes(), first))
    else:
        codes = _codes(connection, first, rows, old, added)
        connection.execute("INSERT OR REPLACE INTO pages VALUES (?, ?, ?)", (first, stamp, rows.tobytes()))
        connection.execute("INSERT OR REPLACE INTO codes VALUES (?, ?)", (first, codes.tobytes()))


def _rows(connection: Connection, first: int) -> NDArray[np.void]:
    return np.array(connection.execute(_CHUNKS, {"first": first, "last": first + PAGE - 1}).fetchall(), dtype=ROW)


def _codes(
    connection: Connection, first: int, rows: NDArray[np.void], old: NDArray[np.void], added: Added | None
) -> NDArray[np.int8]:
    """Return the codes of the rows, whose norms are set; a chunk was in the page before or has just been added."""
    slots, codes, norms = [old["slot"]], [_old_codes(connection, first, len(old))], [old["norm"]]
    if added is not None:
        start, end = np.searchsorted(added.ids, (first, first + PAGE)).tolist()
        slots.append((added.ids[start:end] - first).astype(np.uint16))
        codes.append(added.vectors.codes[start:end])
        norms.append(added.vectors.norms[start:end])
    chosen = np.searchsorted(np.concatenate(slots), rows["slot"])
    rows["norm"] = np.concatenate(norms)[chosen]
    return np.concatenate([part for part in codes if len(part)])[chosen]


def _unpack(chunks: bytes, codes: bytes) -> tuple[list[int], NDArray[np.int8]]:
    slots: list[int] = np.frombuffer(chunks, dtype=ROW)["slot"].tolist()
    return slots, np.frombuffer(codes, dtype=np.int8).reshape(len(slots), -1)


def _old_codes(connection: Connection, first: int, size: int) -> NDArray[np.int8]:
    packed = connection.execute("SELECT high_bytes FROM codes WHERE first_id = ?", (first,)).get
    return np.frombuffer(packed, dtype=np.int8).reshape(size, -1) if size else np.empty((0, 0), dtype=np.int8)
