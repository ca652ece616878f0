"""The scores of one keyword search, added up word by word, where the chunks of each segment stand by their slots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from knowledge_base.adapters.embedded.lucene import contributions, saturations
from knowledge_base.adapters.embedded.postings import bucket_of, find
from knowledge_base.adapters.embedded.scope import Scope
from knowledge_base.adapters.embedded.segments import Segment

if TYPE_CHECKING:
    from apsw import Connection

_BUCKETS = "SELECT bucket, data FROM carray(?) CROSS JOIN postings ON bucket = value"


class SegmentScores:
    """The scores of the chunks of one segment, by their slots."""

    def __init__(self, segment: Segment, ids: NDArray[np.int64], saturation: NDArray[np.float32]) -> None:
        size = segment.last_id + 1 - segment.first_id
        self.segment = segment
        self.scores = np.zeros(size)
        self._places: NDArray[np.int64] | None = None
        self._saturation = saturation
        if len(ids) < size:
            self._places = ids - segment.first_id
            self._saturation = np.zeros(size, dtype=np.float32)
            self._saturation[self._places] = saturation

    def add(self, slots: NDArray[np.uint16], counts: NDArray[np.integer], weight: np.float32) -> None:
        """Add what a word of this weight counts that stands so many times in the chunks at some slots."""
        chosen = slots.astype(np.intp)
        self.scores[chosen] += contributions(weight, counts, self._saturation.take(chosen))

    def by_row(self) -> NDArray[np.float64]:
        """Return the scores of the chunks that are there, in the order of their ids."""
        return self.scores if self._places is None else self.scores[self._places]


class Scores:
    """The scores of all chunks of a scope."""

    def __init__(self, connection: Connection, scope: Scope, average_length: float) -> None:
        self._connection = connection
        self._scope = scope
        self._parts: list[tuple[int, int, SegmentScores]] = []
        for shelf, start in zip(scope.shelves, scope.starts.tolist(), strict=False):
            saturation = saturations(shelf.lengths, average_length)
            for segment in shelf.segments:
                first, last = np.searchsorted(shelf.ids, (segment.first_id, segment.last_id + 1)).tolist()
                part = SegmentScores(segment, shelf.ids[first:last], saturation[first:last])
                self._parts.append((start + first, start + last, part))

    def add(self, word: int, weight: np.float32) -> None:
        """Add what one word counts to the scores of all chunks that have it."""
        import apsw

        parts = {s.segment.first_bucket + bucket_of(word, s.segment.buckets): s for _, _, s in self._parts}
        wanted = apsw.carray(np.array(list(parts), dtype=np.int64))
        for bucket, data in self._connection.execute(_BUCKETS, (wanted,)):
            found = find(data, np.uint64(word))
            if found:
                parts[bucket].add(*found, weight)

    def allowed(self) -> NDArray[np.float32]:
        """Return the score of each position, 0 where the scope does not allow it."""
        scores = np.zeros(len(self._scope.is_allowed), dtype=np.float32)
        for start, end, part in self._parts:
            scores[start:end] = part.by_row()
        scores *= self._scope.is_allowed
        return scores
