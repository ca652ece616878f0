"""Characters as PDF files hold them, made into characters as people type and search them."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from knowledge_base.adapters.parsing.symbol_fonts import from_private_use

_COMPATIBILITY = (
    (0x2E80, 0x2FD5),  # Chinese radicals, which fonts use in place of the characters
    (0xF900, 0xFAFF),
    (0xFB00, 0xFDFF),  # ligatures, Hebrew and Arabic presentation forms
    (0xFE70, 0xFEFC),
)
_PRIVATE_USE = (0xE000, 0xF8FF)
_HYPHEN_AT_LINE_END = re.compile("[\ufffe\x02]\n?")
_SPACES = re.compile("[ \t\u00a0]{2,}|\t|\u00a0")
_UNREADABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ue000-\uf8ff\ufffd\uffff]")
_GLYPH_NAMES = re.compile(r"(?:/[A-Za-z]{1,3}\d{1,4}\b){2,}")
_NOT_SPACE = re.compile(r"\S")
_LEADERS = re.compile(r"[.·…_\-–—=*]{3,}")
_LATIN = re.compile("[A-Za-z]")
_VOWEL = re.compile("[AEIOUYaeiouy]")

MAX_UNREADABLE = 0.1
LEAST_LETTERS = 0.3
LEAST_VOWELS = 0.16
FEW, MANY = 12, 120


def tidy(text: str) -> str:
    """Return the text of a page without the marks, ligatures and look-alikes of its fonts."""
    text = _HYPHEN_AT_LINE_END.sub("", text.replace("\r\n", "\n"))
    return _SPACES.sub(" ", text.translate(_replacements()))


@cache
def _replacements() -> dict[int, str]:
    usual = {
        code: unicodedata.normalize("NFKC", chr(code))
        for first, last in _COMPATIBILITY
        for code in range(first, last + 1)
    }
    private = {code: from_private_use(chr(code)) for code in range(_PRIVATE_USE[0], _PRIVATE_USE[1] + 1)}
    return {code: text for code, text in (usual | private).items() if text != chr(code)}


def unreadable_share(raw: str) -> float:
    """Return how much of a page's raw text are no characters that anybody could read, from 0 to 1."""
    return len(_UNREADABLE.findall(raw.replace("\x02", ""))) / max(1, len(_NOT_SPACE.findall(raw)))


def looks_garbled(raw: str) -> bool:
    """Whether a page's raw text looks like the codes of a font rather than like language."""
    visible = _NOT_SPACE.findall(_LEADERS.sub("", raw))
    if len(visible) < FEW:
        return False
    names = sum(map(len, _GLYPH_NAMES.findall(raw)))
    if unreadable_share(raw) > MAX_UNREADABLE or names > LEAST_LETTERS * len(visible):
        return True
    if len(visible) < MANY:
        return False
    letters = sum(character.isalnum() or character > "\u02ff" for character in visible)
    return letters < LEAST_LETTERS * len(visible) or _has_no_vowels(raw)


def _has_no_vowels(raw: str) -> bool:
    """Text whose codes are shifted consists of letters, but not of words."""
    latin = len(_LATIN.findall(raw))
    return latin >= MANY and len(_VOWEL.findall(raw)) < LEAST_VOWELS * latin
