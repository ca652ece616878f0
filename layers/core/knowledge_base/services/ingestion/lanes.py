"""How many batches of one version are under way at a time, so that a long document does not fill the queue.

A version's batches are dealt out to lanes: batch n is in lane n modulo `LANES`. Each lane has one message
at a time, and whoever has embedded a batch orders the next one of its lane. A document that comes later
therefore waits for at most `LANES` batches of each document before it, not for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from knowledge_base.domain.documents import Version

LANES = 4


def lane_heads(version: Version) -> Iterator[int]:
    """Yield the first batch that is not embedded in each lane."""
    for lane in range(min(LANES, version.batch_count)):
        head = next_in_lane(version, lane - LANES)
        if head is not None:
            yield head


def next_in_lane(version: Version, batch: int) -> int | None:
    """Return the first batch after this one in its lane that is not embedded, None at the lane's end."""
    following = range(batch + LANES, version.batch_count, LANES)
    return next((number for number in following if number not in version.batches_done), None)
