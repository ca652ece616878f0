"""What a word is, the same in every index and in every question.

A word is an unbroken run of letters, marks and digits, in lower case. A run of Chinese, Japanese or
Korean characters has no spaces to break it, so its words are its overlapping pairs (bigrams), or the
one character it consists of. Everything else separates words. An identifier in camel case is a word, and so
is each of its parts, which stand at its place: they do not make a text longer.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from knowledge_base.domain.identifiers import part_identifiers

CJK = (
    "\u1100-\u11ff\u3007\u3021-\u3029\u3038-\u303b\u3041-\u3096\u3099\u309a\u309d-\u309f"
    "\u30a1-\u30fa\u30fc-\u30ff\u3131-\u318e\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c"
    "\uac00-\ud7fb\uf900-\ufaff\uff66-\uff9f\uffa0-\uffdc\U0001b000-\U0001b167\U00020000-\U000323af"
)
"""Han, Hiragana, Katakana and Hangul with the marks inside them, as the inside of a character class."""

MAX_QUESTION_WORDS = 256
"""How many words of a question are looked up: 256 take 0.3 s among 100,000 chunks; OpenSearch refuses over 1,024."""

_STOP_WORDS = """
a an and are as at be but by for if in into is it no not of on or s such t that the their then there these they this to
was will with www how what when where which who whom whose why
什么 怎么 怎样 如何 为什 是什 哪些 哪个 请问 多少 是否 么是
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words that a question is not about, those of Lucene's analyzer for CJK among them: indexed, but never looked up."""

INVISIBLE = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
"""Variation selectors: they vanish, as format characters do, and part nothing."""

_FOLDED = bytes(code if code > 0x7F else ord(chr(code).lower()) if chr(code).isalnum() else 32 for code in range(256))
"""For each byte of UTF-8: ASCII letters in lower case, spaces for what is no ASCII letter or digit."""

_CJK_RUN = re.compile(f"[{CJK}]+")
_SOUTH_EAST_ASIAN_RUN = re.compile("[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff]+")
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_HALF_WIDTH_KATAKANA = re.compile("[\uff66-\uff9f]+")
_KEPT = frozenset({"Nd", "Nl"})


def separate_words(text: str) -> str:
    """Return a text in which words are what stands between ASCII characters that are no letters or digits.

    Capitals in ASCII stay as they are, and so does a text that is all ASCII.
    """
    if text.isascii():
        return text
    text = _HALF_WIDTH_KATAKANA.sub(_compose, text)
    for character in set(text):
        if character > "\x7f" and (replacement := _REPLACEMENTS[character]) != character:
            text = text.replace(character, replacement)
    return _CJK_RUN.sub(_pair, _SOUTH_EAST_ASIAN_RUN.sub(r" \g<0> ", text))


def words_of(text: str) -> list[bytes]:
    """Return the words of a text in order, each in UTF-8, the parts of an identifier behind it."""
    return _split(part_identifiers(separate_words(text)))


def count_words(text: str) -> int:
    """Return how many words a text has; parts do not count, as in Lucene what stands at the place of another."""
    return len(_split(separate_words(text)))


def question_words(text: str) -> list[str]:
    """Return the distinct words of a question that are worth looking up, in order.

    Of more than 256 the first and the last 128: what is asked stands before a pasted text or after it.
    """
    separated = (word.decode() for word in words_of(text))
    wanted = dict.fromkeys(word for word in separated if word not in STOP_WORDS and _says_something(word))
    words, half = list(wanted), MAX_QUESTION_WORDS // 2
    return words if len(words) <= MAX_QUESTION_WORDS else words[:half] + words[-half:]


def _split(separated: str) -> list[bytes]:
    return separated.encode().translate(_FOLDED).split()


class _Replacements(dict[str, str]):
    """What stands for a character in the separated text, remembered for every character met."""

    def __missing__(self, character: str) -> str:
        self[character] = replacement = _replacement(character)
        return replacement


def _replacement(character: str) -> str:
    if "\uff01" <= character <= "\uff5e":  # full-width ASCII
        character = chr(ord(character) - 0xFEE0)
    category = "Cf" if _INVISIBLE.match(character) else unicodedata.category(character)
    if category[0] in "LM" or category in _KEPT:
        return character.lower()[0]  # one character, as Java's toLowerCase: İ becomes i
    return "" if category == "Cf" else " "


_REPLACEMENTS = _Replacements()


def _compose(run: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", run[0])


def _pair(run: re.Match[str]) -> str:
    characters = run[0]
    pairs = map("".join, pairwise(characters))
    return f" {' '.join(pairs) if len(characters) > 1 else characters} "


def _says_something(word: str) -> bool:
    return any(map(str.isalnum, word))
