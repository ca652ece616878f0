"""The vector index in OpenSearch."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from knowledge_base.adapters.opensearch import by_query, queries, searching
from knowledge_base.adapters.opensearch.bulk import write_all
from knowledge_base.adapters.opensearch.client import Cluster
from knowledge_base.adapters.opensearch.mapping import describe_index, name_index
from knowledge_base.adapters.storable import check_dimensions, part_storable
from knowledge_base.domain.chunks import OPEN, Chunk, ChunkPlace, IndexedChunk, Vector
from knowledge_base.domain.knowledge_bases import EmbeddingConfig
from knowledge_base.domain.retrieval import Candidates, ChunkFilter

if TYPE_CHECKING:
    from opensearchpy import OpenSearch


class OpenSearchVectorIndex:
    """Finds chunks by nearness and by words in an OpenSearch index with k-NN, which the first write makes.

    The nearest are exact where the filter leaves at most 1,024 chunks; among more, neighbours are found
    by a graph (recall@10 over .98). A vector of zeros is near nothing.
    """

    def __init__(self, cluster: Cluster, embedding: EmbeddingConfig) -> None:
        self._cluster = cluster
        self._name = name_index(embedding)
        self._dimensions = embedding.dimensions
        self._is_made = False

    def write(self, chunks: Sequence[IndexedChunk]) -> frozenset[str]:
        """Store chunks in place of those with the same ids; return the ids that could not be stored."""
        check_dimensions((item.vector for item in chunks), self._dimensions)
        storable, refused = part_storable(chunks)
        with self._cluster.asked() as client:
            self._make(client)
            return refused | write_all(client, self._name, storable)

    def close_versions(self, kb_id: str, document_id: str, *, below: int, revision: int) -> None:
        """Let the open chunks of a document's versions with an ordinal below `below` end at `revision`."""
        with self._cluster.asked() as client:
            by_query.end_at(client, self._name, queries.open_versions_below(kb_id, document_id, below), revision)

    def relabel(self, kb_id: str, document_id: str, *, readers: frozenset[str]) -> None:
        """Let other readers find all chunks of a document from now on, those of earlier versions too."""
        with self._cluster.asked() as client:
            others = queries.read_by_others(kb_id, document_id, readers)
            by_query.relabel(client, self._name, others, readers)

    def undo(self, kb_id: str, revision: int) -> None:
        """Delete the chunks that begin at a revision, then reopen those that end at it."""
        with self._cluster.asked() as client:
            by_query.delete(client, self._name, _both("kb_id", kb_id, "from_rev", revision))
            by_query.end_at(client, self._name, _both("kb_id", kb_id, "to_rev", revision), OPEN)

    def refresh(self) -> None:
        """Return when everything written before can be found."""
        with self._cluster.asked() as client:
            client.indices.refresh(index=self._name, ignore_unavailable=True)

    def find(
        self, *, text: str | None = None, vector: Vector | None = None, limit: int, where: ChunkFilter
    ) -> Candidates:
        """Run the leg for each of `text` and `vector` that is given, in one round trip."""
        if vector is not None:
            check_dimensions([vector], self._dimensions)
        with self._cluster.asked() as client:
            return searching.find(client, self._name, text, vector, limit, where)

    def get(self, places: Collection[ChunkPlace], where: ChunkFilter) -> list[Chunk]:
        """Return those chunks at these places that match, in no order."""
        with self._cluster.asked() as client:
            return searching.chunks_at(client, self._name, places, where)

    def count(self, where: ChunkFilter) -> int:
        """Return how many chunks match."""
        with self._cluster.asked() as client:
            body = {"query": queries.matches(where)}
            return int(client.count(index=self._name, body=body, ignore_unavailable=True)["count"])

    def delete_closed(self, kb_id: str, *, through: int, keep: Collection[int] = ()) -> int:
        """Delete chunks with `to_rev <= through` that are live at none of the revisions `keep`; return how many."""
        with self._cluster.asked() as client:
            return by_query.delete(client, self._name, queries.closed(kb_id, through, keep))

    def delete_document(self, kb_id: str, document_id: str) -> None:
        """Delete every chunk of a document, whatever its revisions."""
        with self._cluster.asked() as client:
            by_query.delete(client, self._name, _both("kb_id", kb_id, "document_id", document_id))

    def delete_knowledge_base(self, kb_id: str) -> None:
        """Delete every chunk of a knowledge base."""
        with self._cluster.asked() as client:
            by_query.delete(client, self._name, queries.all_of(queries.term("kb_id", kb_id)))

    def _make(self, client: OpenSearch) -> None:
        """Make the index unless it is there: a bulk request would make one that knows neither vectors nor words."""
        from opensearchpy.exceptions import RequestError

        if self._is_made:
            return
        try:
            if not client.indices.exists(index=self._name):
                client.indices.create(index=self._name, body=describe_index(self._dimensions))
        except RequestError as error:
            if error.error != "resource_already_exists_exception":  # another process was faster
                raise
        self._is_made = True


def _both(field: str, value: str, other: str, other_value: str | int) -> queries.Query:
    return queries.all_of(queries.term(field, value), queries.term(other, other_value))
