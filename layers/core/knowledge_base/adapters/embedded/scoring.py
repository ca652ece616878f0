"""The scores of one keyword search, added up word by word."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from knowledge_base.adapters.embedded.lucene import contributions, saturations
from knowledge_base.adapters.embedded.postings import bucket_of, find
from knowledge_base.adapters.embedded.scope import Scope
from knowledge_base.adapters.embedded.segments import Segment
from knowledge_base.adapters.embedded.shelf import Shelf

if TYPE_CHECKING:
    from apsw import Connection

FEW = 2048
"""Fewer chunks of a segment than these are added together with those of others, more while the cache holds them."""

_BUCKETS = "SELECT bucket, data FROM carray(?) CROSS JOIN postings ON bucket = value"


class _Places(NamedTuple):
    """Where the chunks of a segment are: at positions in a row, or, with gaps, at the position of each slot."""

    segment: Segment
    start: int
    positions: NDArray[np.intp] | None

    def of(self, slots: NDArray[np.uint16]) -> NDArray[np.intp]:
        if self.positions is None:
            return np.add(slots, self.start, dtype=np.intp)
        return self.positions[slots]


class Scores:
    """The scores of all chunks of a scope; behind the last one those of chunks that are deleted are lost."""

    def __init__(self, connection: Connection, scope: Scope, average_length: float) -> None:
        self._connection = connection
        self._is_allowed = scope.is_allowed
        self._saturation = np.append(saturations(scope.lengths, average_length), np.float32(0))
        self._sums = np.zeros(len(self._saturation))
        self._places = [
            _places_of(segment, shelf, start, len(scope.is_allowed))
            for shelf, start in zip(scope.shelves, scope.starts, strict=False)
            for segment in shelf.segments
        ]

    def add(self, word: int, weight: np.float32) -> None:
        """Add what one word counts to the scores of all chunks that have it."""
        import apsw

        places = {p.segment.first_bucket + bucket_of(word, p.segment.buckets): p for p in self._places}
        wanted = apsw.carray(np.array(list(places), dtype=np.int64))
        few = []
        for bucket, data in self._connection.execute(_BUCKETS, (wanted,)):
            for slots, counts in find(data, np.uint64(word)):
                if len(slots) < FEW:
                    few.append((places[bucket].of(slots), counts))
                else:
                    self._add(places[bucket].of(slots), counts, weight)
        if few:
            positions, counts = map(np.concatenate, zip(*few, strict=True))
            self._add(positions, counts, weight)

    def _add(self, positions: NDArray[np.intp], counts: NDArray[np.integer], weight: np.float32) -> None:
        self._sums[positions] += contributions(weight, counts, self._saturation.take(positions))

    def of_allowed(self) -> NDArray[np.float32]:
        """Return the score of each position, 0 where the scope does not allow it."""
        scores = self._sums[:-1].astype(np.float32)
        scores *= self._is_allowed
        return scores


def _places_of(segment: Segment, shelf: Shelf, start: int, lost: int) -> _Places:
    first, last = np.searchsorted(shelf.ids, (segment.first_id, segment.last_id + 1)).tolist()
    size = segment.last_id + 1 - segment.first_id
    if last - first == size:
        return _Places(segment, start + first, None)
    positions = np.full(size, lost, dtype=np.intp)
    positions[shelf.ids[first:last] - segment.first_id] = np.arange(start + first, start + last)
    return _Places(segment, start, positions)
