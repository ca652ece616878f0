"""Builders of domain objects for tests: sensible values, any of them replaceable by name."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from knowledge_base.domain.access import Principal
from knowledge_base.domain.chunks import Chunk, IndexedChunk
from knowledge_base.domain.documents import Document, IngestionState, Source, Version
from knowledge_base.domain.knowledge_bases import (
    ChunkingConfig,
    ChunkingStrategy,
    Dialect,
    EmbeddingConfig,
    KnowledgeBase,
    KnowledgeBaseConfig,
)

FACT = "The pump starts at forty degrees."
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def a_principal(**changes: Any) -> Principal:
    return Principal(**{"tenant": "acme", "user_id": "ann", **changes})


def a_config(**changes: Any) -> KnowledgeBaseConfig:
    return KnowledgeBaseConfig(
        **{
            "chunking": ChunkingConfig(ChunkingStrategy.SEMANTIC, 512),
            "embedding": EmbeddingConfig("test-model", 4),
            **changes,
        }
    )


def a_knowledge_base(**changes: Any) -> KnowledgeBase:
    return KnowledgeBase(
        **{
            "kb_id": "kb-1",
            "tenant": "acme",
            "dialect": Dialect.URAN,
            "name": "handbook",
            "owner": "ann",
            "config": a_config(),
            "created_at": NOON,
            "updated_at": NOON,
            **changes,
        }
    )


def a_document(**changes: Any) -> Document:
    return Document(
        **{
            "document_id": "doc-1",
            "tenant": "acme",
            "kb_id": "kb-1",
            "names": frozenset({"guide.pdf"}),
            "owner": "ann",
            "created_at": NOON,
            "updated_at": NOON,
            **changes,
        }
    )


def a_version(**changes: Any) -> Version:
    return Version(
        **{
            "document_id": "doc-1",
            "ordinal": 1,
            "tenant": "acme",
            "kb_id": "kb-1",
            "source": Source(name="guide.pdf", url="https://files.example/guide.pdf", declared_type="pdf"),
            "state": IngestionState.PENDING,
            "accepted_at": NOON,
            "updated_at": NOON,
            "due": int(NOON.timestamp()) + 600,
            **changes,
        }
    )


def a_chunk(text: str = "The pump starts at 40 degrees.", **changes: Any) -> Chunk:
    return Chunk(
        **{
            "document_id": "doc-1",
            "ordinal": 1,
            "index": 0,
            "text": text,
            "start": 0,
            "end": len(text),
            **changes,
        }
    )


def an_indexed_chunk(
    text: str = "The pump starts at 40 degrees.",
    vector: Sequence[float] = (1.0, 0.0, 0.0, 0.0),
    *,
    kb_id: str = "kb-1",
    tenant: str = "acme",
    from_rev: int = 1,
    readers: frozenset[str] = frozenset({"*"}),
    **changes: Any,
) -> IndexedChunk:
    return IndexedChunk(a_chunk(text, **changes), vector, tenant, kb_id, from_rev, readers=readers)
