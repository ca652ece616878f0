"""What is measured of one question set."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from knowledge_base.domain.retrieval import SearchMode
from tests.eval.measures import ndcg, recall, reciprocal_rank
from tests.eval.product import Product
from tests.eval.question_sets import QuestionSet


@dataclass(frozen=True, slots=True)
class Ranking:
    """How well one mode ranks: means over the questions."""

    mode: SearchMode
    ndcg_at_10: float
    recall_at_5: float
    mrr_at_10: float


@dataclass(frozen=True, slots=True)
class Answers:
    """How well questions are answered, all as shares.

    `answered`: of those with an answer in the corpus; `abstained`: of those without; `holds_answer` and
    `first_holds_answer`: of the answered ones whose answer is known, where a quote, or the first, holds it;
    `exact`: of all quotes.
    """

    answered: float
    abstained: float
    holds_answer: float
    first_holds_answer: float
    exact: float


def rank_all(product: Product, questions: QuestionSet) -> list[Ranking]:
    """Return how well each mode ranks."""
    return [_rank(product, questions, mode) for mode in SearchMode]


def _rank(product: Product, questions: QuestionSet, mode: SearchMode) -> Ranking:
    rows = []
    for query in questions.queries:
        ranking = product.rank(query.text, mode)
        rows.append(
            (ndcg(ranking, query.judged), recall(ranking, query.judged), reciprocal_rank(ranking, query.judged))
        )
    gains, recalls, ranks = zip(*rows, strict=True)
    return Ranking(mode, fmean(gains), fmean(recalls), fmean(ranks))


def answer_all(product: Product, questions: QuestionSet) -> Answers:
    """Return how well the questions are answered."""
    quotes, held, first_held, answered = [], [], [], []
    for query in questions.queries:
        _, sources = product.answer(query.text)
        answered.append(bool(sources))
        quotes += [product.is_exact(source) for source in sources]
        if sources and query.answers:
            holding = [_holds(source.reference.quote, query.answers) for source in sources]
            held.append(any(holding))
            first_held.append(holding[0])
    silent = [not product.answer(query.text)[1] for query in questions.unanswerable]
    return Answers(_share(answered), _share(silent), _share(held), _share(first_held), _share(quotes))


def _holds(quote: str, answers: tuple[str, ...]) -> bool:
    return any(" ".join(answer.lower().split()) in " ".join(quote.lower().split()) for answer in answers)


def _share(flags: list[bool]) -> float:
    return fmean(flags) if flags else 1.0
