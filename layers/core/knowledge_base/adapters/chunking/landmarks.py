"""Places at which windows end, each chosen by the text right around it: an edit moves only those next to it.

Content-defined chunking by local minima: Bjørner, Blass and Gurevich, "Content-dependent chunking for
differential compression, the local maximum approach", 2010.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple
from zlib import crc32

_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_LINE = re.compile(r"\n\s*")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")
_LEVELS = (_PARAGRAPH, _LINE, _SENTENCE)
_SIGNATURE = 32


class _Candidate(NamedTuple):
    place: int
    checksum: int


def landmarks(text: str, begin: int, reach: int, longest: int) -> Iterator[int]:
    """Yield places from `begin` on in order, none nearer than `reach` characters to the next, to it or to the end.

    They are beginnings of paragraphs; where these leave more than `longest` characters, also of lines, and
    then of sentences. A place is taken whose first characters have the least checksum of all places within reach.
    """
    return _inside(text, begin, len(text), reach, longest, 0)


def _inside(text: str, begin: int, end: int, reach: int, longest: int, level: int) -> Iterator[int]:
    if level == len(_LEVELS) or end - begin < 2 * reach:
        return
    last = begin
    for place in chain(_least(_candidates(text, begin + reach, end - reach, level), reach), (None,)):
        until = end if place is None else place
        if until - last > longest:
            yield from _inside(text, last, until, reach, longest, level + 1)
        if place is not None:
            yield place
            last = place


def _candidates(text: str, low: int, high: int, level: int) -> Iterator[_Candidate]:
    for found in _LEVELS[level].finditer(text, low, high):
        place = found.end()
        if place > low:
            signature = text[place : place + _SIGNATURE].encode(errors="replace")
            yield _Candidate(place, crc32(signature))


def _least(candidates: Iterable[_Candidate], reach: int) -> Iterator[int]:
    """Yield the candidates that have the least checksum of all within reach; of equal ones the first."""
    undecided: deque[_Candidate] = deque()
    least: deque[_Candidate] = deque()
    for candidate in candidates:
        while undecided and candidate.place - undecided[0].place >= reach:
            yield from _decided(undecided.popleft(), least, reach)
        while least and least[-1].checksum > candidate.checksum:
            least.pop()
        least.append(candidate)
        undecided.append(candidate)
    while undecided:
        yield from _decided(undecided.popleft(), least, reach)


def _decided(candidate: _Candidate, least: deque[_Candidate], reach: int) -> Iterator[int]:
    """Yield a candidate if no other within reach is less; `least` rises, and holds what came since."""
    while least[0].place <= candidate.place - reach:
        least.popleft()
    if least[0] is candidate:
        yield candidate.place
