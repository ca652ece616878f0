"""The vector index."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from knowledge_base.domain.chunks import Chunk, ChunkPlace, IndexedChunk, Vector
from knowledge_base.domain.knowledge_bases import EmbeddingConfig
from knowledge_base.domain.retrieval import Candidates, ChunkFilter


class VectorIndex(Protocol):
    """Finds chunks by nearness and by words; holds the vectors of one embedding model.

    Every filter holds inside each leg, before any cut. All methods raise `IndexUnavailable` when the
    index does not answer.
    """

    def write(self, chunks: Sequence[IndexedChunk]) -> frozenset[str]:
        """Store chunks in place of those with the same ids; return the ids that could not be stored.

        Raises:
            VectorSizeMismatch: a vector has not the index's number of dimensions; nothing is stored.
        """

    def close_versions(self, kb_id: str, document_id: str, *, below: int, revision: int) -> None:
        """Let the open chunks of a document's versions with an ordinal below `below` end at `revision`."""

    def relabel(self, kb_id: str, document_id: str, *, readers: frozenset[str]) -> None:
        """Let other readers find all chunks of a document from now on, those of earlier versions too."""

    def undo(self, kb_id: str, revision: int) -> None:
        """Take back a publish: delete chunks that begin at the revision, reopen those that end at it."""

    def refresh(self) -> None:
        """Return when everything written before can be found."""

    def find(
        self, *, text: str | None = None, vector: Vector | None = None, limit: int, where: ChunkFilter
    ) -> Candidates:
        """Run the leg for each of `text` (BM25) and `vector` (cosine) that is given, in one round trip.

        Each leg returns at most `limit` chunks that match `where`, best first, ties by chunk id. With a
        vector every hit has its exact cosine, also those of the keyword leg. Words are found in
        any script; Chinese, Japanese and Korean by bigrams. A text without words matches nothing.

        Raises:
            VectorSizeMismatch: the vector has not the index's number of dimensions.
        """

    def get(self, places: Collection[ChunkPlace], where: ChunkFilter) -> list[Chunk]:
        """Return those chunks at these places that match, in no order."""

    def count(self, where: ChunkFilter) -> int:
        """Return how many chunks match."""

    def delete_closed(self, kb_id: str, *, through: int, keep: Collection[int] = ()) -> int:
        """Delete chunks with `to_rev <= through` that are live at none of the revisions `keep`; return how many."""

    def delete_document(self, kb_id: str, document_id: str) -> None:
        """Delete every chunk of a document, whatever its revisions."""

    def delete_knowledge_base(self, kb_id: str) -> None:
        """Delete every chunk of a knowledge base."""


class VectorIndexes(Protocol):
    """The vector indexes, one for each embedding model and number of dimensions."""

    def of(self, embedding: EmbeddingConfig) -> VectorIndex:
        """Return the index of a model, made on first use."""
