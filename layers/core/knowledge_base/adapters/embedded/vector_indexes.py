"""The embedded vector indexes of one directory."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

from knowledge_base.adapters.embedded.vector_index import EmbeddedVectorIndex
from knowledge_base.domain.knowledge_bases import EmbeddingConfig


class EmbeddedVectorIndexes:
    """Keeps one file for each embedding model and number of dimensions."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._indexes: dict[EmbeddingConfig, EmbeddedVectorIndex] = {}

    def of(self, embedding: EmbeddingConfig) -> EmbeddedVectorIndex:
        """Return the index of a model; its file is made on first use."""
        if embedding not in self._indexes:
            path = self._directory / _file_name(embedding)
            self._indexes[embedding] = EmbeddedVectorIndex(path, embedding.dimensions)
        return self._indexes[embedding]


def _file_name(embedding: EmbeddingConfig) -> str:
    """Return a name that says the model, and is another for every model on every file system."""
    readable = re.sub(r"[^a-z0-9]+", "-", embedding.model.lower()).strip("-")[:60]
    digest = sha256(embedding.model.encode()).hexdigest()[:8]
    return f"{readable}-{digest}-{embedding.dimensions}.sqlite3"
