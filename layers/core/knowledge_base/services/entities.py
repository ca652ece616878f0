"""Find what a text names: people, products, codes, identifiers, titles, and terms that it repeats."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping

MOST_ENTITIES = 24
LONGEST_TERM, SHORTEST_TERM = 8, 3
REPEATED = 3
"""So often must a run of Chinese, Japanese or Korean characters stand in a text to be a term of it."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_RUN = re.compile(f"[{_CJK}]{{{SHORTEST_TERM},}}")
_HINGES = "的了是在和与及有为对等其这那不也就都而或于以可要会能中"
_HINGE = re.compile(f"^[{_HINGES}]|[{_HINGES}]$")

_CODE = r"(?<![\w-])(?=[\w-]*[A-Za-z])(?=[\w-]*\d)\w+(?:-\w+)*"
_CAMEL = r"\b[A-Za-z]+[a-z0-9][A-Z]\w*\b"
_SNAKE = r"\b[A-Za-z]\w*_\w+\b"
_ACRONYM = r"\b[A-Z][A-Z0-9]+\b"
_NAME = r"\b[A-Z\u00c0-\u00de][\w'’]+(?:[ -][A-Z\u00c0-\u00de][\w'’]+)+"
_SINGLE_NAME = r"(?<=[\w,;] )[A-Z\u00c0-\u00de][a-z\u00df-\u00ff]{2,}\b"
_TITLE = r"(?<=[《「『“])[^《》「」『』“”\n]{2,30}(?=[》」』”])"
_ENTITY = re.compile("|".join((_CODE, _CAMEL, _SNAKE, _ACRONYM, _NAME, _SINGLE_NAME, _TITLE)), re.ASCII)


def entities_of(texts: Iterable[str]) -> Mapping[str, float]:
    """Return what texts name, at most 24 things, with their weights: 1 + ln(how often), the heaviest first.

    Names are told by their spelling (capitals, digits, underscores, quotation marks), so none is known beforehand
    and no model is asked. Where a script has no capitals, what is repeated counts.
    """
    counts: Counter[str] = Counter()
    spelt: dict[str, str] = {}
    for text in texts:
        for name in _named(text):
            counts[name.casefold()] += 1
            spelt.setdefault(name.casefold(), name)
    heaviest = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_ENTITIES]
    return {spelt[name]: 1 + math.log(count) for name, count in heaviest}


def shared_entities(entities: Iterable[str], text: str) -> list[str]:
    """Return those that a text names too, whole words only where words have ends."""
    folded = text.casefold()
    return [entity for entity in entities if _stands_in(entity.casefold(), folded)]


def _named(text: str) -> list[str]:
    return [found.group().strip() for found in _ENTITY.finditer(text)] + _repeated(text)


def _repeated(text: str) -> list[str]:
    """The longest runs of characters that come again and again, each as often as it comes."""
    runs = _RUN.findall(text)
    taken: dict[str, int] = {}
    for length in range(LONGEST_TERM, SHORTEST_TERM - 1, -1):
        grams = Counter(run[at : at + length] for run in runs for at in range(len(run) - length + 1))
        for gram, count in grams.items():
            is_part = any(gram in longer and count <= often for longer, often in taken.items() if len(longer) > length)
            if count >= REPEATED and not is_part and not _HINGE.search(gram):
                taken[gram] = count
    return [term for term, count in taken.items() for _ in range(count)]


def _stands_in(entity: str, text: str) -> bool:
    if re.search(f"[{_CJK}]", entity):
        return entity in text
    return re.search(rf"(?<!\w){re.escape(entity)}(?!\w)", text) is not None
