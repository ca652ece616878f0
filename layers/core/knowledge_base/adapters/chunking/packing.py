"""Parts to pieces of at most so many tokens, cut where it hurts least."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate, islice
from typing import NamedTuple

from knowledge_base.adapters.chunking.parts import WITHIN, Cut, Part
from knowledge_base.adapters.chunking.soft_ends import soft_end
from knowledge_base.adapters.chunking.tokens import count, count_each

_FINE = 4
"""What must be cut finer than the parts that it has is cut into quarters of the size."""
_BATCH, _BATCH_CHARACTERS, _PIECES = 256, 100_000, 64
LONGEST_TOKEN = 16
"""Characters; what has more than this for each token of the size is taken for too large without a count."""


class Piece(NamedTuple):
    """Characters `[start, end)` that have this number of tokens."""

    start: int
    end: int
    tokens: int


class _Counted(NamedTuple):
    part: Part
    tokens: int


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a range without blank lines before and white space after, but with its first line's indentation."""
    piece = text[start:end]
    blank = len(piece) - len(piece.lstrip())
    first = piece.rfind("\n", 0, blank) + 1
    return start + first, start + max(first, len(piece.rstrip()))


def pack(text: str, parts: Iterable[Part], size: int) -> Iterator[Piece]:
    """Yield pieces of at most `size` tokens, in order; only white space lies between them.

    A part is cut finer only where no good cut before it leaves a piece well filled. Only a single
    character that has more tokens than `size` makes a longer piece.
    """
    complete = _complete(text, parts, size)
    while batch := list(islice(complete, _PIECES)):
        ranges = [trim(text, window[0].part.start, window[-1].part.end) for window in batch]
        counts = count_each([text[start:end] for start, end in ranges])
        for window, (start, end), tokens in zip(batch, ranges, counts, strict=True):
            if tokens <= size:
                yield Piece(start, end, tokens)
            else:
                yield from _exactly(text, window, size)


def _exactly(text: str, window: list[_Counted], size: int) -> Iterator[Piece]:
    """Yield pieces of some parts that together, or without the space around them, have more tokens than apart."""
    while window:
        taken = len(window)
        piece = _trimmed(text, window[0].part.start, window[-1].part.end)
        while piece.tokens > size and taken > 1:
            taken -= max(1, taken // 8)
            piece = _trimmed(text, window[0].part.start, window[taken - 1].part.end)
        if piece.tokens > size:
            yield from _cut_exactly(text, piece.start, piece.end, size)
        else:
            yield piece
        window = window[taken:]


def _cut_exactly(text: str, start: int, end: int, size: int) -> Iterator[Piece]:
    limit = size
    while start < end:
        stop = soft_end(text, start, end, limit)
        piece = _trimmed(text, start, stop)
        if piece.tokens > size and limit > 1 and stop > start + 1:
            limit -= 1
            continue
        yield piece
        start, limit = stop, size


def _trimmed(text: str, start: int, end: int) -> Piece:
    start, end = trim(text, start, end)
    return Piece(start, end, count(text[start:end]))


def _complete(text: str, parts: Iterable[Part], size: int) -> Iterator[list[_Counted]]:
    """Yield the parts of one piece after the other."""
    packing = _Packing(text, size)
    levels = [packing.counted(parts)]
    while levels:
        counted = next(levels[-1], None)
        if counted is None:
            levels.pop()
            continue
        if packing.takes(counted):
            continue
        yield from packing.make_room(counted)
        if not packing.takes(counted):
            levels.append(packing.counted(_finer(text, counted.part, max(1, size // _FINE))))
    if packing.window:
        yield packing.window


def _finer(text: str, part: Part, largest: int) -> Iterator[Part]:
    """Yield the smaller parts; a cut before the first one is as good as one before the part itself."""
    if part.finer is None:
        return
    smaller = part.finer(text, part, largest)
    for first in smaller:
        yield first._replace(cut=part.cut)
        break
    yield from smaller


class _Packing:
    """The parts that the next piece is made of."""

    def __init__(self, text: str, size: int) -> None:
        self._text = text
        self._size = size
        self.window: list[_Counted] = []
        self._filled = 0

    def counted(self, parts: Iterable[Part]) -> Iterator[_Counted]:
        """Yield parts with their numbers of tokens, which are counted many at a time."""
        batch: list[Part] = []
        characters = 0
        for part in parts:
            batch.append(part)
            characters += part.end - part.start
            if len(batch) >= _BATCH or characters > _BATCH_CHARACTERS:
                yield from map(_Counted, batch, self._counts(batch))
                batch, characters = [], 0
        yield from map(_Counted, batch, self._counts(batch))

    def _counts(self, batch: list[Part]) -> Iterator[int]:
        texts = [self._text[part.start : part.end] for part in batch if not self._is_surely_too_large(part)]
        counts = iter(count_each(texts))
        return (self._size + 1 if self._is_surely_too_large(part) else next(counts) for part in batch)

    def _is_surely_too_large(self, part: Part) -> bool:
        return part.finer is not None and part.end - part.start > self._size * LONGEST_TOKEN

    def takes(self, counted: _Counted) -> bool:
        """Put a part into the piece that is being made, if it fits; what is not cut fits into an empty one."""
        part, tokens = counted
        filled = self._filled
        if self.window:
            if filled + tokens > self._size or filled >= part.cut.opens_at * self._size:
                return False
        elif tokens > self._size and part.finer is not None:
            return False
        self.window.append(counted)
        self._filled = filled + tokens
        return True

    def make_room(self, counted: _Counted) -> Iterator[list[_Counted]]:
        """Yield what is complete before this part, as far as that needs no part to be cut finer."""
        cut = counted.part.cut
        if self._filled >= cut.opens_at * self._size:
            yield self._take(len(self.window))
        while self.window and self._filled + counted.tokens > self._size:
            taken = self._best_cut(cut) or self._poor_cut(counted)
            if not taken:
                return
            yield self._take(taken)

    def _best_cut(self, incoming: Cut) -> int:
        """Return how many parts to take: up to the best cut that leaves the piece full enough, 0 if none does."""
        best, strength = 0, WITHIN.strength
        fills = accumulate(counted.tokens for counted in self.window)
        for taken, (fill, cut) in enumerate(zip(fills, self._cuts(incoming), strict=True), start=1):
            if cut.strength >= strength and cut.strength > WITHIN.strength and fill >= cut.least_fill * self._size:
                best, strength = taken, cut.strength
        return best

    def _poor_cut(self, counted: _Counted) -> int:
        """Return how many parts to take up to the last place that may be cut, 0 if the incoming part shall be cut."""
        part = counted.part
        allowed = [taken for taken, cut in enumerate(self._cuts(part.cut), start=1) if cut.strength >= 0]
        if part.finer is None or (part.is_whole and counted.tokens <= self._size):
            return allowed[-1] if allowed else (len(self.window) if part.finer is None else 0)
        return 0

    def _cuts(self, incoming: Cut) -> list[Cut]:
        return [*(counted.part.cut for counted in self.window[1:]), incoming]

    def _take(self, taken: int) -> list[_Counted]:
        complete, self.window = self.window[:taken], self.window[taken:]
        self._filled = sum(counted.tokens for counted in self.window)
        return complete
