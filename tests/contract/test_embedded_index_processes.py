"""Several processes share an embedded index: what one changes the others see, and none can harm it by its death."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import count
from multiprocessing import get_context
from pathlib import Path

import apsw
import pytest

from knowledge_base.adapters.embedded import database
from knowledge_base.adapters.embedded.vector_index import EmbeddedVectorIndex
from knowledge_base.domain.chunks import OPEN
from knowledge_base.domain.retrieval import Candidates, ChunkFilter
from tests.builders import an_indexed_chunk
from tests.contract.vector_corpus import Corpus

DIMENSIONS = 24
NORTH = [1.0] * DIMENSIONS
EVERYTHING = ChunkFilter("acme", {"kb-1": OPEN - 1})
_OPENED: dict[Path, EmbeddedVectorIndex] = {}


def index_of_this_process(path: Path) -> EmbeddedVectorIndex:
    """The one that this process has had from the beginning, with all that it remembers."""
    return _OPENED.setdefault(path, EmbeddedVectorIndex(path, DIMENSIONS))


def found_in_another_process(path: Path, where: ChunkFilter) -> tuple[set[str], set[str]]:
    return found_ids(index_of_this_process(path).find(text="pump", vector=NORTH, limit=10_000, where=where))


def found_ids(found: Candidates) -> tuple[set[str], set[str]]:
    nearest, matching = ({hit.chunk.chunk_id for hit in leg} for leg in (found.nearest, found.matching))
    return nearest, matching


def publish_for_ever(path: Path, seed: int) -> None:
    """Write versions of documents, end the ones before, purge and relabel, as publishing and sweeping do."""
    index, draw, corpus = index_of_this_process(path), random.Random(seed), Corpus(seed, DIMENSIONS)
    print("begun", flush=True)
    for revision in count(1):
        document = f"doc-{draw.randrange(8)}"
        index.write(
            [
                an_indexed_chunk(
                    f"pump {corpus.text(20)}",
                    corpus.vector(),
                    document_id=document,
                    ordinal=revision,
                    index=place,
                    from_rev=revision,
                )
                for place in range(draw.choice((1, 40, 700)))
            ]
        )
        index.close_versions("kb-1", document, below=revision, revision=revision)
        index.relabel("kb-1", document, readers=frozenset({f"role:{revision % 3}"}))
        index.delete_closed("kb-1", through=revision - 3)


@contextmanager
def a_publisher(path: Path, seed: int) -> Iterator[subprocess.Popen[str]]:
    script = (
        "import sys; from pathlib import Path; from tests.contract import test_embedded_index_processes as t\n"
        "t.publish_for_ever(Path(sys.argv[1]), int(sys.argv[2]))"
    )
    command = [sys.executable, "-c", script, str(path), str(seed)]
    environment = {"PYTHONPATH": ":".join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout
            process.stdout.readline()
            yield process
        finally:
            process.kill()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index.sqlite3"


@pytest.fixture
def other() -> Iterator[ProcessPoolExecutor]:
    """One other process, the same for the whole test."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        yield process


class TestAnotherProcess:
    def test_it_sees_every_change_with_its_next_search(self, path: Path, other: ProcessPoolExecutor) -> None:
        index, now = index_of_this_process(path), ChunkFilter("acme", {"kb-1": 1}, frozenset({"role:1"}))

        def seen() -> tuple[set[str], set[str]]:
            return other.submit(found_in_another_process, path, now).result(timeout=60)

        written = [
            an_indexed_chunk("a pump", NORTH, document_id=f"doc-{n}", readers=frozenset({"role:1"})) for n in range(3)
        ]
        assert seen() == (set(), set())
        index.write(written)
        assert seen() == ({"doc-0:1:0", "doc-1:1:0", "doc-2:1:0"},) * 2
        index.relabel("kb-1", "doc-0", readers=frozenset({"role:2"}))
        assert seen() == ({"doc-1:1:0", "doc-2:1:0"},) * 2
        index.delete_document("kb-1", "doc-1")
        assert seen() == ({"doc-2:1:0"},) * 2
        index.close_versions("kb-1", "doc-2", below=2, revision=1)
        assert seen() == (set(), set())
        index.undo("kb-1", 1)
        index.write(written[:1])
        assert seen() == ({"doc-0:1:0"},) * 2
        index.delete_knowledge_base("kb-1")
        assert seen() == (set(), set())

    @pytest.mark.parametrize("seed", range(4))
    def test_its_death_at_any_moment_leaves_a_whole_index(self, path: Path, seed: int) -> None:
        for attempt in range(3):
            with a_publisher(path, 10 * seed + attempt) as publisher:
                time.sleep(random.Random(10 * seed + attempt).uniform(0.05, 0.8))
                publisher.kill()
            assert_whole(path)

    def test_its_searches_do_not_let_the_log_of_a_writer_grow_for_ever(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(database, "LOG_BYTES", 1_000_000)
        index, sizes = index_of_this_process(path), []
        chunks = [an_indexed_chunk("a pump", NORTH, index=place) for place in range(400)]
        with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as readers:
            searches = [readers.submit(search_for, path, 4.0) for _ in range(3)]
            while not all(search.done() for search in searches):
                index.write(chunks)
                sizes.append(path.with_name(f"{path.name}-wal").stat().st_size)
            assert min(search.result() for search in searches) > 20
        assert max(sizes[len(sizes) // 2 :]) < 2_500_000


def search_for(path: Path, seconds: float) -> int:
    """Search without a pause; return how many times."""
    end, searches = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        index_of_this_process(path).find(text="pump", vector=NORTH, limit=20, where=EVERYTHING)
        searches += 1
    return searches


def assert_whole(path: Path) -> None:
    """What is derived from the chunks says what the chunks say, and the index goes on."""
    with apsw.Connection(str(path)) as file:
        assert file.execute("PRAGMA integrity_check").get == "ok"
        stored = {
            f"{document}:{ordinal}:{place}"
            for document, ordinal, place in file.execute(
                "SELECT document_id, ordinal, place FROM chunks JOIN documents ON documents.number = document"
                " WHERE to_rev > ?",
                (EVERYTHING.revisions["kb-1"],),
            )
        }
    index = EmbeddedVectorIndex(path, DIMENSIONS)
    assert found_ids(index.find(text="pump", vector=NORTH, limit=10_000, where=EVERYTHING)) == (stored, stored)
    index.write([an_indexed_chunk("a pump", NORTH, document_id="after")])
    index.delete_document("kb-1", "after")
