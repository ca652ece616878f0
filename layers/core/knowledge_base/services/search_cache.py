"""Keep what was found, for as long as it would be found again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from knowledge_base.domain.knowledge_bases import KnowledgeBase
from knowledge_base.domain.retrieval import SearchResult
from knowledge_base.ports.clock import Clock

KEPT_SECONDS = 3600
"""An hour, as the engineering contract has it."""

MOST_CHARACTERS = 8_000_000
"""Of all texts that a process keeps: some 16 MB of Python strings."""

OF_ITSELF = 500
"""Characters that a result counts for beside its texts, so that empty ones are bounded too."""


@dataclass(frozen=True, slots=True)
class _Kept:
    result: SearchResult
    until: float
    size: int


class SearchCache:
    """Holds the results of a process, the least used out first.

    A result is kept under the state of the knowledge base that was read before the search: any write raises the
    generation, and any vote the count of votes, in the write's own transaction. So what is kept is never
    older than the request. What a part did not take part in is not kept.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._size = 0

    def get_or_make(
        self, search: Hashable, knowledge_base: KnowledgeBase, make: Callable[[], SearchResult]
    ) -> SearchResult:
        """Return what a search found, or finds now; `search` says all that it depends on beside the knowledge base."""
        state = (knowledge_base.kb_id, knowledge_base.generation, knowledge_base.votes)
        key, now = (state, search), self._clock.now().timestamp()
        kept = self._kept.get(key)
        if kept and now < kept.until:
            self._kept.move_to_end(key)
            return kept.result
        result = make()
        if not result.degraded:
            self._keep(key, _Kept(result, now + KEPT_SECONDS, _size_of(result)))
        return result

    def _keep(self, key: Hashable, kept: _Kept) -> None:
        before = self._kept.pop(key, None)
        self._kept[key] = kept
        self._size += kept.size - (before.size if before else 0)
        while self._size > MOST_CHARACTERS:
            self._size -= self._kept.popitem(last=False)[1].size


def _size_of(result: SearchResult) -> int:
    return OF_ITSELF + sum(map(len, result.texts))
