"""Characters as PDF files hold them, made into characters as people type and search them."""

from __future__ import annotations

import re
import string
import unicodedata
from functools import cache

from knowledge_base.adapters.parsing.blocks import join_surrogates
from knowledge_base.adapters.parsing.symbol_fonts import from_private_use

_COMPATIBILITY = (
    (0x2E80, 0x2FD5),  # Chinese radicals, which fonts use in place of the characters
    (0xF900, 0xFAFF),
    (0xFB00, 0xFDFF),  # ligatures, Hebrew and Arabic presentation forms
    (0xFE70, 0xFEFC),
)
_PRIVATE_USE = (0xE000, 0xF8FF)
_HYPHEN_AT_LINE_END = re.compile("\0|[\ufffe\x02]\n?")
_SPACES = re.compile("[ \t\u00a0]{2,}|\t|\u00a0")
_UNREADABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufffd\uffff]")
_GLYPH_NAMES = re.compile(r"/[A-Za-z]{1,3}\d{1,4}(?:/[A-Za-z]{1,3}\d{1,4})+\b")
_GLYPH_NUMBERS = re.compile(r"\(cid:\d+\)")
_LEADERS = re.compile(r"[.·…_\-–—=*]{3,}")
_NO_LETTERS = re.compile("[^\\w\u0300-\U0010ffff]+|_+")
_NO_LATIN = re.compile("[^A-Za-z]+")
_VOWELS = "AEIOUYaeiouy"
_LATIN = string.ascii_letters.encode()
_NO_LATIN_LETTERS = bytes(set(range(128)) - set(_LATIN))
_NO_VOWELS = bytes(set(range(128)) - set(_VOWELS.encode()))
_NO_SIGNS = _LATIN + b" \r\n\t"
_SUSPECT = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufffd\uffff]|/[A-Za-z]{1,3}[0-9]|\\(cid:")
_SURROGATES = re.compile("[\ud800-\udfff]")
_NEEDS_TIDYING = re.compile(
    "[\0\x02\t\u00a0\u2e80-\u2fd5\ud800-\uf8ff\uf900-\ufaff\ufb00-\ufdff\ufe70-\ufefc\ufffe]|  "
)

MAX_UNREADABLE = 0.1
LEAST_LETTERS = 0.3
LEAST_VOWELS = 0.16
FEW, MANY = 12, 120


def needs_tidying(text: str) -> bool:
    """Whether `tidy` would change anything about the lines of a text."""
    return _NEEDS_TIDYING.search(text) is not None


def tidy(text: str) -> str:
    """Return the text of a page without the marks, ligatures and look-alikes of its fonts."""
    if not needs_tidying(text):
        return text
    if _SURROGATES.search(text):
        text = join_surrogates(text)
    text = _HYPHEN_AT_LINE_END.sub("", text)
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


def count_visible(raw: str) -> int:
    """Return how many characters of a page's raw text are no white space."""
    return len("".join(raw.split()))


def count_unreadable(raw: str) -> int:
    """Return how many characters of a page's raw text nobody could read."""
    return len(_UNREADABLE.findall(raw.replace("\x02", "")))


def looks_garbled(raw: str) -> bool:
    """Whether a page's raw text looks like the codes of a font rather than like language."""
    return not is_plain_language(raw) and _is_garbled(raw)


def is_plain_language(raw: str) -> bool:
    """Whether a text surely is language in Latin letters, told by counts that take no time."""
    latin = raw.encode("ascii", "ignore")
    others = len(raw) - len(latin)
    letters = len(latin.translate(None, _NO_LATIN_LETTERS))
    vowels = len(latin.translate(None, _NO_VOWELS))
    signs = len(latin.translate(None, _NO_SIGNS)) + (others if others > letters // 4 else 0)
    return not _SUSPECT.search(raw) and letters > 2 * signs and vowels >= LEAST_VOWELS * letters


def _is_garbled(raw: str) -> bool:
    visible = _LEADERS.sub("", "".join(raw.split()))
    if len(visible) < FEW:
        return False
    names = sum(map(len, _GLYPH_NAMES.findall(raw) + _GLYPH_NUMBERS.findall(raw)))
    if count_unreadable(raw) > MAX_UNREADABLE * len(visible) or names > LEAST_LETTERS * len(visible):
        return True
    if len(visible) < MANY:
        return False
    letters = len(_NO_LETTERS.sub("", visible))
    return letters < LEAST_LETTERS * len(visible) or _has_no_vowels(visible)


def _has_no_vowels(visible: str) -> bool:
    """Text whose codes are shifted consists of letters, but not of words."""
    vowels = sum(map(visible.count, _VOWELS))
    if vowels >= LEAST_VOWELS * len(visible):
        return False
    latin = len(_NO_LATIN.sub("", visible))
    return latin >= MANY and vowels < LEAST_VOWELS * latin
