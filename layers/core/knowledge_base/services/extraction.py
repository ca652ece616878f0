"""Answer without a language model: quote the sentences that answer the question."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from knowledge_base.domain.answers import SourceFound, TextDelta
from knowledge_base.domain.retrieval import FoundChunk, Hit
from knowledge_base.services.references import reference_to
from knowledge_base.services.sentences import Sentence, split_sentences
from knowledge_base.services.vocabulary import matches, question_words, script_of, words_of

MOST_QUOTES = 5
MOST_OF_ONE_DOCUMENT = 3

WORTH_QUOTING = 0.6
"""A sentence is quoted when it scores at least so much of the best one's score."""

_CONTEXT = 0.4
"""How much a word counts that stands only in the sentence before, or in a heading above."""

_RANK = 0.25
"""How much of a sentence's score is that of its chunk."""

_QUANTITY = re.compile(
    r"多少|几[个次年月天小时点度]|何时|什么时候|哪[一]?[年月天]|\b(?:how (?:many|much|long|often|far|old)|when|what (?:year|date|time))\b",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d|[一二三四五六七八九十百千万]")


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of a found chunk, and how well it answers."""

    found: FoundChunk
    sentence: Sentence
    words: frozenset[str]
    before: frozenset[str]
    score: float = 0.0


def has_evidence(hit: Hit, no_evidence: float, question: str) -> bool:
    """Tell whether a hit is evidence: near enough, or it holds a word that the question asks about.

    `no_evidence` is the cosine below which even the nearest chunk of an unrelated text may lie.
    """
    if hit.similarity is not None and hit.similarity >= no_evidence:
        return True
    return matches(question_words(question), words_of(hit.chunk.text))
