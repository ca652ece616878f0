"""Tell what was found from what merely came up: a search returns its nearest passages, however far they are."""

from __future__ import annotations

from collections.abc import Sequence

from knowledge_base.domain.evidence import EvidenceRule
from knowledge_base.domain.retrieval import Hit
from knowledge_base.services.vocabulary import is_identifier, matches, question_words, script_of, words_of


def has_evidence(hit: Hit, rule: EvidenceRule, question: str) -> bool:
    """Tell whether a hit is evidence: nearer to the question, the fewer of the question's words it holds.

    Without a cosine, as when the embedder was down, a word of the question has to do. To a question that
    asks about nothing, only symbols or words that say nothing, nothing is evidence.
    """
    asked, words = question_words(question), words_of(hit.chunk.text)
    if not asked:
        return False
    if hit.similarity is None:
        return matches(asked, words)
    nearness = rule.nearness(script_of(question), script_of(hit.chunk.text))
    return hit.similarity >= nearness.asked_of(coverage(asked, words))


def coverage(asked: Sequence[str], words: frozenset[str]) -> float:
    """Return the share of a question's words that a text holds, in [0, 1].

    Who names one thing of many, as `TK-6100` does, does not ask about its neighbours: a text without the
    name holds nothing, whatever else it says.
    """
    if any(is_identifier(word) and word not in words for word in asked):
        return 0.0
    return sum(word in words for word in asked) / len(asked)
