"""A file of the embedded index outlives the version that wrote it."""

from __future__ import annotations

import subprocess
import sys
import time
from array import array
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path

import apsw
import pytest

from knowledge_base.adapters import words
from knowledge_base.adapters.chunk_details import DETAILS
from knowledge_base.adapters.embedded import schema
from knowledge_base.adapters.embedded.pages import ROW
from knowledge_base.adapters.embedded.vector_index import EmbeddedVectorIndex
from knowledge_base.domain.chunks import IndexedChunk
from knowledge_base.domain.errors import IndexUnavailable
from knowledge_base.domain.retrieval import Candidates, ChunkFilter
from tests.builders import an_indexed_chunk
from tests.contract.embedded_format_1 import write_format_1
from tests.contract.vector_corpus import Corpus

DIMENSIONS = 24
FILTERS = (
    ChunkFilter("acme", {"kb-0": 1, "kb-1": 1}),
    ChunkFilter("acme", {"kb-0": 3, "kb-1": 3}),
    ChunkFilter("acme", {"kb-1": 2}, readers=frozenset({"role:1"})),
    ChunkFilter("acme", {"kb-0": 2}, document_ids=frozenset({"doc-4", "doc-6"})),
    ChunkFilter("umbrella", {"kb-0": 2}),
)


def chunks_of_all_kinds() -> list[IndexedChunk]:
    """Two tenants, knowledge bases and revisions, headings and page breaks, a vector that points nowhere."""
    chunks = [
        replace(
            item,
            vector=array("f", item.vector).tolist(),
            kb_id=f"kb-{place // 5 % 2}",
            from_rev=1 + place % 2,
            to_rev=3 if place % 3 == 0 else item.to_rev,
            chunk=replace(
                item.chunk, page=2, last_page=3, headings=("泵", "Care"), page_breaks=((place, 3),), token_count=7
            ),
        )
        for place, item in enumerate(Corpus(1, DIMENSIONS).chunks(1200))
    ]
    others = an_indexed_chunk(
        "a pump of others", [1.0] * DIMENSIONS, document_id="other", kb_id="kb-0", tenant="umbrella"
    )
    nowhere = an_indexed_chunk("a pump nowhere", [0.0] * DIMENSIONS, document_id="nowhere")
    return [*chunks, others, nowhere]


def ask(index: EmbeddedVectorIndex) -> list[Candidates]:
    questions = Corpus(2, DIMENSIONS)
    asked = [(f"pump {questions.text(1 + number)}", questions.vector()) for number in range(8)]
    return [index.find(text=text, vector=vector, limit=60, where=where) for where in FILTERS for text, vector in asked]


def open_and_count(path: Path) -> int:
    return EmbeddedVectorIndex(path, DIMENSIONS).count(FILTERS[0])


def format_of(path: Path) -> int:
    with apsw.Connection(str(path)) as file:
        version: int = file.execute("PRAGMA user_version").get
        return version


class TestFileOfFormat1:
    def test_it_is_searched_as_if_it_were_written_now(self, tmp_path: Path) -> None:
        chunks = chunks_of_all_kinds()
        write_format_1(tmp_path / "old", chunks)
        now = EmbeddedVectorIndex(tmp_path / "now", DIMENSIONS)
        now.write(chunks)
        upgraded = EmbeddedVectorIndex(tmp_path / "old", DIMENSIONS)
        assert ask(upgraded) == ask(now)
        assert [upgraded.count(where) for where in FILTERS] == [now.count(where) for where in FILTERS]
        assert format_of(tmp_path / "old") == schema.FORMAT

    def test_it_can_be_changed_like_any_other(self, tmp_path: Path) -> None:
        write_format_1(tmp_path / "old", chunks_of_all_kinds())
        index = EmbeddedVectorIndex(tmp_path / "old", DIMENSIONS)
        before = index.count(FILTERS[0])
        index.write([an_indexed_chunk("a new pump", [1.0] * DIMENSIONS, document_id="new")])
        index.delete_document("kb-1", "nowhere")
        assert index.count(FILTERS[0]) == before

    def test_processes_that_open_it_at_once_find_it_whole(self, tmp_path: Path) -> None:
        write_format_1(tmp_path / "old", chunks_of_all_kinds())
        with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as processes:
            counts = list(processes.map(open_and_count, [tmp_path / "old"] * 3))
        assert set(counts) == {open_and_count(tmp_path / "old")}
        assert counts[0] > 500

    def test_upgrade_that_was_killed_is_begun_anew(self, tmp_path: Path) -> None:
        chunks = [replace(i, chunk=replace(i.chunk, ordinal=n)) for n in range(4) for i in chunks_of_all_kinds()]
        write_format_1(tmp_path / "old", chunks)
        script = (
            "import sys; from pathlib import Path; from tests.contract import test_embedded_index_format as t\n"
            "print(flush=True); t.open_and_count(Path(sys.argv[1]))"
        )
        command = [sys.executable, "-c", script, str(tmp_path / "old")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env={"PYTHONPATH": ":".join(sys.path)}) as process:
            assert process.stdout
            process.stdout.readline()
            time.sleep(0.05)
            process.kill()
        assert format_of(tmp_path / "old") == 1
        now = EmbeddedVectorIndex(tmp_path / "now", DIMENSIONS)
        now.write(chunks)
        assert ask(EmbeddedVectorIndex(tmp_path / "old", DIMENSIONS)) == ask(now)


class TestFileOfFormat2:
    def test_identifiers_are_found_by_their_parts(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        chunks = chunks_of_all_kinds()
        with monkeypatch.context() as before:
            before.setattr(words, "part_identifiers", lambda text: text)
            old = EmbeddedVectorIndex(tmp_path / "old", DIMENSIONS)
            old.write(chunks)
            old.delete_document("kb-1", "doc-3")
        with apsw.Connection(str(tmp_path / "old")) as file:
            file.execute("PRAGMA user_version = 2")
        upgraded = EmbeddedVectorIndex(tmp_path / "old", DIMENSIONS)
        now = EmbeddedVectorIndex(tmp_path / "now", DIMENSIONS)
        now.write([item for item in chunks if (item.kb_id, item.chunk.document_id) != ("kb-1", "doc-3")])
        asked = [index.find(text="user name", limit=60, where=FILTERS[0]).matching for index in (upgraded, now)]
        assert asked[0] == asked[1] != ()
        assert ask(upgraded) == ask(now)
        assert format_of(tmp_path / "old") == schema.FORMAT


def test_file_of_a_newer_format_is_unavailable_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite3"
    EmbeddedVectorIndex(path, 4).write([an_indexed_chunk()])
    with apsw.Connection(str(path)) as file:
        file.execute(f"PRAGMA user_version = {schema.FORMAT + 1}")
    with pytest.raises(IndexUnavailable):
        EmbeddedVectorIndex(path, 4).count(FILTERS[0])
    assert format_of(path) == schema.FORMAT + 1


def test_what_a_file_holds_changes_with_the_number_of_its_format_alone() -> None:
    """If this fails, raise `FORMAT`, teach `upgrading.py` the format before, and write the new digest here."""
    layout = schema.SCHEMA + repr((DETAILS, ROW.descr, schema.PAGE, schema.ID_BITS))
    assert (schema.FORMAT, sha256(layout.encode()).hexdigest()[:16]) == (3, "d2dfd8bbb8cb644a")
