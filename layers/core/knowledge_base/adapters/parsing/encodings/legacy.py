"""Guesses the legacy encoding of a text by how usual its letters would be in each.

Every candidate encoding is paired with the languages that were written in it. A sample is decoded by
each candidate, and the pair whose letters are the most probable wins (naive Bayes over letters; letter
probabilities by Zipf's law over `letter_frequencies`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from knowledge_base.adapters.parsing.encodings import letter_frequencies as letters

SAMPLE_BYTES = 8_192
LEAST_MEAN = -9.0
"""Mean logarithm of a character's probability below which bytes are no text: text has -7, noise -12."""

_IMPOSSIBLE = math.log(1e-7)
_UNUSUAL = math.log(2e-6)
_ASCII = math.log(1 / 100)
_BREAK_IN_WORD = -4.0


@dataclass(frozen=True, slots=True)
class Language:
    """The logarithms of letter probabilities; `block` is what any other character of the script has."""

    known: Mapping[str, float]
    block: re.Pattern[str] | None = None
    in_block: float = _UNUSUAL


@cache
def _languages() -> dict[str, Language]:
    latin = {name: _alphabet(order, share=0.06) for name, order in letters.LATIN.items()}
    others = {name: _alphabet(order, share=0.8) for name, order in letters.ALPHABETS.items()}
    han = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")
    return {
        **latin,
        **others,
        "simplified": _ideographs(letters.SIMPLIFIED, han),
        "traditional": _ideographs(letters.TRADITIONAL, han),
        "japanese": _ideographs(letters.KANA + letters.KANJI, re.compile("[\u3041-\u30ff\u4e00-\u9fff]")),
        "korean": _ideographs(letters.HANGUL, re.compile("[\uac00-\ud7a3\u3131-\u318e]")),
    }


def _zipf(order: str, share: float, offset: float) -> dict[str, float]:
    total = sum(1 / (rank + offset) for rank in range(len(order)))
    return {letter: math.log(share / (rank + offset) / total) for rank, letter in enumerate(order)}


def _marks(marks: str, share: float) -> dict[str, float]:
    return dict.fromkeys(marks, math.log(share / len(marks)))


def _alphabet(order: str, share: float) -> Language:
    lower = _zipf(order, share, 1.5)
    upper = {letter.upper(): chance - 2.5 for letter, chance in lower.items() if len(letter.upper()) == 1}
    marks = _marks(letters.TYPOGRAPHY, 0.02) | _marks(letters.SYMBOLS, 0.002)
    return Language(marks | upper | lower)


def _ideographs(order: str, block: re.Pattern[str]) -> Language:
    unique = "".join(dict.fromkeys(order))
    marks = _marks(letters.CJK_MARKS, 0.1) | _marks(letters.TYPOGRAPHY, 0.001)
    return Language(marks | _zipf(unique, 0.7, 20), block, math.log(0.15 / 5_000))


_WESTERN = ("french", "spanish", "portuguese", "italian", "german", "nordic", "dutch")
_CENTRAL = ("polish", "czech", "slovak", "hungarian", "romanian", "south_slavic", "german")
_CYRILLIC = ("russian", "ukrainian", "bulgarian", "serbian")

CANDIDATES: dict[str, tuple[str, ...]] = {
    "cp1252": _WESTERN,
    "gb18030": ("simplified", "traditional"),
    "big5hkscs": ("traditional",),
    "cp950": ("traditional",),
    "cp932": ("japanese",),
    "euc_jp": ("japanese",),
    "cp949": ("korean",),
    "cp1251": _CYRILLIC,
    "koi8_u": _CYRILLIC,
    "cp866": _CYRILLIC,
    "iso8859_5": _CYRILLIC,
    "cp1250": _CENTRAL,
    "iso8859_2": _CENTRAL,
    "cp1254": ("turkish",),
    "cp1257": ("lithuanian", "latvian", "estonian"),
    "iso8859_13": ("lithuanian", "latvian", "estonian"),
    "cp1253": ("greek",),
    "iso8859_7": ("greek",),
    "cp1255": ("hebrew",),
    "cp1256": ("arabic",),
    "iso8859_6": ("arabic",),
    "cp874": ("thai",),
    "iso8859_15": _WESTERN,
    "mac_roman": _WESTERN,
    "cp850": _WESTERN,
    "utf_16_le": ("simplified", "traditional", "japanese", "korean", *_CYRILLIC, "greek"),
    "utf_16_be": ("simplified", "traditional", "japanese", "korean", *_CYRILLIC, "greek"),
}
"""In order of how common they are."""

_PRIOR = {encoding: -0.25 * place for place, encoding in enumerate(CANDIDATES)}

_WIDE = ("utf_16_le", "utf_16_be")


def guess(content: bytes, *, wide_only: bool = False) -> str | None:
    """Return the most probable encoding of a text that is not UTF-8, or None where none is probable."""
    sample = _telling_lines(content)
    candidates = _WIDE if wide_only else tuple(CANDIDATES)
    score, best = max((_score(encoding, content, sample), encoding) for encoding in candidates)
    mean = score / max(1, len(_decoded(best, content, sample)))
    return best if mean >= LEAST_MEAN else None


def _telling_lines(content: bytes) -> bytes:
    """Return the first lines that hold more than ASCII, up to the size of a sample."""
    lines, size = [], 0
    for line in content[: 64 * SAMPLE_BYTES].splitlines(keepends=True):
        if not line.isascii():
            lines.append(line)
            size += len(line)
        if size > SAMPLE_BYTES:
            break
    return b"".join(lines)[:SAMPLE_BYTES]


def _decoded(encoding: str, content: bytes, sample: bytes) -> str:
    chosen = content[:SAMPLE_BYTES] if encoding in _WIDE else sample
    return chosen.decode(encoding, "replace")


def _score(encoding: str, content: bytes, sample: bytes) -> float:
    text = _decoded(encoding, content, sample)
    if encoding in _WIDE and len(content) % 2:
        return len(sample) * _IMPOSSIBLE
    counts = Counter(text)
    languages = _languages()
    likelihood = max(_likelihood(counts, languages[name]) for name in CANDIDATES[encoding])
    return _PRIOR[encoding] + likelihood + _breaks_in_words(text) * _BREAK_IN_WORD


def _likelihood(counts: Mapping[str, int], language: Language) -> float:
    return sum(times * _chance(character, language) for character, times in counts.items())


def _chance(character: str, language: Language) -> float:
    if character in language.known:
        return language.known[character]
    if character < "\x80":
        return _ASCII if character.isprintable() or character in "\t\n\r\f" else _IMPOSSIBLE
    if language.block and language.block.match(character):
        return language.in_block
    return _UNUSUAL if character.isprintable() and not _is_private(character) else _IMPOSSIBLE


def _is_private(character: str) -> bool:
    return "\ue000" <= character <= "\uf8ff" or character == "\N{REPLACEMENT CHARACTER}"


def _breaks_in_words(text: str) -> int:
    """Count what words do not do: capitals after small letters, and two scripts in one word."""
    return sum(
        (a.islower() and b.isupper()) or _is_latin(a) != _is_latin(b)
        for a, b in pairwise(text)
        if (a > "\x7f" or b > "\x7f") and _is_letter(a) and _is_letter(b)
    )


def _is_letter(character: str) -> bool:
    return character.isalpha() or "\u0e30" <= character <= "\u0e4e"


def _is_latin(letter: str) -> bool:
    return letter < "\u0250"
