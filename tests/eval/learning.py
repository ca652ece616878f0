"""What votes do to a ranking: right ones, wrong ones, and what they leave alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import fmean
from typing import Protocol

from knowledge_base.domain.relevance import Rating
from knowledge_base.domain.retrieval import FoundChunk, SearchMode
from tests.eval.measures import ndcg
from tests.eval.question_sets import Query, QuestionSet

CROWDS = (1, 3, 10)
"""So many people vote."""


class Learner(Protocol):
    """What is measured: it searches, and takes votes."""

    def rank(self, text: str, mode: SearchMode) -> list[str]:
        """Return the passages that a search finds, best first."""

    def find(self, text: str, mode: SearchMode) -> tuple[FoundChunk, ...]:
        """Return what a search finds."""

    def passage_of(self, found: FoundChunk) -> str:
        """Return the passage that a chunk is of."""

    def vote(self, text: str, found: FoundChunk, voter: str, rating: Rating) -> None:
        """Say what somebody thinks of a chunk as an answer to a question."""


@dataclass(frozen=True, slots=True)
class Learned:
    """Mean nDCG@10 of the questions that so many people voted on: for the right passage, and for a wrong one.

    `others` is by how much that of every other question changes while all the rest are voted on rightly.
    """

    voters: int
    right: float
    wrong: float
    others: float


def measure_learning(product: Learner, questions: QuestionSet) -> tuple[float, list[Learned]]:
    """Return the mean nDCG@10 without any votes, and with those of each crowd."""
    queries = questions.queries
    before = _mean(product, queries)
    return before, [_learned(product, queries, voters) for voters in CROWDS]


def _learned(product: Learner, queries: Sequence[Query], voters: int) -> Learned:
    with _votes(product, queries, voters, _right):
        right = _mean(product, queries)
    with _votes(product, queries, voters, _wrong):
        wrong = _mean(product, queries)
    with _votes(product, queries[::2], voters, _right):
        others = _mean(product, queries[1::2])
    return Learned(voters, right, wrong, others - _mean(product, queries[1::2]))


@contextmanager
def _votes(
    product: Learner, queries: Sequence[Query], voters: int, choose: Callable[[Learner, Query], FoundChunk | None]
) -> Iterator[None]:
    """Let people vote on one chunk of each question, and take the votes back in the end."""
    chosen = [(query, found) for query in queries if (found := choose(product, query)) is not None]
    for rating in (Rating.UP, Rating.NONE):
        for query, found in chosen:
            for voter in range(voters):
                product.vote(query.text, found, f"voter {voter}", rating)
        if rating is Rating.UP:
            yield


def _right(product: Learner, query: Query) -> FoundChunk | None:
    found = product.find(query.text, SearchMode.HYBRID)
    return next((item for item in found if query.judged.get(product.passage_of(item), 0) > 0), None)


def _wrong(product: Learner, query: Query) -> FoundChunk | None:
    found = product.find(query.text, SearchMode.HYBRID)
    return next((item for item in found if not query.judged.get(product.passage_of(item), 0) > 0), None)


def _mean(product: Learner, queries: Sequence[Query]) -> float:
    return fmean(ndcg(product.rank(query.text, SearchMode.HYBRID), query.judged) for query in queries)
