"""Accents that a PDF draws as signs of their own, put back onto their letters.

TeX sets ğ as g and a breve above it; the text then reads "Oguz ˘". The boxes of the glyphs tell which
letter the accent belongs to.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

COMBINING = {
    "´": "\u0301", "`": "\u0300", "¨": "\u0308", "ˆ": "\u0302", "˜": "\u0303", "˘": "\u0306",
    "ˇ": "\u030c", "¸": "\u0327", "˚": "\u030a", "˝": "\u030b", "¯": "\u0304", "˙": "\u0307", "˛": "\u0328",
}  # fmt: skip
REACH = 40
MAX_OFFSET = 0.45


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    bottom: float
    right: float
    top: float

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    @property
    def width(self) -> float:
        return self.right - self.left


def attach_accents(characters: list[str], textpage: Any) -> None:
    """Put loose accents among the characters of a pypdfium2 text page onto their letters; what is moved gets empty."""
    for place, character in enumerate(characters):
        if character in COMBINING:
            _attach(characters, place, textpage)


def _attach(characters: list[str], place: int, textpage: Any) -> None:
    accent = _box(textpage, place)
    near = range(max(0, place - REACH), min(len(characters), place + REACH))
    letters = [(_distance(_box(textpage, other), accent), other) for other in near if _takes_accent(characters[other])]
    distance, letter = min(letters, default=(1.0, -1))
    if distance > MAX_OFFSET:
        return
    characters[letter] = unicodedata.normalize("NFC", characters[letter] + COMBINING[characters[place]])
    characters[place] = ""
    if place and characters[place - 1] == " ":
        characters[place - 1] = ""


def _takes_accent(character: str) -> bool:
    return len(character) == 1 and character.isalpha() and character not in COMBINING


def _distance(letter: _Box, accent: _Box) -> float:
    """How far the accent's middle is from the letter's, in widths of the letter; 1 and more on another line."""
    height = max(letter.top - letter.bottom, accent.top - accent.bottom)
    if letter.width <= 0 or not letter.bottom - height <= accent.bottom <= letter.top + height:
        return 1.0
    return abs(letter.middle - accent.middle) / letter.width


def _box(textpage: Any, place: int) -> _Box:
    return _Box(*textpage.get_charbox(place))
