"""Turn callers' own texts into vectors of the model that new knowledge bases get."""

from __future__ import annotations

from collections.abc import Sequence

from knowledge_base.domain.chunks import Vector
from knowledge_base.domain.knowledge_bases import EmbeddingConfig
from knowledge_base.ports.models import Embedders


class Vectors:
    """Embeds texts for whoever asks."""

    def __init__(self, *, embedders: Embedders, embedding: EmbeddingConfig) -> None:
        self._embedders = embedders
        self._embedding = embedding

    def of_question(self, text: str) -> Vector:
        """Return the vector of a question.

        Raises:
            NotConfigured: no endpoint offers the model.
            EmbedderUnavailable: no endpoint answers.
            EmbeddingRefused: the endpoint refuses this text.
        """
        return self._embedders.of(self._embedding).embed_query(text)

    def of_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector for each text, in order.

        Raises:
            NotConfigured: no endpoint offers the model.
            EmbedderUnavailable: no endpoint answers.
            EmbeddingRefused: the endpoint refuses one of the texts.
        """
        return self._embedders.of(self._embedding).embed_passages(texts)
