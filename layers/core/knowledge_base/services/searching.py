"""Find the chunks that answer a question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from knowledge_base.domain.chunks import Chunk, ChunkPlace, Vector
from knowledge_base.domain.documents import Document, Source
from knowledge_base.domain.errors import EmbedderUnavailable, KnowledgeBaseNotFound
from knowledge_base.domain.fusion import fuse
from knowledge_base.domain.knowledge_bases import EmbeddingConfig, KnowledgeBase
from knowledge_base.domain.retrieval import (
    ChunkFilter,
    FoundChunk,
    Hit,
    QuestionVector,
    SearchMode,
    SearchRequest,
    SearchResult,
)
from knowledge_base.ports.catalog import Documents, KnowledgeBases, Versions
from knowledge_base.ports.models import Embedders
from knowledge_base.ports.vector_index import VectorIndexes
from knowledge_base.services.context import beside
from knowledge_base.services.relevance import VotePriors
from knowledge_base.services.reranking import DEPTH, Reranking

CANDIDATES = 200
"""The depth of each leg, whatever top_k is: so a smaller top_k gives the beginning of a larger one."""

WIDENED = 16
"""So many of the best hits get the chunks beside them, where these are asked for."""

EMBEDDER_DOWN = "embedding"
"""In `degraded`: the embedder did not answer, words alone were searched, and thresholds did not apply."""

RERANKER_DOWN = "rerank"
"""In `degraded`: the reranker did not answer, and the order is that of the search."""


class Searching:
    """Searches knowledge bases, and shows only what is there now and may be read now."""

    def __init__(
        self,
        *,
        knowledge_bases: KnowledgeBases,
        documents: Documents,
        versions: Versions,
        indexes: VectorIndexes,
        embedders: Embedders,
        reranking: Reranking,
        priors: VotePriors,
    ) -> None:
        self._knowledge_bases = knowledge_bases
        self._documents = documents
        self._versions = versions
        self._indexes = indexes
        self._embedders = embedders
        self._reranking = reranking
        self._priors = priors

    def embed(self, tenant: str, kb_ids: Sequence[str], text: str) -> list[QuestionVector]:
        """Return the question's vector for each model that the knowledge bases use.

        Raises:
            KnowledgeBaseNotFound: one of them is not the tenant's.
            EmbeddingRefused: the embedder cannot embed this text.
        """
        return self.embed_under((kb.config.embedding for kb in self._existing(tenant, kb_ids)), text)

    def embed_under(self, models: Iterable[EmbeddingConfig], text: str) -> list[QuestionVector]:
        """Return the question's vector for each of these models.

        Raises:
            EmbeddingRefused: the embedder cannot embed this text.
        """
        return [QuestionVector(model, self._embed(model, text)) for model in dict.fromkeys(models)]

    def fitting(self, tenant: str, kb_ids: Sequence[str], vector: Vector) -> list[QuestionVector]:
        """Return a question's vector for each model of the knowledge bases whose vectors have its size.

        Raises:
            KnowledgeBaseNotFound: one of them is not the tenant's.
        """
        models = {kb.config.embedding: None for kb in self._existing(tenant, kb_ids)}
        return [QuestionVector(model, vector) for model in models if model.dimensions == len(vector)]

    def search(self, tenant: str, request: SearchRequest, vectors: Sequence[QuestionVector]) -> SearchResult:
        """Return at most `top_k` chunks, best first, over all knowledge bases of the request.

        Raises:
            KnowledgeBaseNotFound: one of them is not the tenant's.
            IndexUnavailable: the index does not answer.
        """
        found_bases = self._existing(tenant, request.kb_ids)
        revisions = {kb.kb_id: request.pinned.get(kb.kb_id, kb.revision) for kb in found_bases}
        known = {item.embedding: item.vector for item in vectors}
        hits: Sequence[Hit] = [
            hit
            for model, group in _by_model(found_bases).items()
            for hit in self._search_model(tenant, request, model, known.get(model), _only(revisions, group))
        ]
        live = [kb for kb in found_bases if kb.kb_id not in request.pinned]
        ranked = self._priors.applied(request.text, live, hits)
        degraded: tuple[str, ...] = (EMBEDDER_DOWN,) if _is_degraded(found_bases, known, request.mode) else ()
        is_reranked = self._reranking.is_wanted(found_bases)
        deep = replace(request, top_k=max(request.top_k, DEPTH)) if is_reranked else request
        readable = list(self._readable(tenant, deep, ranked))
        total = len(readable) if request.with_total else None
        if is_reranked:
            readable, has_answered = self._reranking.reorder(request.text, readable)
            degraded += () if has_answered else (RERANKER_DOWN,)
        found = list(self._with_sources(readable[: request.top_k]))
        if request.with_neighbours:
            found = self._with_neighbours(found, found_bases, ChunkFilter(tenant, revisions, request.readers))
        return SearchResult(tuple(found), revisions, degraded, total)

    def _existing(self, tenant: str, kb_ids: Iterable[str]) -> list[KnowledgeBase]:
        return [_owned(self._knowledge_bases.get(kb_id), tenant) for kb_id in kb_ids]

    def _embed(self, model: EmbeddingConfig, text: str) -> Vector | None:
        try:
            return self._embedders.of(model).embed_query(text)
        except EmbedderUnavailable:
            return None

    def _search_model(
        self,
        tenant: str,
        request: SearchRequest,
        model: EmbeddingConfig,
        vector: Vector | None,
        revisions: dict[str, int],
    ) -> list[Hit]:
        candidates = self._indexes.of(model).find(
            text=None if request.mode is SearchMode.VECTOR else request.text,
            vector=vector,
            limit=CANDIDATES,
            where=ChunkFilter(tenant, revisions, request.readers, request.document_ids),
        )
        if request.mode is SearchMode.KEYWORD:
            candidates = replace(candidates, nearest=())
        return [hit for hit in fuse(candidates, request.mode) if _reaches(hit, request.threshold)]

    def _readable(self, tenant: str, request: SearchRequest, ranked: Sequence[Hit]) -> Iterable[FoundChunk]:
        """Check the ranked hits against the catalog of now, until there are `top_k`; all where they are counted."""
        shown = 0
        for start in range(0, len(ranked), CANDIDATES):
            page = ranked[start : start + CANDIDATES]
            documents = self._documents.get_many({hit.chunk.document_id for hit in page})
            for hit in page:
                document = documents.get(hit.chunk.document_id)
                is_wanted = request.with_total or shown < request.top_k
                if is_wanted and document and _shows(document, hit, tenant, request):
                    shown += 1
                    yield FoundChunk(hit, document.name, metadata=document.metadata, created_at=document.created_at)

    def _with_sources(self, found: Sequence[FoundChunk]) -> Iterable[FoundChunk]:
        """Add what the version that a chunk belongs to says of its source, not what a later one says."""
        versions = self._versions.get_many({(item.hit.chunk.document_id, item.hit.chunk.ordinal) for item in found})
        for item in found:
            version = versions.get((item.hit.chunk.document_id, item.hit.chunk.ordinal))
            source = version.source if version else Source(item.document_name)
            media_type = version.media_type if version else ""
            yield replace(item, url=source.url, md5=source.md5, media_type=media_type)

    def _with_neighbours(
        self, found: list[FoundChunk], knowledge_bases: Iterable[KnowledgeBase], where: ChunkFilter
    ) -> list[FoundChunk]:
        """Add the chunks before and behind the best hits, one request to each index."""
        best = found[:WIDENED]
        known: dict[ChunkPlace, Chunk] = {}
        for model, group in _by_model(knowledge_bases).items():
            ids = {kb.kb_id for kb in group}
            places = {place for item in best if item.hit.kb_id in ids for place in beside(item.hit.chunk)}
            if places:
                scope = replace(where, revisions=_only(where.revisions, group))
                known |= {chunk.place: chunk for chunk in self._indexes.of(model).get(places, scope)}
        return [*(_beside(item, known) for item in best), *found[WIDENED:]]


def _beside(found: FoundChunk, known: dict[ChunkPlace, Chunk]) -> FoundChunk:
    before, after = beside(found.hit.chunk)
    return replace(found, before=known.get(before), after=known.get(after))


def _owned(knowledge_base: KnowledgeBase, tenant: str) -> KnowledgeBase:
    if knowledge_base.tenant != tenant:
        raise KnowledgeBaseNotFound(knowledge_base.kb_id)
    return knowledge_base


def _by_model(knowledge_bases: Iterable[KnowledgeBase]) -> dict[EmbeddingConfig, list[KnowledgeBase]]:
    groups: dict[EmbeddingConfig, list[KnowledgeBase]] = defaultdict(list)
    for knowledge_base in knowledge_bases:
        groups[knowledge_base.config.embedding].append(knowledge_base)
    return groups


def _only(revisions: dict[str, int], group: Iterable[KnowledgeBase]) -> dict[str, int]:
    return {kb.kb_id: revisions[kb.kb_id] for kb in group}


def _is_degraded(
    knowledge_bases: Iterable[KnowledgeBase], known: dict[EmbeddingConfig, Vector | None], mode: SearchMode
) -> bool:
    return mode is not SearchMode.KEYWORD and any(known.get(kb.config.embedding) is None for kb in knowledge_bases)


def _reaches(hit: Hit, threshold: float | None) -> bool:
    return threshold is None or hit.similarity is None or hit.similarity >= threshold


def _shows(document: Document, hit: Hit, tenant: str, request: SearchRequest) -> bool:
    return may_show(document, hit, tenant, readers=request.readers, is_pinned=hit.kb_id in request.pinned)


def may_show(
    document: Document, hit: Hit, tenant: str, *, readers: frozenset[str] | None, is_pinned: bool = False
) -> bool:
    """Tell whether a chunk may be shown to its readers, by what the catalog says of its document now.

    A removed document is gone for live reads at once; a pinned revision still shows it.
    """
    is_there = is_pinned or hit.chunk.ordinal > document.removed_ordinal
    may_read = readers is None or bool(document.readers & readers)
    return document.tenant == tenant and is_there and may_read
