"""The vector indexes of one OpenSearch cluster."""

from __future__ import annotations

from knowledge_base.adapters.opensearch.client import Cluster
from knowledge_base.adapters.opensearch.vector_index import OpenSearchVectorIndex
from knowledge_base.domain.knowledge_bases import EmbeddingConfig


class OpenSearchVectorIndexes:
    """Keeps one index for each embedding model and number of dimensions, all in one cluster."""

    def __init__(self, url: str, *, region: str) -> None:
        self._cluster = Cluster(url, region)
        self._indexes: dict[EmbeddingConfig, OpenSearchVectorIndex] = {}

    def of(self, embedding: EmbeddingConfig) -> OpenSearchVectorIndex:
        """Return the index of a model."""
        if embedding not in self._indexes:
            self._indexes[embedding] = OpenSearchVectorIndex(self._cluster, embedding)
        return self._indexes[embedding]
