"""Indexes in a real OpenSearch that are a test's own."""

from __future__ import annotations

from uuid import uuid4

from opensearchpy import OpenSearch

from knowledge_base.adapters.opensearch.mapping import name_index
from knowledge_base.adapters.opensearch.vector_index import OpenSearchVectorIndex
from knowledge_base.adapters.opensearch.vector_indexes import OpenSearchVectorIndexes
from knowledge_base.domain.knowledge_bases import EmbeddingConfig


class EmptyIndexes:
    """The indexes of a cluster, under names that nobody has used before and nobody will find afterwards."""

    def __init__(self, url: str) -> None:
        self._indexes = OpenSearchVectorIndexes(url, region="")
        self._client = OpenSearch(url)
        self._prefix = uuid4().hex[:8]
        self._made: set[EmbeddingConfig] = set()

    def of(self, embedding: EmbeddingConfig) -> OpenSearchVectorIndex:
        return self._indexes.of(self.name_of(embedding))

    def name_of(self, embedding: EmbeddingConfig) -> EmbeddingConfig:
        """The model under the name that it has here."""
        own = EmbeddingConfig(f"{self._prefix}-{embedding.model}", embedding.dimensions)
        self._made.add(own)
        return own

    def delete(self) -> None:
        for embedding in self._made:
            self._client.indices.delete(index=name_index(embedding), ignore_unavailable=True)
