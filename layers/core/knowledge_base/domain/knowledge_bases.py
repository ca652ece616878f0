"""Knowledge bases and their configuration."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Dialect(StrEnum):
    """The REST contract that a knowledge base was made through."""

    URAN = "uran"
    ENGINEERING = "engineering"
    INTERVIEW = "interview"
    SURVEY = "survey"


class ChunkingStrategy(StrEnum):
    """How a document's text is cut into chunks."""

    OVERLAPPING = "overlapping"
    FIXED = "fixed"
    SEMANTIC = "semantic"
    MARKDOWN = "markdown"
    CODE = "code"


class KnowledgeBaseStatus(StrEnum):
    """Whether a knowledge base can be used."""

    ACTIVE = "active"
    ARCHIVED = "archived"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class EmbeddingConfig:
    """An embedding model and the size of its vectors; fixed when a knowledge base is made."""

    model: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class ChunkingConfig:
    """A strategy with its sizes: characters for `overlapping`, tokens for all others."""

    strategy: ChunkingStrategy
    size: int
    overlap: int = 0


@dataclass(frozen=True, slots=True)
class KnowledgeBaseConfig:
    """What decides how a knowledge base ingests and retrieves; with `learns`, votes move what is found."""

    chunking: ChunkingConfig
    embedding: EmbeddingConfig
    score_threshold: float | None = None
    citation_required: bool = False
    rerank: bool = False
    learns: bool = False


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """A named collection of documents.

    `revision` is raised by each publish or removal, `generation` by every write of any kind, `votes` by each
    vote on what a search found.
    """

    kb_id: str
    tenant: str
    dialect: Dialect
    name: str
    owner: str
    config: KnowledgeBaseConfig
    created_at: datetime
    updated_at: datetime
    revision: int = 0
    generation: int = 0
    votes: int = 0
    status: KnowledgeBaseStatus = KnowledgeBaseStatus.ACTIVE
