"""The parts of a text that chunks are packed from, and how good a cut before each of them would be."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from knowledge_base.adapters.chunking.soft_ends import soft_end


class Cut(NamedTuple):
    """How good a cut at one place would be.

    Of two places the one with the greater `strength` is taken, if what goes before it fills at least
    `least_fill` of a chunk; below zero nothing is cut. From `opens_at` on, a new chunk begins here
    though there would be room.
    """

    strength: float
    least_fill: float = 1.0
    opens_at: float = math.inf


class Part(NamedTuple):
    """Characters `[start, end)` that belong together.

    `finer` cuts the part into smaller ones, without a gap; None for what is not cut. A part that
    `is_whole` is only cut when it alone is too large.
    """

    start: int
    end: int
    cut: Cut
    finer: Finer | None = None
    is_whole: bool = False


Finer: TypeAlias = "Callable[[str, Part, int], Iterator[Part]]"
"""Takes the text, the part and the largest number of tokens that a smaller part should have."""

AFTER_HEADING = Cut(-1)
"""What a heading stands above is not parted from it."""
WITHIN = Cut(0)
WRAPPED_LINE = Cut(0.8, 0.85)
SENTENCE = Cut(1, 0.75)
LINE = Cut(2, 0.6)
BLOCK = Cut(3, 0.4)
SECTION = Cut(4, 0.25, 0.5)


def soft_parts(text: str, part: Part, largest: int) -> Iterator[Part]:
    """Yield pieces of at most `largest` tokens: cut behind commas or spaces if there are any, else anywhere."""
    start, cut = part.start, part.cut
    while start < part.end:
        end = soft_end(text, start, part.end, largest)
        yield Part(start, end, cut)
        start, cut = end, WITHIN
