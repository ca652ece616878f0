"""Where to cut what has no better place: behind a comma or a space, else between two characters."""

from __future__ import annotations

import re

from knowledge_base.adapters.chunking.graphemes import whole_characters
from knowledge_base.adapters.chunking.tokens import length_of_tokens

_CHARACTERS_PER_TOKEN = 12
_SOFT = re.compile(r"[\s，、；：,;:/|]")


def soft_end(text: str, start: int, end: int, largest: int) -> int:
    """Return an end in `(start, end]` so that the piece has at most `largest` tokens, or is a single character.

    It is behind a comma or a space if the second half has one.
    """
    beginning = text[start : min(end, start + largest * _CHARACTERS_PER_TOKEN)]
    length = length_of_tokens(beginning, largest)
    if start + length >= end:
        return end
    soft = max((match.end() for match in _SOFT.finditer(beginning, length // 2, length)), default=length)
    return whole_characters(text, start + max(1, soft), start)
