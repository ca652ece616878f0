"""The leg that goes by words: BM25 of every chunk that has one, in single precision as Lucene's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from knowledge_base.adapters.embedded.lucene import contributions, saturations, weight
from knowledge_base.adapters.embedded.nearest import best
from knowledge_base.adapters.embedded.postings import bucket_of, digest, find
from knowledge_base.adapters.embedded.scope import Scope
from knowledge_base.adapters.embedded.segments import Segment

if TYPE_CHECKING:
    from apsw import Connection

_FREQUENCIES = "SELECT word, chunks FROM carray(?) CROSS JOIN frequencies ON word = value"
_BUCKETS = "SELECT bucket, data FROM carray(?) CROSS JOIN postings ON bucket = value"


@dataclass(frozen=True, slots=True)
class _Slots:
    """Where the scores of a segment's chunks are added up: by slot, or in place if there is a chunk at every slot."""

    segment: Segment
    saturation: NDArray[np.float32]
    scores: NDArray[np.float64]
    target: NDArray[np.float64]
    places: NDArray[np.int64] | None

    def add(self, slots: NDArray[np.intp], counts: NDArray[np.integer], value: np.float32) -> None:
        """Add what a word counts that stands so many times in the chunks at some slots."""
        self.scores[slots] += contributions(value, counts, self.saturation.take(slots))

    def finish(self) -> None:
        """Put the scores in their place."""
        if self.places is not None:
            self.target[:] = self.scores[self.places]


def matching(
    connection: Connection, scope: Scope, words: Sequence[str], limit: int
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Return positions that hold the best, in ascending order, and their scores; more than `limit` only for ties."""
    weights = _weights(connection, words)
    if not weights or not scope.shelves:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.float32)
    scores = _scores(connection, scope, weights)
    scores *= scope.is_allowed
    found = best(scores, limit)
    found = found[scores[found] > 0]
    return found, scores[found]


def _weights(connection: Connection, words: Sequence[str]) -> dict[int, np.float32]:
    """Return the weight of each word that any chunk has, the rarest first."""
    import apsw

    digests = np.array([digest(word.encode()) for word in words], dtype=np.uint64).view(np.int64)
    chunks = connection.execute("SELECT chunks FROM totals").get
    having = dict(connection.execute(_FREQUENCIES, (apsw.carray(digests),))) if len(digests) else {}
    return {word % 2**64: weight(number, chunks) for word, number in sorted(having.items(), key=lambda item: item[1])}


def _scores(connection: Connection, scope: Scope, weights: dict[int, np.float32]) -> NDArray[np.float32]:
    chunks, words = connection.execute("SELECT chunks, words FROM totals").get
    scores = np.zeros(int(scope.starts[-1]))
    slots = _all_slots(scope, scores, words / chunks)
    for word, value in weights.items():
        _add(connection, slots, word, value)
    for part in slots:
        part.finish()
    return scores.astype(np.float32)


def _all_slots(scope: Scope, scores: NDArray[np.float64], average: float) -> list[_Slots]:
    slots: list[_Slots] = []
    for shelf, start in zip(scope.shelves, scope.starts.tolist(), strict=False):
        saturation = saturations(shelf.lengths, average)
        slots += [_slots_of(segment, shelf.ids, saturation, scores[start:]) for segment in shelf.segments]
    return slots


def _slots_of(
    segment: Segment, ids: NDArray[np.int64], saturation: NDArray[np.float32], scores: NDArray[np.float64]
) -> _Slots:
    start, end = np.searchsorted(ids, (segment.first_id, segment.last_id + 1)).tolist()
    target, size = scores[start:end], segment.last_id + 1 - segment.first_id
    if end - start == size:
        return _Slots(segment, saturation[start:end], target, target, None)
    places = ids[start:end] - segment.first_id
    by_slot = np.zeros(size, dtype=np.float32)
    by_slot[places] = saturation[start:end]
    return _Slots(segment, by_slot, np.zeros(size), target, places)


def _add(connection: Connection, parts: Sequence[_Slots], word: int, value: np.float32) -> None:
    """Add what one word counts to the scores of all chunks that have it."""
    import apsw

    wanted = {part.segment.first_bucket + bucket_of(word, part.segment.buckets): part for part in parts}
    for bucket, data in connection.execute(_BUCKETS, (apsw.carray(np.array(list(wanted), dtype=np.int64)),)):
        found = find(data, np.uint64(word))
        if found:
            slots, counts = found
            wanted[bucket].add(slots.astype(np.intp), counts, value)
