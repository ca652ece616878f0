"""How the two legs of a search become one ranking."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge_base.domain.fusion import DENSE_WEIGHT, fuse
from knowledge_base.domain.retrieval import Candidates, Hit, SearchMode
from tests.builders import a_chunk

COSINES = st.floats(0, 1, allow_nan=False)
BM25 = st.floats(0.001, 40, allow_nan=False)


def hit(name: str, similarity: float | None = None, keyword: float | None = None) -> Hit:
    return Hit(a_chunk(document_id=name), "kb-1", similarity, keyword)


def found(near: dict[str, float], matching: dict[str, float], cosines: dict[str, float] | None = None) -> Candidates:
    """What the legs return: the nearest by cosine, the matching by BM25 with their cosines."""
    cosines = {**(cosines or {}), **near}
    nearest = [hit(name, cosine) for name, cosine in sorted(near.items(), key=lambda item: -item[1])]
    by_words = [hit(name, cosines.get(name), score) for name, score in sorted(matching.items(), key=lambda i: -i[1])]
    return Candidates(tuple(nearest), tuple(by_words))


def names(hits: list[Hit]) -> list[str]:
    return [each.chunk.document_id for each in hits]


def test_a_chunk_that_both_legs_found_comes_before_those_that_one_found() -> None:
    fused = fuse(found({"both": 0.9, "near": 0.9}, {"both": 7.0, "words": 7.0}, {"words": 0.4}), SearchMode.HYBRID)
    assert names(fused) == ["both", "near", "words"]
    assert [each.score for each in fused] == pytest.approx([1.0, DENSE_WEIGHT, 1 - DENSE_WEIGHT])


def test_each_hit_says_where_the_legs_had_it() -> None:
    fused = fuse(found({"a": 0.9, "b": 0.8}, {"b": 5.0, "c": 4.0}, {"c": 0.1}), SearchMode.HYBRID)
    ranks = {each.chunk.document_id: (each.vector_rank, each.keyword_rank) for each in fused}
    assert ranks == {"a": (1, None), "b": (2, 1), "c": (None, 2)}
    assert {each.chunk.document_id: each.keyword for each in fused} == {"a": None, "b": 5.0, "c": 4.0}


def test_by_vector_alone_the_score_is_the_cosine() -> None:
    fused = fuse(found({"a": 0.9, "b": 0.3}, {}), SearchMode.VECTOR)
    assert [(each.chunk.document_id, each.score) for each in fused] == [("a", 0.9), ("b", 0.3)]


def test_without_a_vector_the_words_decide() -> None:
    fused = fuse(found({}, {"a": 2.0, "b": 8.0}), SearchMode.HYBRID)
    assert [(each.chunk.document_id, each.score) for each in fused] == [("b", 1.0), ("a", 0.25)]


def test_nothing_found_is_nothing() -> None:
    assert fuse(Candidates(), SearchMode.HYBRID) == []


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), COSINES, max_size=8),
    st.dictionaries(st.sampled_from("efghijkl"), BM25, max_size=8),
    st.dictionaries(st.sampled_from("ijkl"), COSINES, min_size=4, max_size=4),
    st.sampled_from(SearchMode),
)
def test_scores_lie_between_0_and_1_and_never_rise_down_the_list(
    near: dict[str, float], matching: dict[str, float], cosines: dict[str, float], mode: SearchMode
) -> None:
    fused = fuse(found(near, matching, cosines), mode)
    scores = [each.score for each in fused]
    assert sorted(names(fused)) == sorted({*near, *matching})
    assert all(0 <= score <= 1 for score in scores)
    assert scores == sorted(scores, reverse=True)
    assert fused == fuse(found(near, matching, cosines), mode)
