"""What every vector index promises of writing, revisions and deleting; finding is in `vector_search_contract.py`."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from knowledge_base.domain.chunks import OPEN, IndexedChunk
from knowledge_base.domain.errors import VectorSizeMismatch
from knowledge_base.domain.knowledge_bases import EmbeddingConfig
from knowledge_base.domain.retrieval import ChunkFilter
from knowledge_base.ports.vector_index import VectorIndex, VectorIndexes
from tests.builders import an_indexed_chunk
from tests.contract.vector_search_contract import VectorSearchContract

PUMP = (1.0, 0.0, 0.0, 0.0)


def at(revision: int, *kb_ids: str, tenant: str = "acme", **parts: Any) -> ChunkFilter:
    return ChunkFilter(tenant, dict.fromkeys(kb_ids or ("kb-1",), revision), **parts)


def put(index: VectorIndex, *chunks: IndexedChunk) -> None:
    assert index.write(chunks) == frozenset()
    index.refresh()


def seen(index: VectorIndex, where: ChunkFilter) -> set[str]:
    """The ids of the chunks with the word `pump` that are found at a revision, which both legs must agree on."""
    found = index.find(text="pump", vector=PUMP, limit=100, where=where)
    near, matching = ({hit.chunk.chunk_id for hit in leg} for leg in (found.nearest, found.matching))
    assert near == matching
    assert index.count(where) == len(near)
    return near


def pump(document_id: str = "doc-1", ordinal: int = 1, **changes: Any) -> IndexedChunk:
    return an_indexed_chunk("the pump", PUMP, document_id=document_id, ordinal=ordinal, **changes)


class VectorIndexContract(VectorSearchContract):
    """Subclasses give the fixture `indexes`: empty ones."""

    @pytest.fixture
    def index(self, indexes: VectorIndexes) -> VectorIndex:
        return indexes.of(EmbeddingConfig("test-model", 4))

    # Revisions

    @pytest.mark.parametrize(
        ("revision", "is_seen"), [(0, False), (3, False), (4, True), (6, True), (7, False), (9, False)]
    )
    def test_chunk_is_seen_from_its_first_revision_until_before_its_last(
        self, index: VectorIndex, revision: int, is_seen: bool
    ) -> None:
        put(index, pump(from_rev=4))
        index.close_versions("kb-1", "doc-1", below=2, revision=7)
        index.refresh()
        assert seen(index, at(revision)) == ({"doc-1:1:0"} if is_seen else set())

    def test_search_reads_each_knowledge_base_at_its_own_revision(self, index: VectorIndex) -> None:
        put(
            index,
            pump("old", from_rev=2),
            pump("new", from_rev=3),
            pump("other-old", kb_id="kb-2", from_rev=8),
            pump("other-new", kb_id="kb-2", from_rev=9),
            pump("unasked", kb_id="kb-3", from_rev=1),
        )
        assert seen(index, ChunkFilter("acme", {"kb-1": 2, "kb-2": 9})) == {"old:1:0", "other-old:1:0", "other-new:1:0"}
        assert seen(index, ChunkFilter("acme", {"kb-1": 3, "kb-2": 8})) == {"old:1:0", "new:1:0", "other-old:1:0"}

    def test_closing_ends_the_versions_below_only(self, index: VectorIndex) -> None:
        put(index, pump(ordinal=1), pump(ordinal=2), pump(ordinal=2, index=1), pump(ordinal=3, from_rev=5))
        index.close_versions("kb-1", "doc-1", below=3, revision=5)
        index.refresh()
        assert seen(index, at(4)) == {"doc-1:1:0", "doc-1:2:0", "doc-1:2:1"}
        assert seen(index, at(5)) == {"doc-1:3:0"}

    def test_closing_leaves_others_and_what_has_ended_alone(self, index: VectorIndex) -> None:
        put(index, pump(), pump("doc-2"), pump("doc-3", kb_id="kb-2"))
        index.close_versions("kb-1", "doc-1", below=2, revision=3)
        index.close_versions("kb-1", "doc-1", below=9, revision=6)
        index.close_versions("kb-1", "doc-3", below=9, revision=6)
        index.close_versions("kb-9", "no-such", below=9, revision=6)
        index.refresh()
        assert seen(index, at(2, "kb-1", "kb-2")) == {"doc-1:1:0", "doc-2:1:0", "doc-3:1:0"}
        assert seen(index, at(3, "kb-1", "kb-2")) == {"doc-2:1:0", "doc-3:1:0"}
        assert seen(index, at(6, "kb-1", "kb-2")) == {"doc-2:1:0", "doc-3:1:0"}

    def test_what_was_just_written_can_be_closed_at_once(self, index: VectorIndex) -> None:
        index.write([pump(ordinal=1, from_rev=2), pump(ordinal=2, from_rev=2)])
        index.close_versions("kb-1", "doc-1", below=2, revision=2)
        index.refresh()
        assert seen(index, at(2)) == {"doc-1:2:0"}

    def test_undone_publish_leaves_no_trace(self, index: VectorIndex) -> None:
        put(index, pump(ordinal=1), pump("doc-2"), pump("doc-3", kb_id="kb-2", from_rev=2))
        index.write([pump(ordinal=2, from_rev=2), pump("doc-4", from_rev=2)])
        index.close_versions("kb-1", "doc-1", below=2, revision=2)
        index.undo("kb-1", 2)
        index.refresh()
        assert seen(index, at(1)) == seen(index, at(2)) == {"doc-1:1:0", "doc-2:1:0"}
        assert seen(index, at(2, "kb-2")) == {"doc-3:1:0"}

    def test_undo_repeated_or_in_vain_does_no_harm(self, index: VectorIndex) -> None:
        index.undo("kb-1", 1)
        put(index, pump(from_rev=1), pump("doc-2", from_rev=2))
        index.undo("kb-1", 2)
        index.undo("kb-1", 2)
        index.undo("kb-1", 7)
        assert seen(index, at(9)) == {"doc-1:1:0"}

    def test_publish_can_be_repeated_after_an_undo(self, index: VectorIndex) -> None:
        put(index, pump(ordinal=1))
        for _ in range(2):
            index.undo("kb-1", 2)
            index.write([pump(ordinal=2, from_rev=2)])
            index.close_versions("kb-1", "doc-1", below=2, revision=2)
        index.refresh()
        assert seen(index, at(1)) == {"doc-1:1:0"}
        assert seen(index, at(2)) == {"doc-1:2:0"}

    # Writing

    def test_everything_of_a_chunk_comes_back(self, index: VectorIndex) -> None:
        place = {"index": 5, "start": 7, "end": 15, "page": 2, "last_page": 3, "page_breaks": ((10, 3),)}
        chunk = pump(**place, headings=("第一章", 'a "b"'), token_count=4)
        put(index, chunk)
        (hit,) = index.find(vector=PUMP, limit=1, where=at(1)).nearest
        assert (hit.chunk, hit.kb_id) == (chunk.chunk, "kb-1")

    def test_writing_twice_changes_nothing(self, index: VectorIndex) -> None:
        for _ in range(2):
            put(index, pump(), pump(index=1))
        assert seen(index, at(1)) == {"doc-1:1:0", "doc-1:1:1"}

    def test_chunk_written_again_replaces_all_of_the_old_one(self, index: VectorIndex) -> None:
        put(index, an_indexed_chunk("the old pump", PUMP, readers=frozenset({"user:ann"})))
        put(index, an_indexed_chunk("a valve", (0.0, 1.0, 0.0, 0.0), readers=frozenset({"user:bob"}), from_rev=2))
        found = index.find(text="old pump", vector=PUMP, limit=9, where=at(2, readers=frozenset({"user:bob"})))
        assert [(hit.chunk.text, hit.similarity) for hit in found.nearest] == [("a valve", 0.0)]
        assert found.matching == ()
        assert index.count(at(2, readers=frozenset({"user:ann"}))) == index.count(at(1)) == 0

    def test_relabelled_document_is_found_by_its_new_readers_only(self, index: VectorIndex) -> None:
        ann, ops = frozenset({"user:ann"}), frozenset({"role:ops", "user:bob"})
        put(index, pump(readers=ann), pump(readers=ann, index=1), pump(readers=ann, ordinal=2))
        put(index, pump(readers=ann, document_id="doc-2"), pump(readers=ann, kb_id="kb-2", document_id="doc-3"))
        for _ in range(2):
            index.relabel("kb-1", "doc-1", readers=ops)
        index.relabel("kb-1", "doc-3", readers=ops)
        index.refresh()
        assert seen(index, at(1, readers=frozenset({"user:bob"}))) == {"doc-1:1:0", "doc-1:1:1", "doc-1:2:0"}
        assert seen(index, at(1, readers=ann)) == {"doc-2:1:0"}
        assert index.count(ChunkFilter("acme", {"kb-2": 1}, readers=ann)) == 1

    def test_of_one_id_written_twice_at_once_the_last_counts(self, index: VectorIndex) -> None:
        put(index, an_indexed_chunk("first pump"), an_indexed_chunk("second pump"))
        (hit,) = index.find(text="pump", limit=9, where=at(1)).matching
        assert hit.chunk.text == "second pump"

    def test_vector_of_another_size_is_refused_and_nothing_stored(self, index: VectorIndex) -> None:
        with pytest.raises(VectorSizeMismatch):
            index.write([pump(), an_indexed_chunk(vector=(1.0, 0.0, 0.0), document_id="doc-2")])
        index.refresh()
        assert index.count(at(1)) == 0

    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e300])
    def test_chunk_with_an_unusable_vector_is_named_and_the_rest_stored(self, index: VectorIndex, value: float) -> None:
        refused = index.write([pump(), an_indexed_chunk("bad pump", (value, 0.0, 0.0, 1.0), index=1), pump(index=2)])
        index.refresh()
        assert refused == {"doc-1:1:1"}
        assert seen(index, at(1)) == {"doc-1:1:0", "doc-1:1:2"}

    def test_chunk_that_is_no_unicode_is_named_and_the_rest_stored(self, index: VectorIndex) -> None:
        broken = [an_indexed_chunk("pump \ud800", index=1), pump(headings=("\udfff",), index=2), pump("\ud800")]
        assert index.write([*broken, pump()]) == {item.chunk.chunk_id for item in broken}
        index.refresh()
        assert seen(index, at(1)) == {"doc-1:1:0"}

    @pytest.mark.parametrize(
        "text",
        [
            "pump\x00 after nul",
            "pump 😀 👩‍👩‍👧 𠮷",
            "pump \u202e\u200b\ufeff",
            "pump e\u0301 ﬁ Å",
            "pump\r\n\t\x0b",
            "pump " + "x" * 70_000,
        ],
    )
    def test_text_comes_back_as_it_was(self, index: VectorIndex, text: str) -> None:
        put(index, an_indexed_chunk(text))
        (hit,) = index.find(text="pump", limit=9, where=at(1)).matching
        assert hit.chunk.text == text

    def test_many_chunks_are_all_stored(self, index: VectorIndex) -> None:
        assert index.write([]) == frozenset()
        put(index, *(pump(index=number) for number in range(1203)))
        assert index.count(at(1)) == 1203

    def test_writers_and_searchers_do_not_disturb_each_other(self, index: VectorIndex) -> None:
        def publish(number: int) -> int:
            put(index, *(pump(f"doc-{number}", index=place) for place in range(20)))
            return len(index.find(text="pump", vector=PUMP, limit=200, where=at(1)).matching)

        with ThreadPoolExecutor(4) as threads:
            counts = list(threads.map(publish, range(8)))
        assert all(count >= 20 for count in counts)
        assert index.count(at(1)) == 160

    # Deleting

    def test_closed_chunks_are_deleted_up_to_a_revision(self, index: VectorIndex) -> None:
        put(index, pump("a"), pump("b"), pump("open"), pump("c", kb_id="kb-2"))
        index.close_versions("kb-1", "a", below=2, revision=3)
        index.close_versions("kb-1", "b", below=2, revision=5)
        index.close_versions("kb-2", "c", below=2, revision=3)
        assert index.delete_closed("kb-1", through=2) == 0
        assert index.delete_closed("kb-1", through=4) == 1
        assert index.delete_closed("kb-1", through=4) == 0
        assert seen(index, at(2, "kb-1", "kb-2")) == {"b:1:0", "open:1:0", "c:1:0"}
        assert index.delete_closed("kb-1", through=OPEN - 1) == 1
        assert seen(index, at(2, "kb-1", "kb-2")) == {"open:1:0", "c:1:0"}

    @pytest.mark.parametrize(
        ("keep", "kept"),
        [((), False), ((1, 5), False), ((2,), True), ((4,), True), ((0, 9, 3), True), (range(5, 3000), False)],
    )
    def test_chunk_that_a_snapshot_needs_is_not_deleted(self, index: VectorIndex, keep: Any, kept: bool) -> None:
        put(index, pump(from_rev=2))
        index.close_versions("kb-1", "doc-1", below=2, revision=5)
        assert index.delete_closed("kb-1", through=9, keep=keep) == (0 if kept else 1)
        assert seen(index, at(3)) == ({"doc-1:1:0"} if kept else set())

    def test_deleted_document_is_gone_at_every_revision(self, index: VectorIndex) -> None:
        put(index, pump(ordinal=1), pump(ordinal=2, from_rev=2), pump("doc-2"), pump("doc-10"))
        index.close_versions("kb-1", "doc-1", below=2, revision=2)
        index.delete_document("kb-1", "doc-1")
        assert seen(index, at(1)) == seen(index, at(2)) == {"doc-2:1:0", "doc-10:1:0"}

    def test_deleted_document_can_be_written_again(self, index: VectorIndex) -> None:
        put(index, pump())
        index.delete_document("kb-1", "doc-1")
        put(index, pump(from_rev=3))
        assert seen(index, at(3)) == {"doc-1:1:0"}

    def test_deleted_knowledge_base_is_gone_and_no_other(self, index: VectorIndex) -> None:
        put(
            index,
            *(pump(index=number) for number in range(3)),
            pump("doc-2", kb_id="kb-2"),
            pump("doc-3", kb_id="kb-11"),
        )
        index.delete_knowledge_base("kb-1")
        assert seen(index, at(1, "kb-1", "kb-2", "kb-11")) == {"doc-2:1:0", "doc-3:1:0"}

    def test_more_chunks_than_one_turn_takes_are_all_deleted(self, index: VectorIndex) -> None:
        put(index, *(pump(index=number) for number in range(2100)), pump("doc-2"))
        index.close_versions("kb-1", "doc-1", below=2, revision=2)
        assert index.count(at(2)) == 1
        assert index.delete_closed("kb-1", through=2) == 2100
        index.delete_knowledge_base("kb-1")
        assert index.count(at(1)) == 0

    def test_deleting_what_is_not_there_does_nothing(self, index: VectorIndex) -> None:
        for _ in range(2):
            index.delete_document("kb-1", "no-such")
            index.delete_knowledge_base("no-such")
            assert index.delete_closed("no-such", through=9) == 0
            put(index, pump())
        assert seen(index, at(1)) == {"doc-1:1:0"}

    # One index for each model

    @pytest.mark.parametrize(
        "other",
        [
            ("other-model", 4),
            ("test-model", 3),
            ("TEST-MODEL", 4),
            ("test/model", 4),
            ("test_model", 4),
            ("模型 " * 99, 4),
        ],
    )
    def test_models_are_kept_apart(self, indexes: VectorIndexes, other: tuple[str, int]) -> None:
        first, second = indexes.of(EmbeddingConfig("test-model", 4)), indexes.of(EmbeddingConfig(*other))
        put(first, pump())
        assert second.count(at(1)) == 0
        put(second, an_indexed_chunk(vector=(1.0,) * other[1], document_id="doc-2"))
        assert seen(first, at(1)) == {"doc-1:1:0"}
        assert second.count(at(1)) == 1

    def test_same_model_is_the_same_index(self, indexes: VectorIndexes) -> None:
        put(indexes.of(EmbeddingConfig("test-model", 4)), pump())
        assert seen(indexes.of(EmbeddingConfig("test-model", 4)), at(1)) == {"doc-1:1:0"}
