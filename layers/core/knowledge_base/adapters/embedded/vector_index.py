"""The vector index in an SQLite file."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from itertools import islice
from pathlib import Path

from knowledge_base.adapters.embedded import pages, retiring
from knowledge_base.adapters.embedded.chunk_memory import ChunkMemory
from knowledge_base.adapters.embedded.compacting import compact
from knowledge_base.adapters.embedded.database import Database
from knowledge_base.adapters.embedded.scope import read_scope
from knowledge_base.adapters.embedded.searching import chunks_at, count, find
from knowledge_base.adapters.embedded.shelves import MEMORY, Shelves
from knowledge_base.adapters.embedded.writing import forget, reader_set_number, store
from knowledge_base.adapters.storable import check_dimensions, part_storable
from knowledge_base.domain.chunks import Chunk, ChunkPlace, IndexedChunk, Vector
from knowledge_base.domain.retrieval import Candidates, ChunkFilter

BATCH = 500
"""How many chunks one transaction stores: another process waits for some 100 milliseconds."""


class EmbeddedVectorIndex:
    """Finds chunks by nearness and by words in an SQLite file that several processes share.

    The nearest are exact where at most 512 chunks match the filter; among more, half as many again as are
    wanted, those with the nearest one-byte codes, are compared exactly. A vector of zeros is near nothing.
    """

    def __init__(self, path: Path, dimensions: int, *, memory: int = MEMORY) -> None:
        self._database = Database(path, dimensions)
        self._shelves = Shelves(memory)
        self._chunks = ChunkMemory()
        self._dimensions = dimensions

    def write(self, chunks: Sequence[IndexedChunk]) -> frozenset[str]:
        """Store chunks in place of those with the same ids; return the ids that could not be stored."""
        check_dimensions((item.vector for item in chunks), self._dimensions)
        storable, refused = part_storable(chunks)
        rest = iter(storable)
        while batch := list(islice(rest, BATCH)):
            with self._database.writing() as connection:
                compact(connection, store(connection, batch))
        return refused

    def close_versions(self, kb_id: str, document_id: str, *, below: int, revision: int) -> None:
        """Let the open chunks of a document's versions with an ordinal below `below` end at `revision`."""
        self._change(retiring.CLOSE_VERSIONS, kb_id=kb_id, document_id=document_id, below=below, revision=revision)

    def relabel(self, kb_id: str, document_id: str, *, readers: frozenset[str]) -> None:
        """Let other readers find all chunks of a document from now on, those of earlier versions too."""
        with self._database.writing() as connection:
            bindings = {"kb_id": kb_id, "document_id": document_id}
            number = reader_set_number(connection, readers)
            changed = [id_ for (id_,) in connection.execute(retiring.RELABEL, {**bindings, "reader_set": number})]
            pages.refresh(connection, changed)
            connection.execute(retiring.FORGET_UNUSED_READERS, (number,))

    def undo(self, kb_id: str, revision: int) -> None:
        """Delete the chunks that begin at a revision, then reopen those that end at it."""
        self._delete(retiring.DELETE_BEGUN, kb_id=kb_id, revision=revision)
        self._change(retiring.REOPEN, kb_id=kb_id, revision=revision)

    def refresh(self) -> None:
        """Return at once: what is written here can be found."""

    def find(
        self, *, text: str | None = None, vector: Vector | None = None, limit: int, where: ChunkFilter
    ) -> Candidates:
        """Run the leg for each of `text` and `vector` that is given, over one state of the file."""
        if vector is not None:
            check_dimensions([vector], self._dimensions)
        with self._database.reading() as connection:
            scope = read_scope(connection, self._shelves, where)
            return find(connection, scope, self._chunks, text, vector, limit)

    def get(self, places: Collection[ChunkPlace], where: ChunkFilter) -> list[Chunk]:
        """Return those chunks at these places that match, in no order."""
        with self._database.reading() as connection:
            return chunks_at(connection, places, where)

    def count(self, where: ChunkFilter) -> int:
        """Return how many chunks match."""
        with self._database.reading() as connection:
            return count(connection, where)

    def delete_closed(self, kb_id: str, *, through: int, keep: Collection[int] = ()) -> int:
        """Delete chunks with `to_rev <= through` that are live at none of the revisions `keep`; return how many."""
        return self._delete(retiring.DELETE_CLOSED, kb_id=kb_id, through=through, keep=json.dumps(list(keep)))

    def delete_document(self, kb_id: str, document_id: str) -> None:
        """Delete every chunk of a document, whatever its revisions."""
        self._delete(retiring.DELETE_DOCUMENT, kb_id=kb_id, document_id=document_id)

    def delete_knowledge_base(self, kb_id: str) -> None:
        """Delete every chunk of a knowledge base."""
        self._delete(retiring.DELETE_KNOWLEDGE_BASE, kb_id=kb_id)

    def _change(self, statement: str, **bindings: str | int) -> None:
        with self._database.writing() as connection:
            pages.refresh(connection, [id_ for (id_,) in connection.execute(statement, bindings)])

    def _delete(self, statement: str, **bindings: str | int) -> int:
        deleted = 0
        while turn := self._delete_turn(statement, bindings):
            deleted += turn
        return deleted

    def _delete_turn(self, statement: str, bindings: dict[str, str | int]) -> int:
        with self._database.writing() as connection:
            ids = [id_ for (id_,) in connection.execute(statement, bindings)]
            forget(connection, ids)
            compact(connection, ids)
            return len(ids)
