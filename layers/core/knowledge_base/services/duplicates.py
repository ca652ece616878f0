"""Passages that say the same: a second copy of a page tells a reader nothing, and takes the place of one that does."""

from __future__ import annotations

import re
from collections.abc import Sequence

from knowledge_base.domain.retrieval import FoundChunk
from knowledge_base.services.vocabulary import words_of

SAME = 0.9
"""How much of their words two passages share that say the same: the Jaccard index of both sets of words."""

_NUMBER = re.compile(r"\d+")


def without_duplicates(found: Sequence[FoundChunk], *, limit: int) -> list[FoundChunk]:
    """Return the first `limit` found chunks that do not say what a better one says, in their order.

    Passages that differ in a number do not say the same, however alike they are.
    """
    kept: list[tuple[FoundChunk, frozenset[str], frozenset[str]]] = []
    for item in found:
        if len(kept) == limit:
            break
        text = item.hit.chunk.text
        words, numbers = words_of(text), frozenset(_NUMBER.findall(text))
        if not any(numbers == others and _alike(words, known) for _item, known, others in kept):
            kept.append((item, words, numbers))
    return [item for item, _words, _numbers in kept]


def _alike(words: frozenset[str], others: frozenset[str]) -> bool:
    smaller, larger = sorted((len(words), len(others)))
    if smaller < SAME * larger:
        return False
    return len(words & others) >= SAME * len(words | others)
