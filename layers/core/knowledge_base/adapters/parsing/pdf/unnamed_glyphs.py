"""Letters of fonts that do not say which characters their glyphs show, named by what is usual.

Each takes the place of one letter by another, so that places on the page stay as they are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from knowledge_base.adapters.parsing.pdf.characters import is_plain_language

UNNAMED = "\ufffd"
"""What stands for a letter that PDFium has no code for either."""

_SPACES = {"\x01": 31, "\x03": 29, "\x04": 28}
"""The glyph number of the space by how fonts are usually numbered, and how far ASCII is from their numbers."""
_TRUE_TYPE = 29
_LEAST_SPACES = 0.04
_LAST_ASCII, _MAC_ROMAN = 97, 30
_LINE = re.compile(r"[^\r\n]+")
_LIGATURES = {"fi": "\ufb01", "fl": "\ufb02", "ff": "\ufb00", "ffi": "\ufb03", "ffl": "\ufb04"}
_ANY = re.compile("[\x01-\x08\x0e-\x1f\ufffd]")
_TORN_WORD = re.compile("(?<![A-Za-z])([A-Za-z]*)[\x01-\x08\x0e-\x1f\ufffd]([a-z]*)(?![A-Za-z])")
_FEWEST_LETTERS = 3
_WIDE = 0.7


def has_unnamed(text: str) -> bool:
    """Whether a page's text has letters without a name."""
    return _ANY.search(text) is not None


def name_glyph_numbers(text: str, font_at: Callable[[int], bytes]) -> str:
    """Return a page's text with letters in place of the numbers of their glyphs, where that makes it language.

    Fonts are often numbered in the order of ASCII from the space on, TrueType fonts also on, in the order of Mac
    Roman. `font_at` tells the name of the font of the letter at a place: lines in fonts that have names stay.
    """
    space = max(_SPACES, key=text.count)
    if text.count(space) < max(_FEWEST_LETTERS, _LEAST_SPACES * len(text)):
        return text
    fonts = {font_at(match.start()) for match in _LINE.finditer(text) if space in match[0]}
    shift = _SPACES[space]

    def name(match: re.Match[str]) -> str:
        return "".join(_named(letter, shift) for letter in match[0]) if font_at(match.start()) in fonts else match[0]

    named = _LINE.sub(name, text)
    return named if is_plain_language(named) else text


def _named(letter: str, shift: int) -> str:
    number = ord(letter)
    if letter == " ":
        return letter
    if number <= _LAST_ASCII:
        return chr(number + shift)
    if shift != _TRUE_TYPE:
        return UNNAMED
    return bytes([number + _MAC_ROMAN]).decode("mac_roman") if number + _MAC_ROMAN < 256 else letter


def name_ligatures(text: str, other_text: Callable[[], str], width_at: Callable[[int], float]) -> str:
    """Return a page's text with ligatures in place of unnamed letters within words.

    `other_text` returns what another reader makes of the page. Within a word that it does not know either, a letter
    is taken for fi, a wide one for ffi; `width_at` tells the width of the letter at a place, in sizes of its font.
    """
    if not any(len(before) + len(after) >= _FEWEST_LETTERS for before, after in _TORN_WORD.findall(text)):
        return text
    other = unicodedata.normalize("NFKC", other_text())
    return _TORN_WORD.sub(lambda match: _whole(match, other, width_at), text)


def _whole(torn: re.Match[str], other: str, width_at: Callable[[int], float]) -> str:
    before, after = torn.groups()
    if len(before) + len(after) < _FEWEST_LETTERS:
        return torn[0]
    known = re.search(rf"\b{before}(ffi|ffl|ff|fi|fl){after}\b", other)
    if not known and not (before and after):
        return torn[0]
    usual = "ffi" if width_at(torn.end(1)) > _WIDE else "fi"
    return before + _LIGATURES[known[1] if known else usual] + after
