"""The vector index in an SQLite file, and what happens to the file."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from threading import Barrier

import apsw
import pytest

from knowledge_base.adapters.embedded.vector_index import EmbeddedVectorIndex
from knowledge_base.adapters.embedded.vector_indexes import EmbeddedVectorIndexes
from knowledge_base.domain.errors import IndexUnavailable
from knowledge_base.domain.knowledge_bases import EmbeddingConfig
from knowledge_base.domain.retrieval import ChunkFilter
from tests.builders import an_indexed_chunk
from tests.contract.vector_corpus import Corpus, cosine
from tests.contract.vector_index_contract import VectorIndexContract

MODEL = EmbeddingConfig("test-model", 4)
EVERYBODY = ChunkFilter("acme", {"kb-1": 1})
BATCH = 5


class TestEmbeddedVectorIndex(VectorIndexContract):
    @pytest.fixture
    def indexes(self, tmp_path: Path) -> EmbeddedVectorIndexes:
        return EmbeddedVectorIndexes(tmp_path / "index")


def open_index(directory: Path) -> EmbeddedVectorIndex:
    """An index of its own, with connections of its own, as another process would have it."""
    return EmbeddedVectorIndexes(directory).of(MODEL)


def write_batch(index: EmbeddedVectorIndex, document: int, batch: int) -> None:
    places = range(batch * BATCH, (batch + 1) * BATCH)
    index.write([an_indexed_chunk("a pump", document_id=f"doc-{document}", index=place) for place in places])


def write_and_search(directory: Path, document: int) -> int:
    index = open_index(directory)
    for batch in range(10):
        write_batch(index, document, batch)
        index.find(text="pump", vector=(1, 0, 0, 0), limit=5, where=EVERYBODY)
    return index.count(EVERYBODY)


@contextmanager
def endless_writer(directory: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that writes batch after batch and prints the number of each that has been written."""
    script = (
        "import sys, itertools; from pathlib import Path; from tests.contract import test_embedded_vector_index as t\n"
        "index = t.open_index(Path(sys.argv[1]))\n"
        "for batch in itertools.count(): t.write_batch(index, 0, batch); print(batch, flush=True)"
    )
    command = [sys.executable, "-c", script, str(directory)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": ":".join(sys.path)}
    ) as process:
        try:
            yield process
        finally:
            process.kill()


class TestSharedFile:
    def test_processes_that_begin_at_once_lose_nothing(self, tmp_path: Path) -> None:
        with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as processes:
            counts = list(processes.map(write_and_search, [tmp_path] * 6, range(6)))
        assert min(counts) >= 10 * BATCH
        assert open_index(tmp_path).count(EVERYBODY) == 6 * 10 * BATCH

    def test_threads_that_begin_at_once_lose_nothing(self, tmp_path: Path) -> None:
        together = Barrier(6)

        def write_together(index: EmbeddedVectorIndex, document: int) -> None:
            together.wait()
            write_batch(index, document, 0)

        with ThreadPoolExecutor(6) as threads:
            for attempt in range(20):
                index = open_index(tmp_path / str(attempt))
                list(threads.map(write_together, [index] * 6, range(6)))
                assert index.count(EVERYBODY) == 6 * BATCH

    def test_file_is_put_in_its_place_whole(self, tmp_path: Path) -> None:
        write_batch(open_index(tmp_path), 0, 0)
        assert {file.suffix.partition("-")[0] for file in tmp_path.iterdir()} == {".sqlite3"}

    def test_what_was_written_survives_a_killed_process(self, tmp_path: Path) -> None:
        with endless_writer(tmp_path) as writer:
            assert writer.stdout
            while int(writer.stdout.readline()) < 20:
                pass
            writer.kill()
            written = 21 + len(writer.stdout.readlines())
        index = open_index(tmp_path)
        found = index.find(text="pump", vector=(1, 0, 0, 0), limit=10_000, where=EVERYBODY)
        assert index.count(EVERYBODY) == len(found.nearest) == len(found.matching)
        assert index.count(EVERYBODY) // BATCH in (written, written + 1)  # the last one may have gone unsaid
        write_batch(index, 1, 0)

    def test_search_does_not_wait_for_a_writer_and_sees_what_was_before(self, tmp_path: Path) -> None:
        index = open_index(tmp_path)
        write_batch(index, 0, 0)
        with held_for_writing(tmp_path):
            started = time.monotonic()
            assert index.count(EVERYBODY) == BATCH
            assert len(open_index(tmp_path).find(text="pump", limit=9, where=EVERYBODY).matching) == BATCH
            assert time.monotonic() - started < 1

    def test_search_beside_a_writer_sees_whole_batches(self, tmp_path: Path) -> None:
        index, counts = open_index(tmp_path), set()
        with endless_writer(tmp_path) as writer:
            assert writer.stdout
            for _ in range(20):
                writer.stdout.readline()
                found = index.find(text="pump", vector=(1, 0, 0, 0), limit=10_000, where=EVERYBODY)
                assert found.nearest == found.matching
                counts.add(len(found.nearest))
        assert len(counts) > 5
        assert all(count % BATCH == 0 for count in counts)

    def test_writer_waits_for_another(self, tmp_path: Path) -> None:
        index = open_index(tmp_path)
        write_batch(index, 0, 0)
        with ThreadPoolExecutor(1) as thread:
            with held_for_writing(tmp_path):
                writing = thread.submit(write_batch, index, 0, 1)
                time.sleep(0.3)
                assert not writing.done()
            writing.result(timeout=10)
        assert index.count(EVERYBODY) == 2 * BATCH

    def test_written_chunk_is_seen_by_others_at_once(self, tmp_path: Path) -> None:
        reader = open_index(tmp_path)
        assert reader.count(EVERYBODY) == 0
        write_batch(open_index(tmp_path), 0, 0)
        assert reader.count(EVERYBODY) == BATCH

    @pytest.mark.parametrize("content", [b"this is no database" * 1000, b"SQLite format 3\x00" + b"\xff" * 9000])
    def test_damaged_file_is_unavailable_and_not_named(self, tmp_path: Path, content: bytes) -> None:
        write_batch(open_index(tmp_path), 0, 0)
        for file in tmp_path.iterdir():
            file.write_bytes(content)
        with pytest.raises(IndexUnavailable) as caught:
            open_index(tmp_path).count(EVERYBODY)
        assert str(tmp_path) not in str(caught.value)

    def test_directory_that_cannot_be_made_is_unavailable(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(IndexUnavailable):
            open_index(tmp_path / "file" / "index").count(EVERYBODY)


@contextmanager
def held_for_writing(directory: Path) -> Iterator[None]:
    (path,) = directory.glob("*.sqlite3")
    with apsw.Connection(str(path)) as other:
        other.execute("UPDATE chunks SET to_rev = 0")
        yield
        other.execute("UPDATE chunks SET to_rev = 9007199254740991")


DIMENSIONS = 24


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> EmbeddedVectorIndex:
    index = EmbeddedVectorIndexes(tmp_path_factory.mktemp("index")).of(EmbeddingConfig("test-model", DIMENSIONS))
    index.write(Corpus(1, DIMENSIONS).chunks(6000))
    return index


class TestManyChunks:
    @pytest.mark.parametrize("readers", [None, frozenset({"role:1"})])
    def test_nearest_are_those_of_an_exact_search(
        self, many: EmbeddedVectorIndex, readers: frozenset[str] | None
    ) -> None:
        chunks = [item for item in Corpus(1, DIMENSIONS).chunks(6000) if readers is None or item.readers & readers]
        questions = Corpus(2, DIMENSIONS)
        missed = 0
        for _ in range(10):
            question = questions.vector()
            ranked = sorted(chunks, key=lambda item: -cosine(item.vector, question))
            found = many.find(vector=question, limit=20, where=ChunkFilter("acme", {"kb-1": 1}, readers=readers))
            missed += len({item.chunk.chunk_id for item in ranked[:20]} - {hit.chunk.chunk_id for hit in found.nearest})
        assert missed == 0
