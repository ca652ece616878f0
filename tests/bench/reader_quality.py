"""How much of what a file says a reader has found."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape

from tests.bench.public_readers.reader import PAGES

Texts = Mapping[str, str | None]
"""What a reader made of each file; None where it failed."""

_WORD = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\\W_\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
_HYPHEN_AT_LINE_END = re.compile(r"(?<=[^\W\d_])(?:[-\u2010][ \t]*\r?\n\s*|[\ufffe\x02]\s*)(?=[^\W\d_])")
_LINK = re.compile(r"!?\[((?:[^\[\]\n]|\\.)*)\]\(<?[^()\s<>]*>?(?: \"[^\"\n]*\")?\)")
_TAG = re.compile(r"</?(?:b|strong|i|em|u|sup|sub|br|span|mark)\b[^<>\n]*>", re.I)
_EMPHASIS = re.compile(r"(?<!\\)(?:\*{1,3}|~~|==|`+)|\\(?=[^\w\s])")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")


@dataclass(frozen=True, slots=True)
class Quality:
    """What a reader made of a file set.

    `share` is how much of the words it found, from 0 to 1; `noise` how much of what only decorates the files;
    `broken` how many replacement characters its texts hold; `failed` how many files, of those that hold words, gave no
    text. `facets` says for each kind of facet which share of them the texts carry.
    """

    share: float
    noise: float
    broken: int
    failed: int
    facets: Mapping[str, float] = field(default_factory=dict)


def without_marks(text: str) -> str:
    """Return Markdown without emphases, escapes and the targets of links, which may stand inside of words."""
    return _EMPHASIS.sub("", unescape(_TAG.sub("", _LINK.sub(r"\1", text))))


def words(text: str) -> list[str]:
    """Return the words of a text: runs of letters and digits, and each Chinese or Japanese character by itself."""
    return _WORD.findall(_INVISIBLE.sub("", unicodedata.normalize("NFKC", text)))


def share_in_order(known: Sequence[str], found: Iterable[str]) -> float:
    """Return how much of the known words stand among the found ones in their order: the longest common subsequence.

    By bits, after Hyyrö, "Bit-parallel LCS-length computation revisited" (2004).
    """
    if not known:
        return 1.0
    places: dict[str, int] = {}
    for place, word in enumerate(known):
        places[word] = places.get(word, 0) | 1 << place
    full = (1 << len(known)) - 1
    row = full
    for word in found:
        matches = row & places.get(word, 0)
        if matches:
            row = ((row + matches) | (row - matches)) & full
    return (len(known) - row.bit_count()) / len(known)


def against_known(texts: Texts, known: Mapping[str, str], unwanted: Mapping[str, str]) -> Quality:
    """Judge by what the files are known to say; a file's share weighs as many words as it has."""
    total = found = 0.0
    noise, decoration = 0, 0
    for name, text in known.items():
        expected, read = words(without_marks(text)), words(without_marks((texts.get(name) or "").partition(PAGES)[0]))
        total += len(expected)
        found += len(expected) * share_in_order(expected, read)
        ornaments = Counter(words(unwanted.get(name, "")))
        decoration += ornaments.total()
        noise += (ornaments & Counter(read)).total()
    return _quality(texts, known, found / max(1.0, total), noise / max(1, decoration))


def against_each_other(
    texts: Mapping[str, Texts], names: Sequence[str], *, twins: Container[str]
) -> dict[str, Quality]:
    """Judge each reader of unknown files by the words that any two readers agree upon, in whatever order.

    Of web pages, navigation is agreed upon as well: there the share says little. A reader among `twins` is the same
    as another one and has no say.
    """
    counted = {
        reader: {name: Counter(_whole_words(found.get(name) or "")) for name in names}
        for reader, found in texts.items()
    }
    voters = [found for reader, found in counted.items() if reader not in twins]
    agreed = {name: _agreed([found[name] for found in voters]) for name in names}
    readable = [name for name in names if agreed[name].total()]
    total = max(1, sum(common.total() for common in agreed.values()))
    shares = {
        reader: sum((found[name] & agreed[name]).total() for name in names) / total for reader, found in counted.items()
    }
    return {reader: _quality(texts[reader], readable, share, noise=0.0) for reader, share in shares.items()}


def _whole_words(text: str) -> list[str]:
    """Return words with those parted at the ends of lines made whole, since few readers do that of themselves."""
    return words(_HYPHEN_AT_LINE_END.sub("", text))


def _agreed(counts: Sequence[Counter[str]]) -> Counter[str]:
    """Return for each word how often at least two readers have found it."""
    common: Counter[str] = Counter()
    for word in set().union(*counts):
        common[word] = sorted((found[word] for found in counts), reverse=True)[1] if len(counts) > 1 else 0
    return common


def _quality(texts: Texts, names: Iterable[str], share: float, noise: float) -> Quality:
    broken = sum((text or "").count("\N{REPLACEMENT CHARACTER}") for text in texts.values())
    failed = sum(not (texts.get(name) or "").strip() for name in names)
    return Quality(share, noise, broken, failed)
