"""Accents that a PDF draws as signs of their own, put back onto their letters.

TeX sets ğ as g and a breve above it; the text then reads "Oguz ˘". The boxes of the glyphs tell which
letter the accent belongs to.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from knowledge_base.adapters.parsing.pdf.letters import Box

COMBINING = {
    "´": "\u0301", "`": "\u0300", "¨": "\u0308", "ˆ": "\u0302", "˜": "\u0303", "˘": "\u0306",
    "ˇ": "\u030c", "¸": "\u0327", "˚": "\u030a", "˝": "\u030b", "¯": "\u0304", "˙": "\u0307", "˛": "\u0328",
}  # fmt: skip
MOVED = "\0"
REACH = 40
MAX_OFFSET = 0.45
_ANY = re.compile(f"[{''.join(COMBINING)}]")


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    top: float
    right: float
    bottom: float

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    @property
    def width(self) -> float:
        return self.right - self.left


def attach_accents(text: str, box_of: Callable[[int], Box]) -> str:
    """Return a page's text with loose accents put onto their letters; what is moved leaves a NUL in its place.

    `box_of` returns the box of the ink of the letter at a place.
    """
    if not _ANY.search(text):
        return text
    letters = list(text)
    box = cache(lambda place: _Box(*box_of(place)))
    for match in _ANY.finditer(text):
        _attach(letters, match.start(), box)
    return "".join(letters)


def _attach(letters: list[str], place: int, box: Callable[[int], _Box]) -> None:
    accent = box(place)
    near = range(max(0, place - REACH), min(len(letters), place + REACH))
    distances = [(_distance(box(other), accent), other) for other in near if _takes_accent(letters[other])]
    distance, letter = min(distances, default=(1.0, -1))
    accented = unicodedata.normalize("NFC", letters[letter] + COMBINING[letters[place]])
    if distance > MAX_OFFSET or len(accented) > 1:
        return
    letters[letter], letters[place] = accented, MOVED
    if place and letters[place - 1] == " ":
        letters[place - 1] = MOVED


def _takes_accent(character: str) -> bool:
    return character.isalpha() and character not in COMBINING


def _distance(letter: _Box, accent: _Box) -> float:
    """How far the accent's middle is from the letter's, in widths of the letter; 1 and more on another line."""
    height = max(letter.top - letter.bottom, accent.top - accent.bottom)
    if letter.width <= 0 or not letter.bottom - height <= accent.bottom <= letter.top + height:
        return 1.0
    return abs(letter.middle - accent.middle) / letter.width
