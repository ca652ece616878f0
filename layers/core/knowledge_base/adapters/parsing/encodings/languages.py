"""How usual characters, and neighbours of characters, are in the texts of a language.

A language gives the logarithm of a character's probability, and the affinity of two neighbours: the
logarithm of how much more often they meet than their own probabilities would have it. The sum over a text is the
logarithm of its probability as a chain of pairs. Letters beyond ASCII of Latin script come with tables of pairs;
in other scripts the letters alone tell enough.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from string import ascii_lowercase

from knowledge_base.adapters.parsing.encodings import letter_frequencies as letters
from knowledge_base.adapters.parsing.encodings.letter_pairs import LATIN

IMPOSSIBLE = math.log(1e-7)
ASCII = math.log(1 / 100)
_FOREIGN = math.log(2e-7)
_UNUSUAL = math.log(2e-6)
_ASCII_LETTER = math.log(1 / 25)
_EDGE = math.log(1 / 5)
CAPITAL = -2.5
_CAPITAL_IN_WORD = -4.5
_TWO_SCRIPTS = -6.0
_BESIDE_IDEOGRAPH = -2.0
_NEVER_NEIGHBOURS = -4.0
_GREATEST = 4.0
_NEVER_AT_EDGE = -2.5
_MARK_IN_WORD = -3.0
_ELISION = -0.5
EDGE = "_"
_OPENING = frozenset("“„«‚‘¿¡‹")
_CLOSING = frozenset("”’»…®™°€–—\u00a0›ºª")
_WITHIN = frozenset("’ʼ´·\u00ad")
_BEFORE = _OPENING | frozenset("–—\u00a0”»•§©£$")
_IDEOGRAPHS = re.compile("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff]")


@dataclass(frozen=True, slots=True)
class Language:
    """The logarithms of letter probabilities; `block` is what any other character of the script has."""

    known: Mapping[str, float]
    pairs: Mapping[str, float] = field(default_factory=dict)
    block: re.Pattern[str] | None = None
    in_block: float = _UNUSUAL
    is_latin: bool = False

    @property
    def greatest_affinity(self) -> float:
        """The upper bound of `affinity`."""
        return _GREATEST if self.pairs else 0.0

    def chance(self, character: str) -> float:
        """Return the logarithm of a character's probability."""
        known = self.known.get(character)
        if known is not None:
            return known
        if character < "\x80":
            return ASCII if character.isprintable() or character in "\t\n\r\f" else IMPOSSIBLE
        if self.block and self.block.match(character):
            return self.in_block
        if not character.isprintable() or _is_private(character):
            return IMPOSSIBLE
        return _FOREIGN if character.isalpha() else _UNUSUAL

    def affinity(self, first: str, second: str) -> float:
        """Return how much the probability of two neighbours, one of them beyond ASCII, differs from chance."""
        is_letter, is_next_letter = _is_letter(first), _is_letter(second)
        if is_letter and is_next_letter:
            return self._affinity_of_letters(first, second)
        if is_letter:
            return self._at_edge(first, first + EDGE) if second < "\x80" else _after_letter(second)
        if is_next_letter:
            return self._at_edge(second, EDGE + second) if first < "\x80" else self._before_letter(first)
        return 0.0

    def _at_edge(self, letter: str, pair: str) -> float:
        return self.pairs.get(pair.lower(), _NEVER_AT_EDGE) if self.pairs and letter.isalpha() else 0.0

    def _before_letter(self, mark: str) -> float:
        if mark in _WITHIN:
            return _ELISION if self.is_latin else _MARK_IN_WORD
        return 0.0 if mark in _BEFORE else _MARK_IN_WORD

    def _affinity_of_letters(self, first: str, second: str) -> float:
        if _IDEOGRAPHS.match(first) or _IDEOGRAPHS.match(second):
            return _BESIDE_IDEOGRAPH if first < "\x80" or second < "\x80" else 0.0
        if _is_latin(first) != _is_latin(second):
            return _TWO_SCRIPTS
        change = _CAPITAL_IN_WORD if first.islower() and second.isupper() else 0.0
        if not self.pairs:
            return change
        return change + self.pairs.get(first.lower() + second.lower(), _NEVER_NEIGHBOURS)


def make_languages() -> dict[str, Language]:
    """Return the languages by name."""
    han = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")
    return {
        "english": Language(_marks(), is_latin=True),
        **{name: _latin(*table) for name, table in LATIN.items()},
        "romanian_cedilla": _latin(*_with_cedillas(*LATIN["romanian"])),
        **{name: _alphabet(order) for name, order in letters.ALPHABETS.items()},
        "simplified": _ideographs(letters.SIMPLIFIED, han),
        "traditional": _ideographs(letters.TRADITIONAL, han),
        "japanese": _ideographs(letters.KANA + letters.KANJI, re.compile("[\u3041-\u30ff\u4e00-\u9fff]")),
        "korean": _ideographs(letters.HANGUL, re.compile("[\uac00-\ud7a3\u3131-\u318e]")),
    }


def _latin(per_thousand: int, order: str, pairs: str) -> Language:
    share = per_thousand / 1_000
    lower = _zipf(order, share, 0.5)
    return Language(_marks() | _capitals(lower) | lower, _affinities(pairs.split(), lower, share), is_latin=True)


def _with_cedillas(per_thousand: int, order: str, pairs: str) -> tuple[int, str, str]:
    """Older encodings have cedillas where Romanian has commas."""
    cedillas = str.maketrans("șț", "şţ")
    return per_thousand, order.translate(cedillas), pairs.translate(cedillas)


def _alphabet(order: str) -> Language:
    lower = _zipf(order, 0.8, 1.5)
    return Language(_marks() | _capitals(lower) | lower)


def _ideographs(order: str, block: re.Pattern[str]) -> Language:
    unique = "".join(dict.fromkeys(order))
    marks = _even(letters.CJK_MARKS, 0.1) | _even(letters.TYPOGRAPHY, 0.001) | _even(letters.BOXES, 0.0002)
    return Language(marks | _zipf(unique, 0.7, 20), block=block, in_block=math.log(0.15 / 5_000))


def _affinities(pairs: list[str], lower: Mapping[str, float], share: float) -> dict[str, float]:
    """Estimate from the place of a pair in the order how much more often its letters meet than by chance.

    Measured over the languages in `LATIN`: the first few pairs stand out, the others fall off exponentially.
    """
    weights = [math.exp(-3.6 * place / len(pairs)) * (1 + 2 / (place + 1)) for place in range(len(pairs))]
    chances = {**dict.fromkeys(ascii_lowercase, _ASCII_LETTER), **lower, EDGE: _EDGE}
    each = 2 * share / max(1e-9, sum(weights))
    return {
        pair: min(_GREATEST, max(_NEVER_NEIGHBOURS, math.log(weight * each) - sum(map(chances.__getitem__, pair))))
        for pair, weight in zip(pairs, weights, strict=True)
    }


def _marks() -> dict[str, float]:
    return _even(letters.BOXES, 0.0004) | _even(letters.SYMBOLS, 0.001) | _even(letters.TYPOGRAPHY, 0.02)


def _zipf(order: str, share: float, offset: float) -> dict[str, float]:
    total = sum(1 / (rank + offset) for rank in range(len(order)))
    return {letter: math.log(share / (rank + offset) / total) for rank, letter in enumerate(order)}


def _even(marks: Iterable[str], share: float) -> dict[str, float]:
    unique = set(marks)
    return dict.fromkeys(unique, math.log(share / len(unique)))


def _capitals(lower: Mapping[str, float]) -> dict[str, float]:
    return {letter.upper(): chance + CAPITAL for letter, chance in lower.items() if len(letter.upper()) == 1}


def _after_letter(mark: str) -> float:
    if mark in _WITHIN or mark in _CLOSING:
        return 0.0
    return _NEVER_NEIGHBOURS if mark in _OPENING else _MARK_IN_WORD


def _is_letter(character: str) -> bool:
    return character.isalpha() or (character > "\u02ff" and unicodedata.category(character)[0] == "M")


def _is_latin(letter: str) -> bool:
    return letter < "\u0370" or "\u1e00" <= letter < "\u1f00"


def _is_private(character: str) -> bool:
    return "\ue000" <= character <= "\uf8ff" or character == "\N{REPLACEMENT CHARACTER}"
