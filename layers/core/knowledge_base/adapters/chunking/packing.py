"""Segments to pieces of at most so many tokens, cut where it hurts least."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from knowledge_base.adapters.chunking.boundaries import BLOCK, HEADING, LINE, SENTENCE, WITHIN, Segment
from knowledge_base.adapters.chunking.tokens import count, count_each, length_of_tokens

_LEAST_FILL = {HEADING: 0.25, BLOCK: 0.4, LINE: 0.6, SENTENCE: 0.75}
"""How full a piece must be for a boundary of each strength to be preferred to fuller pieces."""
_NEW_SECTION_FILL = 0.5
"""From this on, a new section begins a new piece though it would still fit."""
_FINE = 4
"""Segments over a quarter of the size are cut finer, so that a heading finds room beside what follows."""
_BATCH = 2_000
_CHARACTERS_PER_TOKEN = 12
_SOFT = re.compile(r"[\s，、；：,;:/|]")
_JOINERS = frozenset("\u200d\ufe0e\ufe0f")


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a range without blank lines before and white space after, but with its first line's indentation."""
    piece = text[start:end]
    blank = len(piece) - len(piece.lstrip())
    first = piece.rfind("\n", 0, blank) + 1
    return start + first, start + max(first, len(piece.rstrip()))


@dataclass(frozen=True, slots=True)
class _Sized:
    segment: Segment
    tokens: int


def pack(text: str, segments: Iterable[Segment], size: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of pieces of at most `size` tokens, in order; only white space lies between them.

    Only a single character that has more tokens than `size` makes a longer piece.
    """
    window: list[_Sized] = []
    filled = 0
    for sized in _sized(text, segments, max(1, size // _FINE)):
        while window and (filled + sized.tokens > size or _begins_section(sized, filled, size)):
            cut = _best_cut(window, sized, filled, size)
            yield from _exactly(text, window[:cut], size)
            window = window[cut:]
            filled = sum(member.tokens for member in window)
        window.append(sized)
        filled += sized.tokens
    yield from _exactly(text, window, size)


def _sized(text: str, segments: Iterable[Segment], largest: int) -> Iterator[_Sized]:
    """Count the segments' tokens, many at a time, and cut those that are too large."""
    stream = iter(segments)
    while batch := list(islice(stream, _BATCH)):
        counts = count_each([text[segment.start : segment.end] for segment in batch])
        for segment, tokens in zip(batch, counts, strict=True):
            if tokens <= largest:
                yield _Sized(segment, tokens)
            else:
                yield from _cut_finer(text, segment, largest)


def _cut_finer(text: str, segment: Segment, largest: int) -> Iterator[_Sized]:
    strength = segment.strength
    start = segment.start
    while start < segment.end:
        end = _soft_end(text, start, segment.end, largest)
        yield _Sized(Segment(start, end, strength), count(text[start:end]))
        start, strength = end, WITHIN


def _soft_end(text: str, start: int, end: int, largest: int) -> int:
    """Return an end within the limit: behind a comma or space if one is in the second half, else anywhere."""
    beginning = text[start : min(end, start + largest * _CHARACTERS_PER_TOKEN)]
    length = length_of_tokens(beginning, largest)
    if start + length >= end:
        return end
    soft = max((match.end() for match in _SOFT.finditer(beginning, length // 2, length)), default=0)
    return start + max(1, soft or _whole_characters(beginning, length))


def _whole_characters(text: str, length: int) -> int:
    """Step back before a letter whose marks would be left behind."""
    for position in range(length, max(0, length - 8), -1):
        following = text[position : position + 1]
        if not following or not (unicodedata.combining(following) or following in _JOINERS):
            return position
    return length


def _begins_section(sized: _Sized, filled: int, size: int) -> bool:
    return sized.segment.strength >= HEADING and filled >= _NEW_SECTION_FILL * size


def _best_cut(window: list[_Sized], incoming: _Sized, filled: int, size: int) -> int:
    """Return how many members to take: up to the strongest boundary that leaves the piece full enough."""
    best, best_strength, last_allowed = 0, WITHIN, 0
    fill = 0
    for taken, following in enumerate((*window[1:], incoming), start=1):
        fill += window[taken - 1].tokens
        strength = min(following.segment.strength, HEADING)
        if strength < WITHIN:
            continue
        last_allowed = taken
        if strength >= max(best_strength, SENTENCE) and fill >= _LEAST_FILL[strength] * min(size, filled):
            best, best_strength = taken, strength
    return best or last_allowed or len(window)


def _exactly(text: str, window: list[_Sized], size: int) -> Iterator[tuple[int, int]]:
    """Yield the range of some members, or of parts of them where together they have more tokens than apart."""
    if not window:
        return
    start, end = trim(text, window[0].segment.start, window[-1].segment.end)
    if len(window) == 1 or count(text[start:end]) <= size:
        yield start, end
    else:
        yield from _exactly(text, window[:-1], size)
        yield from _exactly(text, window[-1:], size)
