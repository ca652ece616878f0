"""What a text is about: its words, without those that say nothing, in any script.

Text without spaces between words (Chinese, Japanese, Korean) is compared by pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from knowledge_base.domain.identifiers import part_identifiers

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_RUN = re.compile(rf"(?P<wide>[{_CJK}]+)|(?P<word>[^\W_{_CJK}]+(?:[-'’.][^\W_{_CJK}]+)*)")
_HIRAGANA = re.compile("[\u3040-\u309f]")

_SAYING_NOTHING = """
a an and any are as at be been being but by can could did do does for from had has have how i if in into is it
its me my no not of on or our shall she he should so such than that the their them then there these they this
those to us was we were what when where which who whom whose why will with would you your about all also am
because before after between both during each few more most other over same some under until up very please
tell give know der das den dem des ein eine einer eines einem einen und oder ist sind wie wer wo warum mit von
zu im für auf nicht le la les un une de du et ou est sont quel quelle quels quelles que qui dans pour sur avec
il elle au aux el los las una del y o es son qué cuál cómo para por
"""
_STOP_WORDS = frozenset(_SAYING_NOTHING.split())
_STOP_PHRASES = re.compile(
    "为什么|什么时候|什么样|什么|怎么样|怎么办|怎么|怎样|如何|多少|哪些|哪个|哪里|哪儿|哪一|哪|请问|是否|有没有|能不能|可不可以|"
    "可以|我们|你们|他们|这个|那个|这些|那些|以及|或者|还是|吗|呢|吧|啊|了(?!解)|(?<!目)的(?![确士])|是(?!否)|谁|"
    "ですか|ますか|でしょう|について|です|ます|입니까|무엇|어떻게"
)


_LETTERS = {"HAN": 3, "HANGUL": 3, "KANA": 6}
"""So many letters is a character worth: `ShelfKeeper 无法启动` is Chinese, and a text with some kana Japanese."""


def words_of(text: str) -> frozenset[str]:
    """Return everything in a text that a question's word could match: words by their stem, pairs, single characters.

    An identifier in camel case is matched by its parts, too.
    """
    found: set[str] = set()
    for run in _RUN.finditer(_folded(part_identifiers(text))):
        found.update(_pairs(run["wide"]) if run["wide"] else _forms(run["word"]))
        found.update(run["wide"] or ())
    return frozenset(found)


def question_words(text: str) -> list[str]:
    """Return what a question asks about, each word once and in order; words that say nothing do not count."""
    spaced = _STOP_PHRASES.sub(" ", _folded(text))
    return list(dict.fromkeys(word for run in _RUN.finditer(spaced) for word in _asked(run)))


def matches(question: Iterable[str], text: frozenset[str]) -> bool:
    """Tell whether a text has a word that a question asks about.

    One pair of characters alone may join the end of one word to the beginning of the next by
    accident: where a question has several pairs, two have to match.
    """
    asked = list(question)
    pairs = [word for word in asked if is_pair(word)]
    if any(word in text for word in asked if not is_pair(word)):
        return True
    return sum(pair in text for pair in pairs) >= min(2, max(1, len(pairs)))


def is_pair(word: str) -> bool:
    """Whether this is a pair of characters out of text without spaces, not a whole word."""
    return bool(re.fullmatch(f"[{_CJK}]+", word))


def is_identifier(word: str) -> bool:
    """Whether this names one thing of many, as `tk-6100` does; `19th` and `5km` do not."""
    return bool(re.match("[a-z][!-~]*[0-9]", word))


def script_of(text: str) -> str:
    """Return the script that most of a text is in, e.g. `LATIN`, `HAN` or `KANA`; empty without letters."""
    counts: dict[str, int] = {}
    for character in text[:400]:
        if character.isalpha():
            script = _script(character)
            counts[script] = counts.get(script, 0) + _LETTERS.get(script, 1)
    return max(counts, key=counts.__getitem__, default="")


def _script(character: str) -> str:
    name = unicodedata.name(character, "").partition(" ")[0]
    return {"CJK": "HAN", "HIRAGANA": "KANA", "KATAKANA": "KANA", "FULLWIDTH": "LATIN"}.get(name, name)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _asked(run: re.Match[str]) -> list[str]:
    if run["wide"]:
        return [pair for pair in _pairs(run["wide"]) if not _HIRAGANA.search(pair)]
    return [] if run["word"] in _STOP_WORDS else [_stem(run["word"])]


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def _forms(word: str) -> set[str]:
    """A word, and the parts of one with hyphens or dots in it."""
    return {_stem(part) for part in [word, *re.split(r"[-'’.]", word)] if part}


def _stem(word: str) -> str:
    """Cut English endings, so that `starts`, `started` and `starting` are one word."""
    if not word.isascii() or len(word) < 4 or not word.isalpha():
        return word
    for ending, rest in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("s", "")):
        if word.endswith(ending) and not word.endswith("ss") and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending) + rest
            break
    if len(word) > 3 and word[-1] == word[-2]:
        return word[:-1]
    return word.removesuffix("e") if len(word) > 4 else word
