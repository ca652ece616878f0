"""Search the documents of one knowledge base, narrowed by what is said of them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from knowledge_base.domain.access import Principal
from knowledge_base.domain.chunks import Vector
from knowledge_base.domain.document_filters import DocumentFilter
from knowledge_base.domain.errors import EmbedderUnavailable
from knowledge_base.domain.knowledge_bases import KnowledgeBase
from knowledge_base.domain.retrieval import QuestionVector, SearchMode, SearchRequest, SearchResult
from knowledge_base.ports.models import Embedders
from knowledge_base.services.document_sets import DocumentSets
from knowledge_base.services.search_cache import SearchCache
from knowledge_base.services.searching import Searching

WINDOW = 1000
"""Characters that are embedded at once: as many as a chunk of such a knowledge base has, so no model is overrun."""

LONGEST_TEXT = 50_000
"""Characters of a text that similar documents are searched for."""

SEARCHED, COMPARED = "searched", "compared"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is searched for: how, among which documents, and from which similarity on."""

    text: str
    among: DocumentFilter
    limit: int
    mode: SearchMode = SearchMode.HYBRID
    min_similarity: float | None = None

    @property
    def identity(self) -> Hashable:
        """The same for the same search."""
        return (self.text, self.among.identity, self.limit, self.mode, self.min_similarity)


class DocumentSearch:
    """Searches documents; what is said of them is looked up in the catalog, and narrows every leg of the search.

    A search that was made before is answered from memory, as long as nothing was written to the knowledge base.
    """

    def __init__(self, *, searching: Searching, sets: DocumentSets, embedders: Embedders, cache: SearchCache) -> None:
        self._searching = searching
        self._sets = sets
        self._embedders = embedders
        self._cache = cache

    def search(self, caller: Principal, knowledge_base: KnowledgeBase, wanted: Wanted) -> SearchResult:
        """Return the chunks that answer a question, best first, and how many there are in all.

        Raises:
            EmbeddingRefused: the embedder cannot embed this text.
            IndexUnavailable: the index does not answer.
        """
        search = (SEARCHED, caller.reads_as, wanted.identity)
        return self._cache.get_or_make(search, knowledge_base, lambda: self._search(caller, knowledge_base, wanted))

    def similar(self, caller: Principal, knowledge_base: KnowledgeBase, wanted: Wanted) -> SearchResult:
        """Return the chunks that are nearest to a text, as long as it may be, and how many there are in all.

        A text of more than 1000 characters is cut into windows of that length, and its vector is the mean of
        theirs, each weighted by its length.

        Raises:
            EmbedderUnavailable: no endpoint answers.
            EmbeddingRefused: the embedder cannot embed this text.
            IndexUnavailable: the index does not answer.
        """
        search = (COMPARED, caller.reads_as, wanted.identity)
        return self._cache.get_or_make(search, knowledge_base, lambda: self._similar(caller, knowledge_base, wanted))

    def _search(self, caller: Principal, knowledge_base: KnowledgeBase, wanted: Wanted) -> SearchResult:
        vectors = self._searching.embed_under([knowledge_base.config.embedding], wanted.text)
        return self._find(caller, knowledge_base, wanted, vectors)

    def _similar(self, caller: Principal, knowledge_base: KnowledgeBase, wanted: Wanted) -> SearchResult:
        embedding = knowledge_base.config.embedding
        windows = windows_of(wanted.text)
        vector = mean_of(self._embedders.of(embedding).embed_passages(windows), [len(window) for window in windows])
        if vector is None:
            raise EmbedderUnavailable("the text has no vector")
        return self._find(caller, knowledge_base, wanted, [QuestionVector(embedding, vector)])

    def _find(
        self, caller: Principal, knowledge_base: KnowledgeBase, wanted: Wanted, vectors: Sequence[QuestionVector]
    ) -> SearchResult:
        request = SearchRequest(
            wanted.text,
            (knowledge_base.kb_id,),
            wanted.limit,
            threshold=wanted.min_similarity,
            mode=wanted.mode,
            readers=caller.reads_as,
            document_ids=self._sets.ids(knowledge_base, wanted.among),
            with_total=True,
        )
        return self._searching.search(caller.tenant, request, vectors)


def windows_of(text: str) -> list[str]:
    """Return a text in pieces of at most 1000 characters, cut at white space where there is some."""
    windows: list[str] = []
    rest = text.strip()
    while len(rest) > WINDOW:
        cut = max(rest.rfind(space, WINDOW // 2, WINDOW) for space in " \n\t") + 1 or WINDOW
        windows.append(rest[:cut].strip())
        rest = rest[cut:].strip()
    return [*windows, rest] if rest else windows


def mean_of(vectors: Sequence[Vector], weights: Sequence[int]) -> Vector | None:
    """Return the weighted mean of the directions of vectors, as long as 1; None when they cancel out."""
    mean = [0.0] * len(vectors[0])
    for vector, weight in zip(vectors, weights, strict=True):
        length = math.hypot(*vector) or 1.0
        mean = [total + weight * value / length for total, value in zip(mean, vector, strict=True)]
    length = math.hypot(*mean)
    return [value / length for value in mean] if length > 0 else None
