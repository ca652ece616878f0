"""Guesses the legacy encoding of a text by how usual its characters would be in each.

Every candidate encoding is paired with the languages that were written in it. What a sample is in each
encoding is judged by each of these languages, and the most probable pair wins (naive Bayes over characters and
their neighbours, see `languages`).
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from knowledge_base.adapters.parsing.encodings.languages import ASCII, CAPITAL, IMPOSSIBLE, Language, make_languages

SAMPLE_BYTES = 3_072
LEAST_MEAN = -9.0
"""Mean logarithm of a character's probability below which bytes are no text: text has -7, noise -12."""
_LOOKED_AT = 1 << 20
_SHORTLIST = 48
_LESS_COMMON = -0.15
_OTHER_SCRIPT = -0.5
_MOST_OTHER_SCRIPT = -8.0
_MAX_BROKEN = 0.1
_CLEARLY_BETTER = 4.0
_SURELY_BETTER = 40.0
_FEWEST_CAPITALS, _MOSTLY_CAPITALS, _RARELY_IN_CAPITALS = 8, 0.95, 2.0

_WESTERN = (
    "english",
    "french",
    "spanish",
    "german",
    "portuguese",
    "italian",
    "dutch",
    "swedish",
    "danish",
    "norwegian",
    "finnish",
    "catalan",
    "icelandic",
    "irish",
)
_CENTRAL = (
    "polish",
    "czech",
    "hungarian",
    "romanian",
    "romanian_cedilla",
    "croatian",
    "slovak",
    "slovene",
    "german",
    "albanian",
)
_CYRILLIC = ("russian", "ukrainian", "bulgarian", "serbian", "belarusian", "macedonian")
_BALTIC = ("lithuanian", "latvian", "estonian")

CANDIDATES: dict[str, tuple[str, ...]] = {
    "cp1252": _WESTERN,
    "gb18030": ("simplified", "traditional"),
    "big5hkscs": ("traditional",),
    "cp950": ("traditional",),
    "cp932": ("japanese",),
    "euc_jp": ("japanese",),
    "cp949": ("korean",),
    "cp1251": _CYRILLIC,
    "cp1250": _CENTRAL,
    "cp1254": ("turkish",),
    "koi8_u": _CYRILLIC,
    "cp866": _CYRILLIC,
    "iso8859_2": _CENTRAL,
    "iso8859_5": _CYRILLIC,
    "cp1253": ("greek",),
    "iso8859_7": ("greek",),
    "cp1255": ("hebrew",),
    "cp1256": ("arabic", "persian", "urdu"),
    "iso8859_6": ("arabic",),
    "cp1257": _BALTIC,
    "iso8859_13": _BALTIC,
    "cp874": ("thai",),
    "iso8859_15": _WESTERN,
    "mac_roman": _WESTERN,
    "cp850": _WESTERN,
    "cp437": _WESTERN,
    "cp852": _CENTRAL,
    "mac_cyrillic": _CYRILLIC,
    "cp855": _CYRILLIC,
    "cp1258": ("vietnamese",),
    "johab": ("korean",),
    "cp857": ("turkish",),
    "cp737": ("greek",),
    "cp869": ("greek",),
    "cp862": ("hebrew",),
    "iso8859_4": _BALTIC,
    "cp775": _BALTIC,
    "mac_latin2": _CENTRAL,
    "iso8859_16": ("romanian",),
    "cp720": ("arabic",),
}
"""In order of how common they are."""

_LANGUAGES = make_languages()
_PRIOR = {encoding: _LESS_COMMON * place for place, encoding in enumerate(CANDIDATES)} | {"cp1252": 1.5}
_MULTIBYTE = ("gb18030", "big5hkscs", "cp950", "cp932", "euc_jp", "cp949", "johab")
_UPPER_HALF = {
    encoding: bytes(range(128, 256)).decode(encoding, "replace")
    for encoding in CANDIDATES
    if encoding not in _MULTIBYTE
}
_CASES = {
    encoding: (
        frozenset(128 + place for place, letter in enumerate(upper) if letter.isupper()),
        frozenset(128 + place for place, letter in enumerate(upper) if letter.islower()),
    )
    for encoding, upper in _UPPER_HALF.items()
}
_CHANCES = {
    (encoding, name): [_LANGUAGES[name].chance(character) for character in upper]
    for encoding, upper in _UPPER_HALF.items()
    for name in CANDIDATES[encoding]
}


@dataclass(frozen=True, slots=True)
class _Verdict:
    """How probable a sample is in an encoding and language; `characters` is its length there."""

    score: float
    encoding: str
    characters: int

    @property
    def mean(self) -> float:
        return self.score / max(1, self.characters)


class _Sample:
    """The telling bytes of a text, counted once for all candidates."""

    def __init__(self, content: bytes) -> None:
        self._bytes = b"".join(_telling_lines(content))[:SAMPLE_BYTES]
        counts = Counter(self._bytes)
        self._high = [(byte, times) for byte, times in counts.items() if byte > 0x7F]
        self._ascii = sum(times for byte, times in counts.items() if byte <= 0x7F)
        self._ascii_letters = sum(times for byte, times in counts.items() if byte <= 0x7F and chr(byte).isalpha())
        self._pairs = [(pair, n) for pair, n in Counter(pairwise(self._bytes)).items() if max(pair) > 0x7F]
        self._count_of_pairs = sum(times for _pair, times in self._pairs)

    @property
    def high_bytes(self) -> int:
        return sum(times for _byte, times in self._high)

    def verdicts(self) -> list[_Verdict]:
        """Return the verdicts worth looking at, the best first."""
        found = [self.judge(encoding) for encoding in _MULTIBYTE]
        best = max(verdict.score for verdict in found)
        impressions = ((self._impression(encoding, name), encoding, name) for encoding, name in _CHANCES)
        for score, encoding, name in heapq.nlargest(_SHORTLIST, impressions):
            language = _LANGUAGES[name]
            if score + language.greatest_affinity * self._count_of_pairs > best:
                found.append(self._judge(score, encoding, language))
                best = max(best, found[-1].score)
        return sorted(found, key=lambda verdict: verdict.score, reverse=True)

    def judge(self, encoding: str) -> _Verdict:
        """Return the verdict on one encoding in the language that suits it best."""
        names = CANDIDATES[encoding]
        if encoding in _MULTIBYTE:
            judged = [self._judge_multibyte(encoding, _LANGUAGES[name]) for name in names]
        else:
            judged = [self._judge(self._impression(encoding, name), encoding, _LANGUAGES[name]) for name in names]
        return max(judged, key=lambda verdict: verdict.score)

    def _impression(self, encoding: str, name: str) -> float:
        """Score the characters alone, without their neighbours."""
        chances = _CHANCES[encoding, name]
        score = sum(times * chances[byte - 128] for byte, times in self._high)
        if not _LANGUAGES[name].is_latin:
            score += self._all_in_capitals(encoding)
        return _PRIOR[encoding] + score + self._ascii * ASCII + _script_penalty(_LANGUAGES[name], self._ascii_letters)

    def _all_in_capitals(self, encoding: str) -> float:
        """Return what takes back that capitals are rare, where a text has hardly any other letters."""
        capitals, small = _CASES[encoding]
        big = sum(times for byte, times in self._high if byte in capitals)
        others = sum(times for byte, times in self._high if byte in small)
        is_heading = big >= _FEWEST_CAPITALS and big > _MOSTLY_CAPITALS * (big + others)
        return max(0.0, -CAPITAL * big - _RARELY_IN_CAPITALS) if is_heading else 0.0

    def _judge(self, score: float, encoding: str, language: Language) -> _Verdict:
        table = _ASCII_CHARACTERS + _UPPER_HALF[encoding]
        neighbours = sum(n * language.affinity(table[first], table[second]) for (first, second), n in self._pairs)
        return _Verdict(score + neighbours, encoding, len(self._bytes))

    def _judge_multibyte(self, encoding: str, language: Language) -> _Verdict:
        text = self._bytes.decode(encoding, "replace")
        if text.count("\N{REPLACEMENT CHARACTER}") > _MAX_BROKEN * len(text):
            return _Verdict(len(text) * IMPOSSIBLE, encoding, len(text))
        counts = Counter(text)
        score = sum(times * language.chance(character) for character, times in counts.items())
        pairs = Counter(pairwise(text)).items()
        score += sum(n * language.affinity(*pair) for pair, n in pairs if (pair[0] < "\x80") != (pair[1] < "\x80"))
        score += _script_penalty(language, _ascii_letters(counts))
        return _Verdict(_PRIOR[encoding] + score, encoding, len(text))


_ASCII_CHARACTERS = "".join(map(chr, range(128)))


def guess(content: bytes) -> str | None:
    """Return the most probable encoding of a text that is not UTF-8, or None where none is probable."""
    best = _Sample(content).verdicts()[0]
    return best.encoding if best.mean >= LEAST_MEAN else None


def contradicts(content: bytes, claimed: str) -> str:
    """Return the encoding that a text clearly is in although it is said to be in another, else an empty string."""
    if claimed not in CANDIDATES:
        return ""
    sample = _Sample(content)
    best, claim = sample.verdicts()[0], sample.judge(claimed)
    lead = best.score - claim.score
    is_clear = lead > _SURELY_BETTER and lead > _CLEARLY_BETTER * sample.high_bytes
    return best.encoding if is_clear and best.mean >= LEAST_MEAN else ""


def _telling_lines(content: bytes) -> Iterator[bytes]:
    """Yield the first lines that hold more than ASCII, up to the size of a sample."""
    size = 0
    for line in content[:_LOOKED_AT].splitlines(keepends=True):
        if not line.isascii():
            yield line
            size += len(line)
            if size > SAMPLE_BYTES:
                return


def _ascii_letters(counts: Mapping[str, int]) -> int:
    return sum(times for character, times in counts.items() if character < "\x80" and character.isalpha())


def _script_penalty(language: Language, ascii_letters: int) -> float:
    """Words in Latin letters are rarer in languages of other scripts, though never rare."""
    return 0.0 if language.is_latin else max(_MOST_OTHER_SCRIPT, _OTHER_SCRIPT * ascii_letters)
