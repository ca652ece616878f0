"""The measures of a ranking, against values worked out by hand and against their definition."""

from __future__ import annotations

import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.eval.measures import ndcg, recall, reciprocal_rank

NAMES = "abcdef"
RANKINGS = st.permutations(NAMES).flatmap(lambda names: st.integers(0, len(names)).map(lambda end: names[:end]))
JUDGEMENTS = st.dictionaries(st.sampled_from(NAMES), st.sampled_from([0.0, 1.0, 2.0]), min_size=1)


@pytest.mark.parametrize(
    ("ranking", "judged", "expected"),
    [
        (["a", "b", "c"], {"a": 1}, 1.0),
        (["b", "a", "c"], {"a": 1}, 0.6309),  # 1 / log2(3)
        (["b", "c", "a"], {"a": 1}, 0.5),  # 1 / log2(4)
        (["b", "c"], {"a": 1}, 0.0),
        ([], {"a": 1}, 0.0),
        (["a", "x", "b"], {"a": 2, "b": 1}, 0.9502),  # (2 + 1/2) / (2 + 0.6309)
        (["b", "a"], {"a": 2, "b": 1}, 0.8597),  # (1 + 2 * 0.6309) / (2 + 0.6309)
        (["a", "b"], {"a": 2, "b": 2}, 1.0),
        (["a", "x"], {"a": 2, "b": 2}, 0.6131),  # 1 / (1 + 0.6309)
        (["x"] * 9 + ["a"], {"a": 1}, 0.2891),  # 1 / log2(11)
        (["x"] * 10 + ["a"], {"a": 1}, 0.0),
        (["a"], {"a": 0}, 0.0),
    ],
)
def test_ndcg_is_what_one_works_out_by_hand(ranking: list[str], judged: dict[str, float], expected: float) -> None:
    assert ndcg(ranking, judged) == pytest.approx(expected, abs=5e-5)


def gain(ranking: list[str], judged: dict[str, float]) -> float:
    return sum(judged.get(name, 0.0) * math.log(2) / math.log(place + 2) for place, name in enumerate(ranking))


@given(RANKINGS, JUDGEMENTS, st.integers(1, 6))
def test_ndcg_compares_with_the_best_of_all_rankings(ranking: list[str], judged: dict[str, float], depth: int) -> None:
    best = max(gain(list(order), judged) for order in permutations(NAMES, depth))
    expected = gain(ranking[:depth], judged) / best if best else 0.0
    assert ndcg(ranking, judged, depth) == pytest.approx(expected)


@given(st.permutations(NAMES), JUDGEMENTS, st.integers(0, len(NAMES) - 2))
def test_no_measure_falls_when_a_better_passage_moves_up(names: list[str], judged: dict[str, float], at: int) -> None:
    moved = [*names[:at], names[at + 1], names[at], *names[at + 2 :]]
    if judged.get(names[at + 1], 0.0) >= judged.get(names[at], 0.0):
        for measure in (ndcg, recall, reciprocal_rank):
            assert measure(moved, judged) >= measure(names, judged)


@pytest.mark.parametrize(
    ("ranking", "expected"),
    [
        (["a", "x", "b"], 1.0),
        (["x", "y", "z", "u", "a"], 0.5),
        (["x", "y", "z", "u", "v", "a", "b"], 0.0),
        (["c", "c", "c"], 0.0),
    ],
)
def test_recall_counts_the_relevant_passages_among_the_first_five(ranking: list[str], expected: float) -> None:
    assert recall(ranking, {"a": 2, "b": 1, "c": 0}) == expected


@pytest.mark.parametrize(
    ("ranking", "expected"),
    [
        (["b", "a"], 1.0),
        (["c", "x", "a", "b"], 1 / 3),
        (["x"] * 9 + ["a"], 0.1),
        (["x"] * 10 + ["a"], 0.0),
        ([], 0.0),
    ],
)
def test_the_reciprocal_rank_is_that_of_the_first_relevant_passage(ranking: list[str], expected: float) -> None:
    assert reciprocal_rank(ranking, {"a": 2, "b": 1, "c": 0}) == expected


def test_a_question_without_relevant_passages_counts_as_nothing_found() -> None:
    assert [measure(["a"], {}) for measure in (ndcg, recall, reciprocal_rank)] == [0.0, 0.0, 0.0]
