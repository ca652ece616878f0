"""What is measured of one question set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Protocol

from knowledge_base.domain.answers import SourceFound
from knowledge_base.domain.retrieval import SearchMode
from tests.eval.measures import ndcg, recall, reciprocal_rank
from tests.eval.question_sets import Query, QuestionSet


class Answering(Protocol):
    """What is measured: it searches and answers."""

    def rank(self, text: str, mode: SearchMode) -> list[str]:
        """Return the passages that a search finds, best first."""

    def answer(self, text: str) -> tuple[str, list[SourceFound]]:
        """Return an answer and its sources; no sources: it abstained."""

    def is_exact(self, source: SourceFound) -> bool:
        """Whether a quote stands in its document where its source says."""


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

    `answered`: of those with an answer in the corpus; `abstained`: of those without (the recall of abstention);
    `abstained_rightly`: of all that were not answered, those without an answer (its precision); `holds_answer`
    and `first_holds_answer`: of the answered ones whose answer is known, where a quote, or the first, holds it;
    `exact`: of all quotes.
    """

    answered: float
    abstained: float
    abstained_rightly: float
    holds_answer: float
    first_holds_answer: float
    exact: float


@dataclass(frozen=True, slots=True)
class Kind:
    """How the questions of one kind fare: the ranking is that of the first mode, the shares are of all of them."""

    name: str
    count: int
    ndcg_at_10: float
    answered: float
    holds_answer: float
    first_holds_answer: float


@dataclass(frozen=True, slots=True)
class SilentKind:
    """How the questions without an answer of one kind fare."""

    name: str
    count: int
    abstained: float


@dataclass(frozen=True, slots=True)
class Report:
    """What was measured of one set."""

    name: str
    questions: int
    unanswerable: int
    rankings: list[Ranking]
    answers: Answers
    kinds: list[Kind]
    silent_kinds: list[SilentKind]

    def figures(self) -> dict[str, float]:
        """Return what a gate can be set on, by name."""
        ranked = {f"{ranking.mode.value}_ndcg_at_10": ranking.ndcg_at_10 for ranking in self.rankings}
        return {**ranked, **asdict(self.answers)}


@dataclass(frozen=True, slots=True)
class _Judged:
    """How one ranking of one question was."""

    ndcg: float
    recall: float
    reciprocal_rank: float


@dataclass(frozen=True, slots=True)
class _Asked:
    """How one question was answered: for each quote, whether it holds the answer, and whether it is exact."""

    query: Query
    holding: list[bool]
    exact: list[bool]

    @property
    def is_known(self) -> bool:
        return bool(self.exact and self.query.answers)


def measure(product: Answering, questions: QuestionSet, modes: Sequence[SearchMode] = tuple(SearchMode)) -> Report:
    """Return how well the product searches, in some modes, and answers a set."""
    judged = {mode: [_judged(product, query, mode) for query in questions.queries] for mode in modes}
    asked = [_asked(product, query) for query in questions.queries]
    silent = [not product.answer(query.text)[1] for query in questions.unanswerable]
    return Report(
        questions.name,
        len(questions.queries),
        len(questions.unanswerable),
        [_ranking(mode, rows) for mode, rows in judged.items()],
        _answers(asked, silent),
        _kinds(asked, judged[modes[0]]),
        _silent_kinds(questions.unanswerable, silent),
    )


def _judged(product: Answering, query: Query, mode: SearchMode) -> _Judged:
    found = product.rank(query.text, mode)
    return _Judged(ndcg(found, query.judged), recall(found, query.judged), reciprocal_rank(found, query.judged))


def _ranking(mode: SearchMode, rows: Sequence[_Judged]) -> Ranking:
    return Ranking(
        mode,
        fmean(row.ndcg for row in rows),
        fmean(row.recall for row in rows),
        fmean(row.reciprocal_rank for row in rows),
    )


def _asked(product: Answering, query: Query) -> _Asked:
    _, sources = product.answer(query.text)
    holding = [_holds(source.reference.quote, query.answers) for source in sources]
    return _Asked(query, holding, [product.is_exact(source) for source in sources])


def _answers(asked: Sequence[_Asked], silent: Sequence[bool]) -> Answers:
    known = [one for one in asked if one.is_known]
    return Answers(
        _share(bool(one.exact) for one in asked),
        _share(silent),
        _share([*(True for flag in silent if flag), *(False for one in asked if not one.exact)]),
        _share(any(one.holding) for one in known),
        _share(one.holding[0] for one in known),
        _share(exact for one in asked for exact in one.exact),
    )


def _kinds(asked: Sequence[_Asked], judged: Sequence[_Judged]) -> list[Kind]:
    return [_kind(name, asked, judged) for name in dict.fromkeys(one.query.kind for one in asked) if name]


def _kind(name: str, asked: Sequence[_Asked], judged: Sequence[_Judged]) -> Kind:
    places = [place for place, one in enumerate(asked) if one.query.kind == name]
    own = [asked[place] for place in places]
    return Kind(
        name,
        len(own),
        fmean(judged[place].ndcg for place in places),
        _share(bool(one.exact) for one in own),
        _share(any(one.holding) for one in own),
        _share(any(one.holding[:1]) for one in own),
    )


def _silent_kinds(queries: Sequence[Query], silent: Sequence[bool]) -> list[SilentKind]:
    names = [name for name in dict.fromkeys(query.kind for query in queries) if name]
    flags = {name: [flag for query, flag in zip(queries, silent, strict=True) if query.kind == name] for name in names}
    return [SilentKind(name, len(flags[name]), _share(flags[name])) for name in names]


def _holds(quote: str, answers: tuple[str, ...]) -> bool:
    return any(" ".join(answer.lower().split()) in " ".join(quote.lower().split()) for answer in answers)


def _share(flags: Iterable[bool]) -> float:
    """Return how many of them are true, 1.0 without any."""
    known = list(flags)
    return fmean(known) if known else 1.0
