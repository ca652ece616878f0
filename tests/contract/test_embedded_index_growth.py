"""What comes and goes leaves nothing behind in the file of the embedded index."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from knowledge_base.adapters.embedded import compacting
from knowledge_base.adapters.embedded.schema import PAGE
from knowledge_base.adapters.embedded.vector_index import EmbeddedVectorIndex
from knowledge_base.domain.chunks import IndexedChunk
from knowledge_base.domain.retrieval import ChunkFilter
from tests.builders import an_indexed_chunk
from tests.contract.vector_corpus import Corpus

DIMENSIONS = 24
NOW = ChunkFilter("acme", {"kb-1": 1})
KEPT_EMPTY = {"knowledge_bases", "totals", "sqlite_sequence"}
"""A knowledge base keeps its number and its last id, so that neither is ever given again."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index.sqlite3"


@pytest.fixture
def index(path: Path) -> EmbeddedVectorIndex:
    return EmbeddedVectorIndex(path, DIMENSIONS)


@pytest.fixture
def small_regions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compacting, "REGION", 2 * PAGE)


def rows_of(path: Path) -> dict[str, int]:
    with apsw.Connection(str(path)) as file:
        tables = [name for (name,) in file.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {table: file.execute(f"SELECT count(*) FROM {table}").get for table in tables}


def generations(number: int, chunks: int, *, stay: int) -> Iterator[tuple[list[IndexedChunk], str]]:
    """Documents that stay with `stay` chunks each, beside one that goes, given with its name."""
    corpus = Corpus(1, DIMENSIONS)
    for generation in range(number):
        goes = f"goes-{generation}"
        yield (
            [
                an_indexed_chunk(
                    corpus.text(9),
                    corpus.vector(),
                    document_id=f"stays-{generation}" if place < stay else goes,
                    index=place,
                    readers=frozenset({f"user:{generation}"}),
                )
                for place in range(chunks)
            ],
            goes,
        )


class TestWhatIsDeleted:
    def test_no_row_is_left_of_a_knowledge_base_that_is_gone(self, index: EmbeddedVectorIndex, path: Path) -> None:
        index.write(Corpus(1, DIMENSIONS).chunks(2500))
        index.relabel("kb-1", "doc-3", readers=frozenset({"user:1", "user:2"}))
        index.delete_knowledge_base("kb-1")
        assert {table for table, rows in rows_of(path).items() if rows} <= KEPT_EMPTY
        with apsw.Connection(str(path)) as file:
            assert file.execute("SELECT chunks, words FROM totals").get == (0, 0)

    def test_readers_that_no_chunk_has_any_more_are_forgotten(self, index: EmbeddedVectorIndex, path: Path) -> None:
        index.write([an_indexed_chunk("a pump", [1.0] * DIMENSIONS)])
        for number in range(1, 40):
            index.relabel("kb-1", "doc-1", readers=frozenset(f"user:{one}" for one in range(number)))
            index.relabel("kb-1", "not there", readers=frozenset({f"role:{number}"}))
        assert rows_of(path)["reader_sets"] == 1
        assert rows_of(path)["reader_marks"] == 39

    def test_document_whose_chunks_are_all_replaced_or_gone_is_forgotten(
        self, index: EmbeddedVectorIndex, path: Path
    ) -> None:
        for number in range(30):
            index.write([an_indexed_chunk("a pump", [1.0] * DIMENSIONS, document_id=f"doc-{number}")])
            index.write([an_indexed_chunk("a new pump", [2.0] * DIMENSIONS, document_id=f"doc-{number}")])
            index.delete_document("kb-1", f"doc-{number - 1}")
        assert rows_of(path)["documents"] == rows_of(path)["chunks"] == rows_of(path)["texts"] == 1


@pytest.mark.usefixtures("small_regions")
class TestWhatStays:
    def test_it_is_brought_together_when_most_around_it_is_deleted(
        self, index: EmbeddedVectorIndex, path: Path
    ) -> None:
        for chunks, goes in generations(60, 500, stay=10):
            index.write(chunks)
            index.delete_document("kb-1", goes)
        assert index.count(NOW) == 600
        assert rows_of(path)["pages"] <= 6
        assert rows_of(path)["segments"] <= 6

    def test_it_is_brought_together_when_most_around_it_is_written_again(
        self, index: EmbeddedVectorIndex, path: Path
    ) -> None:
        for chunks, _ in generations(60, 500, stay=10):
            index.write([item for item in chunks if item.chunk.document_id.startswith("stays")])
            index.write([an_indexed_chunk("again", [1.0] * DIMENSIONS, index=place) for place in range(490)])
        assert index.count(NOW) == 600 + 490
        assert rows_of(path)["pages"] <= 6

    def test_it_is_found_as_in_an_index_that_never_held_anything_else(
        self, index: EmbeddedVectorIndex, tmp_path: Path
    ) -> None:
        alone, watcher = (EmbeddedVectorIndex(tmp_path / name, DIMENSIONS) for name in ("alone", "index.sqlite3"))
        for chunks, goes in generations(30, 500, stay=10):
            index.write(chunks)
            index.delete_document("kb-1", goes)
            alone.write([item for item in chunks if item.chunk.document_id != goes])
            watcher.find(text="pump", vector=[1.0] * DIMENSIONS, limit=5, where=NOW)
        questions = Corpus(2, DIMENSIONS)
        for readers in (None, frozenset({"user:3", "user:20"})):
            where, vector = ChunkFilter("acme", {"kb-1": 1}, readers), questions.vector()
            found, expected, seen = (
                each.find(vector=vector, limit=300, where=where).nearest for each in (index, alone, watcher)
            )
            assert found == expected == seen
            assert len(found) == (300 if readers is None else 20)

    def test_bytes_are_bounded_by_what_there_is_at_once(self, index: EmbeddedVectorIndex, path: Path) -> None:
        sizes = []
        for chunks, goes in generations(60, 500, stay=1):
            index.write(chunks)
            index.delete_document("kb-1", goes)
            sizes.append(sum(file.stat().st_size for file in path.parent.iterdir()))
        assert max(sizes[20:]) < 1.3 * max(sizes[:20])
