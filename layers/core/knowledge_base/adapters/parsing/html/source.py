"""A big page is cut into pieces at the beginning of blocks, so that no more than one tree is in memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import unescape

from knowledge_base.adapters.parsing.html.machinery import strip_machinery

MAX_AT_ONCE = 4_000_000
"""Characters that are read as one tree: an element takes some 300 bytes of memory, and has 10 characters or more."""
MAX_SIGNS_AT_ONCE = 400_000
MAX_SIGNS = 2_000_000
"""`<` signs (two an element) up to which structure is kept: building and walking a tree takes some 10 µs an element."""
_KEPT_WHOLE = re.compile(r"<(/?)(?:pre|textarea|title)\b", re.I)
_BOUNDARY = re.compile(r"<(?:p|div|tr|h[1-6]|table|ul|ol|dl|section|article|pre|hr)\b", re.I)
_END_OF_CELL = re.compile(r"</t[dh]\s*>", re.I)
_END_OF_BLOCK = re.compile(r"</(?:p|div|tr|li|h[1-6]|dt|dd|table)\s*>|<(?:br|p|tr|li|hr)\b[^>]*>", re.I)
_TAG = re.compile(r"<[^<>]{0,2000}>")
_SPACES = re.compile(r"[ \t]+")


def is_big(source: str) -> bool:
    """Whether a page is read in pieces."""
    return len(source) > MAX_AT_ONCE or source.count("<") > MAX_SIGNS_AT_ONCE


def cut(texts: Iterable[str]) -> Iterator[str]:
    """Yield a big page in pieces that begin at blocks, without scripts, styles and comments."""
    waiting = ""
    for text in strip_machinery(texts):
        waiting += text
        while is_big(waiting):
            place = _place_to_cut(waiting)
            yield waiting[:place]
            waiting = waiting[place:]
    yield waiting


def lines_of(source: str) -> list[str]:
    """Return the lines of a piece of a page by its tags alone: no structure, but hardly any time or memory."""
    source = _END_OF_BLOCK.sub("\n", _END_OF_CELL.sub(" | ", source.replace("\n", " ")))
    lines = _SPACES.sub(" ", unescape(_TAG.sub("", source))).split("\n")
    return [line for line in (line.strip(" |") for line in lines) if line]


def _place_to_cut(text: str) -> int:
    limit = min(MAX_AT_ONCE, _place_of_sign(text, MAX_SIGNS_AT_ONCE))
    last = max(_KEPT_WHOLE.finditer(text, limit // 2, limit), key=lambda found: found.start(), default=None)
    end = last.start() if last is not None and not last[1] else limit
    for boundary in _BOUNDARY.finditer(text, end // 2, end):
        limit = boundary.start()
    return limit or end


def _place_of_sign(text: str, number: int) -> int:
    place = -1
    for _ in range(number):
        place = text.find("<", place + 1)
        if place < 0:
            return len(text)
    return place
