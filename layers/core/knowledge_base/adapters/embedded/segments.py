"""The segments of the word index: written with the chunks, joined as they grow, cut down as chunks go.

Small segments are joined at once, larger ones by fours, and none beyond some 16,000 chunks: a word is looked
up in a dozen segments for 100,000 chunks, and the longest turn to write is some 100 milliseconds. As in Lucene, the
words of deleted chunks count as long as their segment keeps them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from knowledge_base.adapters.embedded import postings as layout
from knowledge_base.adapters.embedded.postings import MOST_BUCKETS, SLOTS, Postings
from knowledge_base.adapters.embedded.schema import ID_BITS, ids_of

if TYPE_CHECKING:
    from apsw import Connection
    from numpy.typing import NDArray

GRADES = (1024, 4096, 16_384)
"""From so many chunks on a segment is of the next grade; one of the last grade is joined no more."""

TOGETHER = (2, 4, 4)
"""So many neighbours of one grade are joined."""

_COLUMNS = "number, first_id, last_id, chunks, buckets"
_OF_KNOWLEDGE_BASE = f"SELECT {_COLUMNS} FROM segments WHERE first_id BETWEEN ? AND ? ORDER BY first_id"  # noqa: S608
_TOUCHED = f"SELECT {_COLUMNS} FROM segments WHERE first_id <= :last AND last_id >= :first"  # noqa: S608
_INSERT = "INSERT INTO segments (first_id, last_id, chunks, buckets) VALUES (?, ?, ?, ?) RETURNING number"
_DATA = "SELECT data FROM postings WHERE bucket BETWEEN ? AND ? ORDER BY bucket"
_LIVE = "SELECT id - :first FROM chunks WHERE id BETWEEN :first AND :last AND length > 0 ORDER BY id"
_COUNT_UP = """
INSERT INTO frequencies SELECT value, ? FROM carray(?) WHERE true
ON CONFLICT DO UPDATE SET chunks = chunks + excluded.chunks
"""

_FORGET_WORDS = "DELETE FROM frequencies WHERE word IN (SELECT value FROM carray(?)) AND chunks = 0"


class Segment(NamedTuple):
    """A row of `segments`."""

    number: int
    first_id: int
    last_id: int
    chunks: int
    buckets: int

    @property
    def first_bucket(self) -> int:
        """The number in `postings` of the segment's bucket 0."""
        return self.number * MOST_BUCKETS


def segments_of(connection: Connection, knowledge_base: int) -> tuple[Segment, ...]:
    """Return the segments of a knowledge base in the order of their ids."""
    return tuple(map(Segment._make, connection.execute(_OF_KNOWLEDGE_BASE, ids_of(knowledge_base))))


def add(connection: Connection, first_id: int, texts: Sequence[Sequence[bytes]]) -> None:
    """Index texts, given as their words, under consecutive ids after all others of their knowledge base."""
    postings = layout.read_texts(texts)
    if not len(postings.words):
        return
    _count(connection, postings, 1)
    last_id = first_id + len(texts) - 1
    before = list(segments_of(connection, first_id >> ID_BITS))
    while joined := _to_join(before, postings.chunks, last_id):
        parts = [(segment.first_id, _load(connection, segment)) for segment in joined]
        postings = layout.join([*parts, (first_id, postings)])
        first_id = joined[0].first_id
        for segment in joined:
            _drop(connection, segment)
        del before[-len(joined) :]
    _store(connection, first_id, last_id, postings)


def forget(connection: Connection, ids: Sequence[int]) -> None:
    """Cut down the segments of which these deletions have left less than half."""
    for row in connection.execute(_TOUCHED, {"first": min(ids), "last": max(ids)}).fetchall():
        segment = Segment._make(row)
        limits = {"first": segment.first_id, "last": segment.last_id}
        live = [slot for (slot,) in connection.execute(_LIVE, limits)]
        if 2 * len(live) < segment.chunks or not live:
            _cut(connection, segment, np.array(live, dtype=np.uint16))


def _to_join(before: Sequence[Segment], chunks: int, last_id: int) -> Sequence[Segment]:
    """Return the last segments that the next one, of so many chunks, is joined with; none if it stands alone."""
    grade = _grade(chunks)
    run = _last_up_to(before, grade - 1)
    if not run and grade < len(TOGETHER):
        same = _last_up_to(before, grade)
        run = same if len(same) + 1 >= TOGETHER[grade] else []
    return run if run and last_id - run[0].first_id < SLOTS else []


def _last_up_to(before: Sequence[Segment], grade: int) -> list[Segment]:
    """Return the last segments, as far back as none is of a higher grade."""
    run = list(takewhile(lambda segment: _grade(segment.chunks) <= grade, reversed(before)))
    return run[::-1]


def _grade(chunks: int) -> int:
    return sum(chunks >= limit for limit in GRADES)


def _store(connection: Connection, first_id: int, last_id: int, postings: Postings) -> None:
    buckets = layout.bucket_count(postings)
    number: int = connection.execute(_INSERT, (first_id, last_id, postings.chunks, buckets)).get
    rows = ((number * MOST_BUCKETS + bucket, data) for bucket, data in layout.pack(postings, buckets))
    connection.executemany("INSERT INTO postings VALUES (?, ?)", rows)


def _load(connection: Connection, segment: Segment) -> Postings:
    limits = segment.first_bucket, segment.first_bucket + segment.buckets - 1
    return layout.unpack(data for (data,) in connection.execute(_DATA, limits))


def _drop(connection: Connection, segment: Segment) -> None:
    limits = segment.first_bucket, segment.first_bucket + segment.buckets - 1
    connection.execute("DELETE FROM postings WHERE bucket BETWEEN ? AND ?", limits)
    connection.execute("DELETE FROM segments WHERE number = ?", (segment.number,))


def _cut(connection: Connection, segment: Segment, slots: NDArray[np.uint16]) -> None:
    whole = _load(connection, segment)
    left = layout.keep(whole, slots)
    _drop(connection, segment)
    _count(connection, whole, -1)
    if len(left.words):
        _count(connection, left, 1)
        _store(connection, segment.first_id, segment.last_id, left)


def _count(connection: Connection, postings: Postings, sign: int) -> None:
    """Add to what the whole file has of each word, or take it off."""
    import apsw

    words, having = postings.words.view(np.int64), postings.frequencies
    for number in np.unique(having).tolist():
        connection.execute(_COUNT_UP, (sign * number, apsw.carray(words[having == number])))
    if sign < 0:
        connection.execute(_FORGET_WORDS, (apsw.carray(words),))
    change = {"chunks": sign * postings.chunks, "words": sign * postings.total}
    connection.execute("UPDATE totals SET chunks = chunks + :chunks, words = words + :words", change)
