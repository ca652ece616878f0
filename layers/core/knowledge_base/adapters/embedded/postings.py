"""Which words stand in which chunks, as sorted arrays: made from texts, joined, cut, and laid out in buckets.

A word is known by 64 bits of its digest. Among a million words, two share them with a chance of 1 to 37 million.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, count
from struct import Struct

import numpy as np
from numpy.typing import NDArray

SLOTS = 2**16
"""How many ids the chunks of one segment may spread over."""

BUCKET_BYTES = 16_384
MOST_BUCKETS = 4096

_ONE, _TWO = Struct("<I"), Struct("<II")
_HEADER = _TWO
"""A bucket is its number of words and the bytes of a count; then the words, the starts, the slots, the counts."""
_COUNTS = {1: "<u1", 4: "<u4"}


@dataclass(frozen=True, slots=True)
class Postings:
    """The words of some chunks in ascending order; `starts[n]:starts[n + 1]` are the postings of word n.

    A posting is the slot of a chunk, its id less the first id of the segment, and how often the word stands in it.
    """

    words: NDArray[np.uint64]
    starts: NDArray[np.int64]
    slots: NDArray[np.uint16]
    counts: NDArray[np.uint32]

    @property
    def frequencies(self) -> NDArray[np.int64]:
        """In how many chunks each word stands."""
        return np.diff(self.starts)

    @property
    def chunks(self) -> int:
        """How many chunks have any word."""
        return int(np.count_nonzero(np.bincount(self.slots))) if len(self.slots) else 0

    @property
    def total(self) -> int:
        """How many words there are in all, repetitions too."""
        return int(self.counts.sum(dtype=np.int64))


@lru_cache(maxsize=2**16)
def digest(word: bytes) -> int:
    """Return the 64 bits by which a word is known, the same in every process."""
    return int.from_bytes(blake2b(word, digest_size=8).digest(), "little")


def read_texts(texts: Sequence[Sequence[bytes]]) -> Postings:
    """Return the postings of texts given as their words; a text's place is its slot."""
    numbers: defaultdict[bytes, int] = defaultdict(count().__next__)
    total = sum(map(len, texts))
    known = np.fromiter(map(numbers.__getitem__, chain.from_iterable(texts)), dtype=np.int64, count=total)
    words = np.fromiter(map(digest, numbers), dtype=np.uint64, count=len(numbers))
    order = np.argsort(words)
    rank = np.empty(len(words), dtype=np.int64)
    rank[order] = np.arange(len(words))
    places = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    keys, counts = np.unique(rank[known] * len(texts) + places, return_counts=True)
    found, slots = np.divmod(keys, max(1, len(texts)))
    starts = np.searchsorted(found, np.arange(len(words) + 1))
    return Postings(words[order], starts, slots.astype(np.uint16), counts.astype(np.uint32))


def join(parts: Sequence[tuple[int, Postings]]) -> Postings:
    """Return the postings of segments that follow one another, each given with its first id."""
    first_id = parts[0][0]
    every = [postings for _, postings in parts]
    words = np.concatenate([postings.words for postings in every])
    order = np.argsort(words, kind="stable")
    sizes = np.concatenate([postings.frequencies for postings in every])
    from_where = np.cumsum(sizes) - sizes
    sizes = sizes[order]
    to_where = np.cumsum(sizes) - sizes
    gather = np.repeat(from_where[order] - to_where, sizes) + np.arange(sizes.sum())
    slots = np.concatenate([postings.slots + np.uint16(id_ - first_id) for id_, postings in parts])
    counts = np.concatenate([postings.counts for postings in every])
    return _unite(words[order], to_where, slots[gather], counts[gather])


def keep(postings: Postings, slots: NDArray[np.uint16]) -> Postings:
    """Return the postings of some slots only."""
    is_kept = np.zeros(SLOTS, dtype=bool)
    is_kept[slots] = True
    kept = is_kept[postings.slots]
    starts = np.concatenate(([0], np.cumsum(kept)))[postings.starts]
    has_any = np.diff(starts) > 0
    return Postings(
        postings.words[has_any],
        np.append(starts[:-1][has_any], starts[-1]),
        postings.slots[kept],
        postings.counts[kept],
    )


def bucket_count(postings: Postings) -> int:
    """Return in how many buckets the postings are best laid out: a power of two."""
    size = 12 * len(postings.words) + 3 * len(postings.slots)
    return int(min(MOST_BUCKETS, 1 << max(0, size // BUCKET_BYTES).bit_length()))


def bucket_of(word: int, buckets: int) -> int:
    """Return the bucket that holds a word."""
    return word * buckets >> 64


def pack(postings: Postings, buckets: int) -> Iterator[tuple[int, bytes]]:
    """Yield each bucket that holds anything, with its bytes."""
    limits = np.array([(number << 64) // buckets for number in range(1, buckets)], dtype=np.uint64)
    ends = [0, *np.searchsorted(postings.words, limits).tolist(), len(postings.words)]
    for number in range(buckets):
        first, last = ends[number], ends[number + 1]
        if first < last:
            yield number, _pack_words(postings, first, last)


def unpack(buckets: Iterable[bytes]) -> Postings:
    """Return the postings that were packed into these buckets, given in order."""
    parts = [_unpack_words(data) for data in buckets]
    sizes = [len(part.slots) for part in parts]
    starts = [part.starts[:-1] + before for part, before in zip(parts, np.cumsum([0, *sizes]), strict=False)]
    return Postings(
        np.concatenate([part.words for part in parts]),
        np.concatenate([*starts, [sum(sizes)]]).astype(np.int64),
        np.concatenate([part.slots for part in parts]),
        np.concatenate([part.counts for part in parts]),
    )


def find(data: bytes, word: np.uint64) -> list[tuple[NDArray[np.uint16], NDArray[np.integer]]]:
    """Return the slots and counts of a word in its bucket, or nothing if it is not there."""
    size, width = _HEADER.unpack_from(data)
    words = np.frombuffer(data, dtype="<u8", count=size, offset=_HEADER.size)
    place = int(words.searchsorted(word))
    if place == size or words[place] != word:
        return []
    starts_at = _HEADER.size + 8 * size
    start, end = _TWO.unpack_from(data, starts_at + 4 * place)
    (total,) = _ONE.unpack_from(data, starts_at + 4 * size)
    slots_at = starts_at + 4 * size + 4
    counts_at = slots_at + 2 * total
    slots = np.frombuffer(data, dtype="<u2", count=end - start, offset=slots_at + 2 * start)
    counts = np.frombuffer(data, dtype=_COUNTS[width], count=end - start, offset=counts_at + width * start)
    return [(slots, counts)]


def _unite(
    words: NDArray[np.uint64], starts: NDArray[np.int64], slots: NDArray[np.uint16], counts: NDArray[np.uint32]
) -> Postings:
    """Let neighbours that are the same word be one."""
    is_first = np.append(True, words[1:] != words[:-1])
    return Postings(words[is_first], np.append(starts[is_first], len(slots)), slots, counts)


def _pack_words(postings: Postings, first: int, last: int) -> bytes:
    start, end = postings.starts[first], postings.starts[last]
    counts = postings.counts[start:end]
    width = 1 if counts.max() < 256 else 4
    return b"".join(
        (
            _HEADER.pack(last - first, width),
            postings.words[first:last].tobytes(),
            (postings.starts[first : last + 1] - start).astype("<u4").tobytes(),
            postings.slots[start:end].tobytes(),
            counts.astype(_COUNTS[width]).tobytes(),
        )
    )


def _unpack_words(data: bytes) -> Postings:
    size, width = _HEADER.unpack_from(data)
    words = np.frombuffer(data, dtype="<u8", count=size, offset=_HEADER.size)
    starts = np.frombuffer(data, dtype="<u4", count=size + 1, offset=_HEADER.size + 8 * size)
    slots_at, total = _HEADER.size + 12 * size + 4, int(starts[-1])
    slots = np.frombuffer(data, dtype="<u2", count=total, offset=slots_at)
    counts = np.frombuffer(data, dtype=_COUNTS[width], count=total, offset=slots_at + 2 * total)
    return Postings(words, starts.astype(np.int64), slots, counts.astype(np.uint32))
