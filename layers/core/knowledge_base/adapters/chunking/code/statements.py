"""Statements in lines that are too long, and lines in statements that are: told by brackets, commas, semicolons."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge_base.adapters.chunking.code.syntax import Syntax
from knowledge_base.adapters.chunking.parts import Cut, Part, soft_parts

_SHORTEST = 80
"""Characters; shorter pieces would only take time to put together again."""
_PENALTIES = {"\n": 0, ";": 0, "}": 0, ">": 0, ",": 1}
_OTHER_PENALTY = 2
_STEP = 4
"""One open bracket is worse than any sign to cut behind."""
_WORST = 100 * _STEP
_LEAST_FILL = 0.5
_AFTER_BRACKETS = (";", ",", ")", "]", "}", ".")


def statements(text: str, part: Part, _largest: int, syntax: Syntax) -> Iterator[Part]:
    """Yield pieces that end where the fewest brackets are open, or with a line."""
    start, cut = part.start, part.cut
    best, least = start, _WORST + 1
    for place, cost in _places(text, part, syntax):
        if cost <= least:
            best, least = place, cost
        if place - start >= _SHORTEST:
            yield Part(start, best, cut, soft_parts)
            start, cut = best, Cut(0.9 - least / (2 * _WORST), _LEAST_FILL)
            least = _WORST + 1 if best == place else cost
            best = place
    if start < part.end:
        yield Part(start, part.end, cut, soft_parts)


def _places(text: str, part: Part, syntax: Syntax) -> Iterator[tuple[int, int]]:
    """Yield where a cut is thinkable, and how bad it would be."""
    depth = 0
    for match in syntax.pieces.finditer(text, part.start, part.end):
        kind = match.lastgroup
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
            if text[match.end() : match.end() + 1] in _AFTER_BRACKETS:
                continue
        if kind:
            yield match.end(), _cost(match, depth)


def _cost(sign: re.Match[str], depth: int) -> int:
    return min(depth * _STEP + _PENALTIES.get(sign[0], _OTHER_PENALTY), _WORST)
