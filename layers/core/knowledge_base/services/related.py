"""Find documents that say something of what another is about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from typing import TypeVar

from knowledge_base.domain.access import Principal
from knowledge_base.domain.batches import decode_vectors
from knowledge_base.domain.chunks import Chunk, Vector
from knowledge_base.domain.documents import Document, Version
from knowledge_base.domain.errors import NotYetReadable, ObjectNotFound
from knowledge_base.domain.knowledge_bases import KnowledgeBase
from knowledge_base.domain.retrieval import ChunkFilter, Hit
from knowledge_base.ports.catalog import Documents, KnowledgeBases, Versions
from knowledge_base.ports.object_store import ObjectStore
from knowledge_base.ports.vector_index import VectorIndex, VectorIndexes
from knowledge_base.services.entities import entities_of, shared_entities
from knowledge_base.services.ingestions import Ingestions
from knowledge_base.services.searching import CANDIDATES, may_show

T = TypeVar("T")

SAMPLES = 8
"""So many chunks, spread over the document, stand for it."""

READ_BATCHES = 3
"""Of so many batches of chunks, spread over the document, its names and samples are taken."""

MOST_OF_ITS_OWN = 800
"""So many of its own chunks, which are nearest to it, may stand before those of others."""

NEARNESS = 0.7
"""The share of the similarity in a score; the rest is that of the weight of the names that both have."""

DEEPEST = 3
"""The similarity of a document is the mean of so many best ones, so that one sentence in common is not all."""


@dataclass(frozen=True, slots=True)
class Related:
    """A document that is related to another, and by what."""

    document: Document
    score: float
    similarity: float | None
    shared: tuple[str, ...]


@dataclass(slots=True)
class _Candidate:
    """What was found of one document: its best similarity to each sample, and its chunks by id."""

    near: dict[int, float] = field(default_factory=dict)
    hits: dict[str, Hit] = field(default_factory=dict)

    @property
    def similarity(self) -> float | None:
        best = nlargest(DEEPEST, self.near.values())
        return sum(best) / len(best) if best else None


class RelatedDocuments:
    """Compares a document with the others of its knowledge base."""

    def __init__(
        self,
        *,
        ingestions: Ingestions,
        documents: Documents,
        versions: Versions,
        knowledge_bases: KnowledgeBases,
        objects: ObjectStore,
        indexes: VectorIndexes,
    ) -> None:
        self._ingestions = ingestions
        self._documents = documents
        self._versions = versions
        self._knowledge_bases = knowledge_bases
        self._objects = objects
        self._indexes = indexes

    def find(self, caller: Principal, document_id: str, *, limit: int) -> list[Related]:
        """Return at most `limit` other documents that the caller may read, the most related first.

        Raises:
            DocumentNotFound: there is none, or the caller may not read it.
            NotYetReadable: none of its versions has been published.
            IndexUnavailable: the index does not answer.
        """
        document, _newest = self._ingestions.status(caller, document_id)
        if not document.live_ordinal:
            raise NotYetReadable("the document is not searchable yet")
        live = self._versions.get(document_id, document.live_ordinal)
        knowledge_base = self._knowledge_bases.get(document.kb_id)
        chunks = self._chunks(live)
        entities = entities_of(chunk.text for chunk, _ in chunks)
        candidates = self._candidates(caller, knowledge_base, live, _spread(chunks, SAMPLES), entities)
        found = [
            _related(document, candidates[document.document_id], entities)
            for document in self._readable(caller, candidates)
        ]
        found.sort(key=lambda item: (-item.score, item.document.document_id))
        return found[:limit]

    def _chunks(self, live: Version) -> list[tuple[Chunk, Vector]]:
        """Chunks of some batches of the document, with their vectors."""
        found: list[tuple[Chunk, Vector]] = []
        for batch in _spread(range(live.batch_count), READ_BATCHES):
            try:
                found += decode_vectors(self._objects.get(live.key.vectors(batch)))
            except ObjectNotFound:
                continue
        return found

    def _candidates(
        self,
        caller: Principal,
        knowledge_base: KnowledgeBase,
        live: Version,
        samples: Sequence[tuple[Chunk, Vector]],
        entities: Iterable[str],
    ) -> dict[str, _Candidate]:
        index = self._indexes.of(knowledge_base.config.embedding)
        where = ChunkFilter(caller.tenant, {knowledge_base.kb_id: knowledge_base.revision}, caller.reads_as)
        depth = CANDIDATES + min(live.chunk_count, MOST_OF_ITS_OWN)
        found: dict[str, _Candidate] = defaultdict(_Candidate)
        for number, (_chunk, vector) in enumerate(samples):
            _note(found, index.find(vector=vector, limit=depth, where=where).nearest, number)
        _note(found, _naming(index, entities, depth, where))
        found.pop(live.document_id, None)
        return found

    def _readable(self, caller: Principal, candidates: Mapping[str, _Candidate]) -> Iterator[Document]:
        """Check against the catalog of now, as a search does."""
        for document_id, document in self._documents.get_many(candidates.keys()).items():
            hits = candidates[document_id].hits.values()
            if any(may_show(document, hit, caller.tenant, readers=caller.reads_as) for hit in hits):
                yield document


def _related(document: Document, candidate: _Candidate, entities: Mapping[str, float]) -> Related:
    text = "\n".join(hit.chunk.text for hit in candidate.hits.values())
    shared = tuple(shared_entities(entities, text))
    weight = sum(entities[entity] for entity in shared) / (sum(entities.values()) or 1.0)
    score = NEARNESS * (candidate.similarity or 0.0) + (1 - NEARNESS) * weight
    return Related(document, score, candidate.similarity, shared)


def _naming(index: VectorIndex, entities: Iterable[str], depth: int, where: ChunkFilter) -> Sequence[Hit]:
    names = " ".join(entities)
    return index.find(text=names, limit=depth, where=where).matching if names else ()


def _note(found: dict[str, _Candidate], hits: Iterable[Hit], sample: int | None = None) -> None:
    for hit in hits:
        candidate = found[hit.chunk.document_id]
        candidate.hits[hit.chunk.chunk_id] = hit
        if sample is not None and hit.similarity is not None:
            candidate.near[sample] = max(candidate.near.get(sample, 0.0), hit.similarity)


def _spread(items: Sequence[T], count: int) -> list[T]:
    """At most `count` of the items, at even distances, the first among them."""
    step = max(1.0, len(items) / count)
    return [items[int(at * step)] for at in range(min(count, len(items)))]
