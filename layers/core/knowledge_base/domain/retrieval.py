"""What is asked of the index, and what it finds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from knowledge_base.domain.chunks import Chunk, Vector
from knowledge_base.domain.knowledge_bases import EmbeddingConfig
from knowledge_base.domain.metadata import DocumentMetadata


class SearchMode(StrEnum):
    """Which legs of the search run."""

    HYBRID = "hybrid"
    VECTOR = "vector"
    KEYWORD = "keyword"


@dataclass(frozen=True, slots=True)
class ChunkFilter:
    """Which chunks may be found; all parts must hold, and an empty set matches nothing.

    `revisions` maps each knowledge base that is searched to the revision it is read at.
    `readers` are the marks of the caller, one of which a chunk must carry; None: no check.
    """

    tenant: str
    revisions: dict[str, int]
    readers: frozenset[str] | None = None
    document_ids: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A found chunk.

    `similarity` is the exact cosine to the question in [0, 1] (negative becomes 0), None without a
    question vector; `keyword` is the BM25 score, None where the words did not match; `score` is the
    fused score in [0, 1], 0 until fusion. The ranks are those in the two legs, from 1, None for a leg that did
    not find it. `prior` is what votes have added to the score, or taken from it.
    """

    chunk: Chunk
    kb_id: str
    similarity: float | None = None
    keyword: float | None = None
    score: float = 0.0
    vector_rank: int | None = None
    keyword_rank: int | None = None
    prior: float = 0.0

    def fused(self, score: float, vector_rank: int | None, keyword_rank: int | None) -> Hit:
        """Return it with its score and its ranks."""
        # A search does this to hundreds: `dataclasses.replace` takes three times as long.
        return Hit(self.chunk, self.kb_id, self.similarity, self.keyword, score, vector_rank, keyword_rank)


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the legs of one search found, each best first; a leg that was not asked is empty."""

    nearest: tuple[Hit, ...] = ()
    matching: tuple[Hit, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search over some knowledge bases of one tenant.

    `document_ids` are those that are searched, None: all. `with_total` wants all that was found to be counted.
    """

    text: str
    kb_ids: tuple[str, ...]
    top_k: int
    threshold: float | None = None
    mode: SearchMode = SearchMode.HYBRID
    readers: frozenset[str] | None = None
    pinned: dict[str, int] = field(default_factory=dict)
    with_neighbours: bool = False
    document_ids: frozenset[str] | None = None
    with_total: bool = False


@dataclass(frozen=True, slots=True)
class QuestionVector:
    """The vector of a question under one model; `vector` is None when the embedder did not answer."""

    embedding: EmbeddingConfig
    vector: Vector | None


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A hit with what the catalog knows of its document now; the chunks beside it only where they were asked for."""

    hit: Hit
    document_name: str
    url: str = ""
    md5: str = ""
    metadata: DocumentMetadata = field(default_factory=DocumentMetadata)
    before: Chunk | None = None
    after: Chunk | None = None
    created_at: datetime | None = None
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits best first; `degraded` names the parts that did not take part.

    `total` is how many there are without the cut at `top_k`, where that was asked for.
    """

    found: tuple[FoundChunk, ...] = ()
    revisions: dict[str, int] = field(default_factory=dict)
    degraded: tuple[str, ...] = ()
    total: int | None = None

    @property
    def texts(self) -> list[str]:
        """The texts of the hits, best first."""
        return [item.hit.chunk.text for item in self.found]


def clamp_cosine(value: float) -> float:
    """Return a cosine as a similarity: in [0, 1], negative becomes 0."""
    return min(1.0, max(0.0, value))


def best(scores: Iterable[float | None]) -> float:
    """Return the largest score that is there, 0 without any."""
    return max((score for score in scores if score is not None), default=0.0)
