"""Both vector indexes find the same, and score it the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from knowledge_base.adapters.embedded.vector_indexes import EmbeddedVectorIndexes
from knowledge_base.domain.fusion import fuse
from knowledge_base.domain.knowledge_bases import EmbeddingConfig
from knowledge_base.domain.retrieval import Candidates, ChunkFilter, Hit, SearchMode
from knowledge_base.ports.vector_index import VectorIndex
from tests.contract import golden_corpus
from tests.contract.opensearch import EmptyIndexes
from tests.contract.vector_corpus import Corpus

DIMENSIONS = 24
COSINE_TOLERANCE = 1e-5
BM25_TOLERANCE = 1e-5
"""Relative to the best hit's score: OpenSearch 3 leaves out a factor of 2.2 that is the same for all."""

SCORE_TOLERANCE = 0.0001

FILTERS = [
    pytest.param(ChunkFilter("acme", {"kb-1": 1}), id="all"),
    pytest.param(ChunkFilter("acme", {"kb-1": 1}, readers=frozenset({"role:1"})), id="readers"),
    pytest.param(
        ChunkFilter("acme", {"kb-1": 1}, document_ids=frozenset({f"doc-{number}" for number in range(7, 30)})),
        id="documents",
    ),
]


@pytest.fixture(scope="module")
def both(opensearch_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[VectorIndex, VectorIndex]]:
    model = EmbeddingConfig("test-model", DIMENSIONS)
    served = EmptyIndexes(opensearch_url)
    pair = EmbeddedVectorIndexes(tmp_path_factory.mktemp("index")).of(model), served.of(model)
    for index in pair:
        assert index.write(Corpus(1, DIMENSIONS).chunks(300)) == frozenset()
        index.refresh()
    yield pair
    served.delete()


def scores(hits: tuple[Hit, ...]) -> dict[str, float]:
    best = hits[0].keyword or 1 if hits else 1
    return {hit.chunk.chunk_id: (hit.keyword or 0) / best for hit in hits}


def similarities(found: Candidates) -> dict[str, float | None]:
    return {hit.chunk.chunk_id: hit.similarity for hit in (*found.nearest, *found.matching)}


@pytest.mark.xdist_group("opensearch")
class TestIndexesAgree:
    @pytest.mark.parametrize("limit", [25, 300])
    @pytest.mark.parametrize("where", FILTERS)
    def test_same_chunks_with_the_same_scores_are_found(
        self, both: tuple[VectorIndex, VectorIndex], where: ChunkFilter, limit: int
    ) -> None:
        questions = Corpus(2, DIMENSIONS)
        for length in range(50):
            text, vector = questions.text(1 + length % 25), questions.vector()
            embedded, served = (index.find(text=text, vector=vector, limit=limit, where=where) for index in both)
            assert embedded.nearest
            assert scores(embedded.matching) == pytest.approx(scores(served.matching), abs=BM25_TOLERANCE), text
            assert similarities(embedded) == pytest.approx(similarities(served), abs=COSINE_TOLERANCE)
            assert [hit.chunk for hit in embedded.nearest] == [hit.chunk for hit in served.nearest]

    @pytest.mark.parametrize("where", FILTERS)
    def test_same_chunks_are_counted(self, both: tuple[VectorIndex, VectorIndex], where: ChunkFilter) -> None:
        embedded, served = (index.count(where) for index in both)
        assert embedded == served > 0


@pytest.fixture(scope="module")
def golden(opensearch_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[VectorIndex, VectorIndex]]:
    model = EmbeddingConfig("test-model", golden_corpus.DIMENSIONS)
    served = EmptyIndexes(opensearch_url)
    pair = EmbeddedVectorIndexes(tmp_path_factory.mktemp("index")).of(model), served.of(model)
    for index in pair:
        assert index.write(golden_corpus.chunks()) == frozenset()
        index.refresh()
    yield pair
    served.delete()


@pytest.mark.xdist_group("opensearch")
class TestRankingsAgree:
    """On real texts of two languages with their real vectors, from the legs to the score that a caller sees."""

    @pytest.mark.parametrize("mode", SearchMode)
    @pytest.mark.parametrize("readers", [None, frozenset({"*"})])
    def test_same_hits_come_in_the_same_order_with_the_same_scores(
        self, golden: tuple[VectorIndex, VectorIndex], mode: SearchMode, readers: frozenset[str] | None
    ) -> None:
        where = ChunkFilter("acme", {"kb-0": 1, "kb-1": 1}, readers=readers)
        asked = golden_corpus.questions()
        for text, vector in zip(asked, golden_corpus.embedded(tuple(asked), True), strict=True):
            words = None if mode is SearchMode.VECTOR else text
            embedded, served = (
                fuse(index.find(text=words, vector=vector, limit=200, where=where), mode) for index in golden
            )
            assert [hit.chunk for hit in embedded] == [hit.chunk for hit in served], text
            assert [hit.score for hit in embedded] == pytest.approx([hit.score for hit in served], abs=SCORE_TOLERANCE)
