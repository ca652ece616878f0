"""Let a model that reads question and passage together put the best of a search into their final order."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace

from knowledge_base.domain.errors import RerankerUnavailable
from knowledge_base.domain.knowledge_bases import KnowledgeBase
from knowledge_base.domain.retrieval import FoundChunk
from knowledge_base.ports.models import Reranker

DEPTH = 50
"""So many of the best hits are reranked, however many are asked for: so 5 results are the first of 20."""

logger = logging.getLogger(__name__)


class Reranking:
    """Reorders what was found in knowledge bases that want it."""

    def __init__(self, reranker: Reranker | None) -> None:
        self._reranker = reranker

    def is_wanted(self, knowledge_bases: Iterable[KnowledgeBase]) -> bool:
        """Tell whether there is a reranker, and all knowledge bases want it: scores of both kinds do not compare."""
        return self._reranker is not None and all(found.config.rerank for found in knowledge_bases)

    def reorder(self, question: str, found: Sequence[FoundChunk]) -> tuple[list[FoundChunk], bool]:
        """Return the hits, the first of them by the reranker's scores, and whether it answered.

        Scores never rise down the list: those behind the reranked ones are at most the last of these.
        """
        head, tail = list(found[:DEPTH]), found[DEPTH:]
        if self._reranker is None or not head:
            return list(found), True
        try:
            scores = self._reranker.score(question, [item.hit.chunk.text for item in head])
        except RerankerUnavailable as error:
            logger.warning("not reranked: %s", error)
            return list(found), False
        scored = [_scored(item, score) for item, score in zip(head, scores, strict=True)]
        ordered = sorted(scored, key=lambda item: (-item.hit.score, item.hit.chunk.chunk_id))
        least = ordered[-1].hit.score
        return [*ordered, *(_scored(item, min(least, item.hit.score)) for item in tail)], True


def _scored(found: FoundChunk, score: float) -> FoundChunk:
    return replace(found, hit=replace(found.hit, score=score))
