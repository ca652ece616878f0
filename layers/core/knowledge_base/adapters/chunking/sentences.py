"""Where sentences end, in any script that marks it."""

from __future__ import annotations

import re
from collections.abc import Iterator

_CLOSERS = r"(?:[\"'”’»›“「」』）】》〉〕］｝)\]}]|[ \u00a0\u202f][»›])*"
_WIDE = "。！？｡‼⁇⁈⁉।॥؟۔։።፧။៕"
"""Ends of sentences that need no space behind them."""
_STOP = re.compile(rf"(?P<stop>[.!?．…{_WIDE}]+)(?P<close>{_CLOSERS})(?P<space>\s*)|(?P<line>\n)")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
_OPENERS = " \t\n\"'“‘«‹„「『（【《〈([¿¡*_-–—"
_WORD = re.compile(r"[^\W_]+(?:[.-][^\W_]+)*\Z")
_REACH = 16
_GERMAN_ARTICLE = re.compile(r"(?:^|\s)(?:am|vom|zum|bis|ab|der|den|dem|des|die|das|im)\s+\Z", re.IGNORECASE)
_ITEM_BEGINNING = re.compile(r"(?:^|\n|[.!?:;]\s)[ \t>*+•-]*\(?\Z")

_ABBREVIATIONS = frozenset(
    word
    for words in (
        "mr mrs ms dr prof st jr sr eds vs cf al e.g i.e p.s viz approx est inc ltd co corp dept univ gen col lt capt",
        "sgt rev hon gov sen rep messrs u.s u.k u.n ph.d b.a m.a z.b d.h u.a o.ä i.d.r z.t s.o s.u v.chr n.chr bzw ca",
        "hr fr vgl evtl ggf inkl zzgl bspw bd jh mio mrd tel geb hrsg sog mm mme mlle p.ex av env sra srta dra ud uds",
        "ee.uu p.ej aprox sig dott ing г гг ул т.е т.к т.н напр см им тыс млн млрд руб пп д-р проф",
    )
    for word in words.split()
)
"""Words that end in a full stop where no sentence does; in small letters, without their last full stop."""
_BEFORE_NUMBERS = frozenset(
    word
    for words in (
        "no nos nr fig figs eq eqs sec ch chap vol vols p pp ed art abs app ref tab max min jan feb mar apr jun jul",
        "aug sep sept oct nov dec pág págs núm pag стр рис табл гл ст п",
    )
    for word in words.split()
)
"""Words that do so before a number."""


def sentence_ends(text: str, start: int, end: int) -> Iterator[tuple[int, bool]]:
    """Yield each place where a sentence of `text[start:end]` ends, or, marked False, just a line.

    What closes a quotation or bracket, and the space behind it, belong to the sentence.
    """
    for match in _STOP.finditer(text, start, end):
        if match["line"]:
            yield match.end(), False
        elif _ends_sentence(text, match, start, end):
            yield match.end(), True
        elif "\n" in match["space"]:
            yield match.end(), False


def _ends_sentence(text: str, match: re.Match[str], start: int, end: int) -> bool:
    following = text[match.end() : match.end() + 1] if match.end() < end else ""
    stop = match["stop"]
    if any(mark in _WIDE for mark in stop):
        return True
    if "…" in stop:
        return not (following.islower() or following in "，、；：,;:")
    if stop == "．":
        return not following.isdigit()
    if not match["space"]:
        return not following or (bool(_CJK.match(following)) and not text[match.start() - 1].isdigit())
    if text[match.end() : match.end() + 4].lstrip(_OPENERS)[:1].islower():
        return False
    return stop != "." or _is_full_stop(text, match.start(), start, before_number=following.isdigit())


def _is_full_stop(text: str, position: int, start: int, *, before_number: bool) -> bool:
    """Whether the dot ends no abbreviation, initial, number of a list or German ordinal number."""
    before = text[max(start, position - _REACH) : position]
    word = _WORD.search(before)
    if not word:
        return True
    if word[0].isdigit():
        return not _is_ordinal(before[: word.start()], word[0])
    if len(word[0]) == 1 and word[0].isupper():
        return False
    name = word[0].lower()
    return name not in _ABBREVIATIONS and not (before_number and name in _BEFORE_NUMBERS)


def _is_ordinal(before: str, number: str) -> bool:
    return len(number) < 4 and bool(_ITEM_BEGINNING.search(before) or _GERMAN_ARTICLE.search(before))
