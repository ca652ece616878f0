"""What every vector index promises of finding."""

from __future__ import annotations

import math
from typing import Any

import pytest

from knowledge_base.domain.chunks import ChunkPlace
from knowledge_base.domain.errors import VectorSizeMismatch
from knowledge_base.domain.retrieval import Candidates, ChunkFilter, Hit
from knowledge_base.ports.vector_index import VectorIndex
from tests.builders import an_indexed_chunk

NORTH, EAST, SOUTH = (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (-1.0, 0.0, 0.0, 0.0)
NORTH_EAST = (1.0, 1.0, 0.0, 0.0)
EVERYBODY = ChunkFilter("acme", {"kb-1": 1})

LEGS = [pytest.param({"text": "pump"}, id="words"), pytest.param({"vector": NORTH}, id="vector")]


def where(**parts: Any) -> ChunkFilter:
    return ChunkFilter(**{"tenant": "acme", "revisions": {"kb-1": 1}, **parts})


def write(index: VectorIndex, *texts: str, **changes: Any) -> None:
    """Write chunks with these texts, at places in order."""
    index.write([an_indexed_chunk(text, index=place, **changes) for place, text in enumerate(texts)])
    index.refresh()


def write_vectors(index: VectorIndex, **vectors: tuple[float, ...]) -> None:
    index.write([an_indexed_chunk("a pump", vector, document_id=name) for name, vector in vectors.items()])
    index.refresh()


def only_leg(found: Candidates) -> tuple[Hit, ...]:
    assert not (found.nearest and found.matching)
    return found.nearest or found.matching


def documents(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.chunk.document_id for hit in hits]


def texts(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.chunk.text for hit in hits]


class VectorSearchContract:
    """Subclasses give the fixture `index`: an empty one of 4 dimensions."""

    # By place

    def test_chunks_at_places_come_back_as_they_were_written(self, index: VectorIndex) -> None:
        write(index, "first", "第二", "third", page=3, headings=("A", "B"))
        wanted = [ChunkPlace("doc-1", 1, place) for place in (2, 1, 7, -1)]
        found = index.get(wanted, EVERYBODY)
        assert {chunk.index: chunk.text for chunk in found} == {1: "第二", 2: "third"}
        expected = an_indexed_chunk("third", index=2, page=3, headings=("A", "B")).chunk
        assert next(chunk for chunk in found if chunk.index == 2) == expected
        assert index.get([], EVERYBODY) == []

    def test_chunks_at_places_are_those_that_the_filter_lets_pass(self, index: VectorIndex) -> None:
        write(index, "a pump")
        wanted = [ChunkPlace("doc-1", 1, 0)]
        assert len(index.get(wanted, where(readers=frozenset({"*"})))) == 1
        for hidden in (
            where(tenant="umbrella"),
            where(revisions={"kb-1": 0}),
            where(revisions={"kb-2": 1}),
            where(revisions={}),
            where(readers=frozenset({"user:eve"})),
            where(readers=frozenset()),
        ):
            assert index.get(wanted, hidden) == [], hidden

    # By vector

    def test_nearest_come_first_with_their_cosine(self, index: VectorIndex) -> None:
        write_vectors(index, far=EAST, near=(9.0, 0.0, 0.0, 0.0), between=(0.002, 0.001, 0.001, 0.0))
        found = index.find(vector=NORTH, limit=9, where=EVERYBODY)
        assert documents(found.nearest) == ["near", "between", "far"]
        assert [hit.similarity for hit in found.nearest] == pytest.approx([1, 2 / math.sqrt(6), 0], abs=1e-6)
        assert found.matching == ()
        assert all(hit.keyword is None for hit in found.nearest)

    def test_negative_cosine_reads_as_zero(self, index: VectorIndex) -> None:
        write_vectors(index, behind=SOUTH, beside=EAST)
        found = index.find(vector=NORTH, limit=9, where=EVERYBODY)
        assert documents(found.nearest) == ["beside", "behind"]
        assert [hit.similarity for hit in found.nearest] == [0.0, 0.0]

    def test_similarity_is_never_above_one(self, index: VectorIndex) -> None:
        vector = (0.1, 0.7, 0.3, 0.9)
        write_vectors(
            index, same=vector, longer=tuple(1e6 * x for x in vector), shorter=tuple(1e-6 * x for x in vector)
        )
        for hit in index.find(vector=vector, limit=9, where=EVERYBODY).nearest:
            assert hit.similarity == pytest.approx(1, abs=1e-6)
            assert hit.similarity is not None
            assert hit.similarity <= 1

    def test_equally_near_come_by_chunk_id(self, index: VectorIndex) -> None:
        write_vectors(index, **{f"doc-{number:02}": NORTH_EAST for number in reversed(range(12))}, first=NORTH)
        found = index.find(vector=NORTH, limit=4, where=EVERYBODY)
        assert documents(found.nearest) == ["first", "doc-00", "doc-01", "doc-02"]

    def test_chunk_id_is_text_also_in_ties(self, index: VectorIndex) -> None:
        write(index, *["the same pump"] * 12)
        for found in (
            index.find(vector=NORTH, limit=4, where=EVERYBODY),
            index.find(text="pump", limit=4, where=EVERYBODY),
        ):
            assert [hit.chunk.chunk_id for hit in only_leg(found)] == [
                "doc-1:1:0",
                "doc-1:1:1",
                "doc-1:1:10",
                "doc-1:1:11",
            ]

    def test_vector_of_zeros_is_near_nothing_but_found_by_words(self, index: VectorIndex) -> None:
        write_vectors(index, zero=(0.0,) * 4, near=NORTH)
        found = index.find(text="pump", vector=NORTH, limit=9, where=EVERYBODY)
        assert documents(found.nearest) == ["near"]
        assert {hit.chunk.document_id: hit.similarity for hit in found.matching} == {"zero": 0.0, "near": 1.0}

    @pytest.mark.parametrize("value", [0.0, math.nan, math.inf])
    def test_question_that_points_nowhere_is_near_nothing(self, index: VectorIndex, value: float) -> None:
        write_vectors(index, near=NORTH)
        found = index.find(text="pump", vector=(value,) * 4, limit=9, where=EVERYBODY)
        assert found.nearest == ()
        assert [hit.similarity for hit in found.matching] == [0.0]

    def test_question_of_another_size_is_refused(self, index: VectorIndex) -> None:
        with pytest.raises(VectorSizeMismatch):
            index.find(text="pump", vector=(1.0, 0.0, 0.0), limit=9, where=EVERYBODY)

    # By words

    @pytest.mark.parametrize(
        ("text", "question"),
        [
            ("The Pump starts.", "PUMP"),
            ("锅炉在四十度时启动水泵", "水泵"),
            ("锅炉在四十度时启动水泵", "四十度"),
            ("我们使用GPU显卡训练模型", "gpu"),
            ("我们使用GPU显卡训练模型", "显卡"),
            ("第3章", "3"),
            ("价格：高", "高"),
            ("サーバーを再起動する", "サーバー"),
            ("ｻｰﾊﾞｰを再起動する", "サーバー"),
            ("서울특별시에서 만나요", "특별"),
            ("GPU한국어", "한국"),
            ("Запустите НАСОС сейчас", "насос"),
            ("Η ΑΝΤΛΙΑ ξεκινά", "αντλια"),
            ("تبدأ المضخة الآن", "المضخة"),
            ("पंप चालू करें", "चालू"),
            ("ＡＢＣ１２３", "abc123"),
            ("don't call get_user_by_id(x)", "user"),
            ("see https://example.com/pump-4.2.html", "pump"),
            ("naïve CAFÉ", "café"),
            ("soft\u00adhyphen", "softhyphen"),
            ("𠮷野家で食べる", "𠮷野"),
            ("pump\x00valve", "valve"),
        ],
    )
    def test_word_of_any_script_is_found(self, index: VectorIndex, text: str, question: str) -> None:
        write(index, text, "nothing of the kind 别的东西")
        assert texts(index.find(text=question, limit=9, where=EVERYBODY).matching) == [text]

    @pytest.mark.parametrize(
        ("text", "question"),
        [
            ("数据。库存", "据库"),
            ("水和泵", "水泵"),
            ("pumps", "pump"),
            ("pump", "pum"),
            ("café", "cafe"),
            ("水泵", "水"),
        ],
    )
    def test_what_is_not_that_word_is_not_found(self, index: VectorIndex, text: str, question: str) -> None:
        write(index, text)
        assert index.find(text=question, limit=9, where=EVERYBODY).matching == ()

    @pytest.mark.parametrize("question", ["user name", "getUserName", "GETUSERNAME", "http server"])
    def test_identifier_is_found_by_its_parts_and_whole(self, index: VectorIndex, question: str) -> None:
        write(index, "def getUserName(self): return HTTPServer.user", "a valve")
        assert texts(index.find(text=question, limit=9, where=EVERYBODY).matching) == [
            "def getUserName(self): return HTTPServer.user"
        ]

    @pytest.mark.parametrize(
        "question", ["", " ", "?!…", "\"'`()*:^-+", "。，！", "😀", "\x00", "\u0301", "the of and", "什么"]
    )
    def test_question_without_words_matches_nothing(self, index: VectorIndex, question: str) -> None:
        write(index, "the pump of the house?! 😀 什么", "\"'`()*:^-+")
        assert index.find(text=question, limit=9, where=EVERYBODY).matching == ()

    @pytest.mark.parametrize(
        "question",
        [
            'pump "', '"pump', "pump'--", "pump*", "^pump", "text: pump", "{text} : pump", "pump AND NOT", "(pump",
            "NEAR(pump, 2)", "pump OR", "+pump -valve", "pump~2", "pump\\", "pump\x00", "%pump%",
            "pump; DROP TABLE words", '{"query": "pump"}', "${pump} && ||", "/pump/", "pump\ud800", "AND pump",
            "_exists_:pump", "[pump TO *]",
        ],
    )  # fmt: skip
    def test_question_is_never_syntax(self, index: VectorIndex, question: str) -> None:
        write(index, "the pump", "the heater")
        assert texts(index.find(text=question, limit=9, where=EVERYBODY).matching) == ["the pump"]

    @pytest.mark.parametrize("filler", ["x{}", "日本{}語", chr(0x4E00)])
    def test_long_question_works_with_what_is_asked_at_either_end(self, index: VectorIndex, filler: str) -> None:
        write(index, "the pump", "the heater")
        pasted = " ".join(filler.format(number) for number in range(2000))
        for question in (f"pump {pasted}", f"{pasted} pump"):
            assert "the pump" in texts(index.find(text=question, limit=9, where=EVERYBODY).matching)

    def test_question_of_thousands_of_characters_without_spaces_works(self, index: VectorIndex) -> None:
        write(index, "水泵启动", "加热器")
        pasted = "".join(chr(0x4E00 + 7 * number % 5000) for number in range(2700))
        assert texts(index.find(text=f"水泵，{pasted}", limit=1, where=EVERYBODY).matching) == ["水泵启动"]

    def test_rarer_and_more_frequent_and_denser_words_count_more(self, index: VectorIndex) -> None:
        write(
            index,
            *["a common thing"] * 5,
            "a rare thing",
            "a rare rare thing",
            "a rare thing among much else to say of it",
        )
        found = index.find(text="common rare", limit=9, where=EVERYBODY)
        assert texts(found.matching)[:4] == [
            "a rare rare thing", "a rare thing", "a rare thing among much else to say of it", "a common thing",
        ]  # fmt: skip
        scores = [hit.keyword or 0 for hit in found.matching]
        assert scores == sorted(scores, reverse=True)
        assert scores[-1] > 0

    def test_word_that_every_chunk_has_still_scores(self, index: VectorIndex) -> None:
        write(index, "pump", "pump pump heater")
        assert all(
            hit.keyword and hit.keyword > 0 for hit in index.find(text="pump", limit=9, where=EVERYBODY).matching
        )

    # Both

    def test_hit_of_words_alone_has_its_exact_cosine(self, index: VectorIndex) -> None:
        write_vectors(index, **{f"near-{number}": NORTH for number in range(5)})
        write(index, "the heater", vector=(0.6, 0.8, 0.0, 0.0))
        found = index.find(text="heater", vector=NORTH, limit=3, where=EVERYBODY)
        assert "doc-1" not in documents(found.nearest)
        assert [hit.similarity for hit in found.matching] == [pytest.approx(0.6, abs=1e-6)]

    def test_hit_of_words_alone_that_points_away_reads_zero(self, index: VectorIndex) -> None:
        write_vectors(index, near=NORTH)
        write(index, "the heater", vector=SOUTH)
        found = index.find(text="heater", vector=NORTH, limit=1, where=EVERYBODY)
        assert [hit.similarity for hit in found.matching] == [0.0]

    def test_chunk_found_by_both_legs_reads_the_same_in_both(self, index: VectorIndex) -> None:
        write_vectors(index, near=NORTH_EAST)
        found = index.find(text="pump", vector=NORTH, limit=9, where=EVERYBODY)
        assert found.nearest == found.matching
        assert found.nearest[0].keyword is not None

    def test_leg_that_is_not_asked_is_empty(self, index: VectorIndex) -> None:
        write_vectors(index, near=NORTH)
        by_words = index.find(text="pump", limit=9, where=EVERYBODY)
        assert (by_words.nearest, [hit.similarity for hit in by_words.matching]) == ((), [None])
        assert index.find(vector=NORTH, limit=9, where=EVERYBODY).matching == ()
        assert index.find(limit=9, where=EVERYBODY) == Candidates()

    def test_limit_holds_for_each_leg(self, index: VectorIndex) -> None:
        write(index, *["a pump"] * 7)
        found = index.find(text="pump", vector=NORTH, limit=3, where=EVERYBODY)
        assert (len(found.nearest), len(found.matching)) == (3, 3)

    @pytest.mark.parametrize("leg", LEGS)
    def test_smaller_limit_gives_the_beginning_of_a_larger_one(self, index: VectorIndex, leg: Any) -> None:
        write(index, *(f"pump {'pump ' * (number % 7)}{'x ' * (number % 5)}" for number in range(60)))
        small, large = (only_leg(index.find(**leg, limit=limit, where=EVERYBODY)) for limit in (5, 20))
        assert small == large[:5]

    def test_index_that_nobody_has_written_to_is_empty(self, index: VectorIndex) -> None:
        index.refresh()
        assert index.find(text="pump", vector=NORTH, limit=9, where=EVERYBODY) == Candidates()
        assert index.count(EVERYBODY) == 0

    # Filters

    @pytest.mark.parametrize("leg", LEGS)
    @pytest.mark.parametrize(
        ("parts", "found"),
        [
            ({}, {"ann", "ops", "all", "none"}),
            ({"tenant": "umbrella"}, {"foreign"}),
            ({"tenant": "no-such"}, set()),
            ({"revisions": {}}, set()),
            ({"revisions": {"no-such": 1}}, set()),
            ({"revisions": {"kb-2": 1}}, {"other"}),
            ({"revisions": {"kb-1": 1, "kb-2": 1}}, {"ann", "ops", "all", "none", "other"}),
            ({"readers": frozenset({"*"})}, {"all"}),
            ({"readers": frozenset({"*", "user:ann"})}, {"ann", "all"}),
            ({"readers": frozenset({"*", "user:bob", "role:ops"})}, {"ann", "ops", "all"}),
            ({"readers": frozenset({"user:an", "ann", "role:"})}, set()),
            ({"readers": frozenset()}, set()),
            ({"document_ids": frozenset({"ann", "all", "other", "no-such"})}, {"ann", "all"}),
            ({"document_ids": frozenset({"no-such"})}, set()),
            ({"document_ids": frozenset()}, set()),
            ({"document_ids": frozenset({"ann", "ops"}), "readers": frozenset({"role:ops"})}, {"ops"}),
            ({"tenant": "umbrella", "document_ids": frozenset({"ann"})}, set()),
        ],
    )
    def test_filter_holds_in_each_leg(self, index: VectorIndex, leg: Any, parts: Any, found: set[str]) -> None:
        def a_pump(name: str, *readers: str, **changes: Any) -> Any:
            return an_indexed_chunk("a pump", NORTH, document_id=name, readers=frozenset(readers), **changes)

        index.write(
            [
                a_pump("ann", "user:ann", "user:bob"),
                a_pump("ops", "role:ops"),
                a_pump("all", "*"),
                a_pump("none"),
                a_pump("foreign", "*", tenant="umbrella"),
                a_pump("other", "*", kb_id="kb-2"),
            ]
        )
        index.refresh()
        assert set(documents(only_leg(index.find(**leg, limit=9, where=where(**parts))))) == found
        assert index.count(where(**parts)) == len(found)

    @pytest.mark.parametrize("leg", LEGS)
    @pytest.mark.parametrize(
        "parts",
        [{"readers": frozenset({"user:ann"})}, {"document_ids": frozenset({"wanted"})}, {"revisions": {"kb-2": 1}}],
    )
    def test_filter_comes_before_the_limit(self, index: VectorIndex, leg: Any, parts: Any) -> None:
        better = [an_indexed_chunk("pump pump pump", NORTH, document_id="better", index=place) for place in range(400)]
        worse = an_indexed_chunk(
            "there is a pump in the house",
            NORTH_EAST,
            document_id="wanted",
            kb_id="kb-2",
            readers=frozenset({"user:ann"}),
        )
        index.write([*better, worse])
        index.refresh()
        filtered = where(**{"revisions": {"kb-1": 1, "kb-2": 1}, **parts})
        assert documents(only_leg(index.find(**leg, limit=1, where=filtered))) == ["wanted"]

    @pytest.mark.parametrize("name", ['a"b', "a'b", "a\\b", "价格/1", "a b,c", "%_*", "kb:1", "x" * 600])
    def test_names_of_any_form_can_be_filtered_by(self, index: VectorIndex, name: str) -> None:
        reader = frozenset({f"user:{name}"})
        index.write([an_indexed_chunk("a pump", kb_id=name, tenant=name, document_id=name, readers=reader)])
        index.refresh()
        exactly = ChunkFilter(name, {name: 1}, readers=reader, document_ids=frozenset({name}))
        assert documents(index.find(text="pump", limit=9, where=exactly).matching) == [name]
        index.delete_document(name, name)
        assert index.count(exactly) == 0
