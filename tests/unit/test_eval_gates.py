"""The gates of `make eval` on the project's own sets: what passes, and that every kind of drop is caught."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from knowledge_base.domain.answers import Reference, SourceFound
from knowledge_base.domain.retrieval import SearchMode
from tests.eval import __main__ as command
from tests.eval.gates import SETS, gates_for, margins, missed, read_gates, write_gates
from tests.eval.question_sets import QuestionSet, read_set
from tests.eval.report import Report, measure
from tests.eval.tables import tables

SET_NAMES = ("en_house", "zh_house")


def a_source(quote: str) -> SourceFound:
    return SourceFound(Reference(1, "doc-1", "doc", "", "", None, 0, len(quote), quote, 1.0, 0.9))


class PerfectProduct:
    """Finds every passage and quotes every answer of a set, and says nothing where there is none."""

    def __init__(self, questions: QuestionSet) -> None:
        self.questions = questions
        self.queries = {query.text: query for query in questions.queries}

    def rank(self, text: str, mode: SearchMode) -> list[str]:
        judged = self.queries[text].judged
        others = [passage.passage_id for passage in self.questions.passages if passage.passage_id not in judged]
        return [*sorted(judged, key=lambda passage_id: -judged[passage_id]), *others]

    def answer(self, text: str) -> tuple[str, list[SourceFound]]:
        query = self.queries.get(text)
        return "", [a_source(f"{answer}.") for answer in query.answers] if query else []

    def is_exact(self, source: SourceFound) -> bool:
        return True


class ShufflesRanks(PerfectProduct):
    modes = tuple(SearchMode)

    def rank(self, text: str, mode: SearchMode) -> list[str]:
        ranking = super().rank(text, mode)
        if mode in self.modes:
            random.Random(text).shuffle(ranking)
        return ranking


class ShufflesWordsOnly(ShufflesRanks):
    modes = (SearchMode.KEYWORD,)


class FindsTheBestSecond(PerfectProduct):
    def rank(self, text: str, mode: SearchMode) -> list[str]:
        first, second, *rest = super().rank(text, mode)
        return [second, first, *rest]


class TakesAnythingForEvidence(PerfectProduct):
    def answer(self, text: str) -> tuple[str, list[SourceFound]]:
        answer, sources = super().answer(text)
        return answer, sources or [a_source("The nearest sentence.")]


class KeepsSilent(PerfectProduct):
    def answer(self, text: str) -> tuple[str, list[SourceFound]]:
        return "No information retrieved", []


class AbstainsFromEveryOther(PerfectProduct):
    def answer(self, text: str) -> tuple[str, list[SourceFound]]:
        texts = [query.text for query in (*self.questions.queries, *self.questions.unanswerable)]
        return "", [a_source("A sentence.")] if texts.index(text) % 2 else []


class QuotesOtherSentences(PerfectProduct):
    def answer(self, text: str) -> tuple[str, list[SourceFound]]:
        answer, sources = super().answer(text)
        return answer, [a_source("Something else.") for _ in sources]


class QuotesTheAnswerLast(PerfectProduct):
    def answer(self, text: str) -> tuple[str, list[SourceFound]]:
        answer, sources = super().answer(text)
        return answer, [a_source("Something else."), *sources] if sources else []


class HasOneStaleOffset(PerfectProduct):
    def is_exact(self, source: SourceFound) -> bool:
        return source.reference.quote.removesuffix(".") != self.questions.queries[-1].answers[0]


RANKINGS = {"hybrid_ndcg_at_10", "vector_ndcg_at_10", "keyword_ndcg_at_10"}
DEFECTS = {
    ShufflesRanks: RANKINGS,
    ShufflesWordsOnly: {"keyword_ndcg_at_10"},
    TakesAnythingForEvidence: {"abstained"},
    KeepsSilent: {"answered", "abstained_rightly"},
    QuotesOtherSentences: {"holds_answer", "first_holds_answer"},
    QuotesTheAnswerLast: {"first_holds_answer"},
    HasOneStaleOffset: {"exact"},
}


def measured(product: Callable[[QuestionSet], PerfectProduct], name: str) -> Report:
    questions = read_set(SETS / name)
    return measure(product(questions), questions)


def missed_measures(report: Report) -> set[str]:
    return {line.split()[1] for line in missed(report.name, read_gates(), report.figures())}


@pytest.mark.parametrize("name", SET_NAMES)
def test_a_perfect_product_measures_1_throughout_and_passes(name: str) -> None:
    report = measured(PerfectProduct, name)
    assert set(report.figures().values()) == {1.0}
    assert missed_measures(report) == set()


@pytest.mark.parametrize("name", SET_NAMES)
@pytest.mark.parametrize(("product", "measures"), DEFECTS.items())
def test_a_defect_misses_the_gates_of_what_it_spoils_and_no_other(
    product: type[PerfectProduct], measures: set[str], name: str
) -> None:
    assert missed_measures(measured(product, name)) == measures


def test_the_best_passage_in_second_place_shows_in_every_ranking() -> None:
    report = measured(FindsTheBestSecond, "en_house")
    assert all(ranking.ndcg_at_10 < 0.9 and ranking.mrr_at_10 < 0.7 for ranking in report.rankings)
    assert all(ranking.recall_at_5 == 1 for ranking in report.rankings)


def test_one_question_is_forgiven_and_two_are_not() -> None:
    before = {**dict.fromkeys(margins(50, 20), 1.0), "answered": 45 / 50, "abstained": 9 / 20}
    gates = {"set": gates_for(before, margins(50, 20))}

    assert missed("set", gates, {**before, "answered": 44 / 50, "abstained": 8 / 20}) == []
    assert len(missed("set", gates, {**before, "answered": 43 / 50, "abstained": 7 / 20})) == 2


def test_a_lost_passage_is_a_drop_and_one_that_slips_a_place_is_not() -> None:
    slipped, lost = 0.3691 / 50, 1 / 50
    before = dict.fromkeys(margins(50, 20), 0.9)
    gates = {"set": gates_for(before, margins(50, 20))}

    assert missed("set", gates, {**before, "hybrid_ndcg_at_10": 0.9 - 2 * slipped}) == []
    assert missed("set", gates, {**before, "hybrid_ndcg_at_10": 0.9 - 3 * slipped})
    assert missed("set", gates, {**before, "hybrid_ndcg_at_10": 0.9 - lost})


def test_a_missed_gate_says_what_is_missing_where() -> None:
    lines = missed("set", {"set": {"answered": 0.9}}, {"answered": 0.82})
    assert lines == ["set: answered is 0.8200, below its gate of 0.900"]


def test_figure_and_gate_that_do_not_belong_together_are_misses() -> None:
    assert missed("set", {}, {"answered": 1.0}) == ["set: answered has no gate in gates.json"]
    assert missed("set", {"set": {"anwsered": 0.9}}, {}) == ["set: nothing measures anwsered"]
    assert missed("set", {"set": {"answered": 0.9}}, {"answered": float("nan")})


def test_written_gates_are_read_again(tmp_path: Path) -> None:
    gates = {"set": {"answered": 0.93, "exact": 1.0}}
    write_gates(gates, tmp_path / "gates.json")
    assert read_gates(tmp_path / "gates.json") == gates


Run = Callable[..., int]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs the command on a product; its figures go to `report.json`."""

    def run(product: type[PerfectProduct], *arguments: str) -> int:
        @contextmanager
        def filled(questions: QuestionSet, memory: Path) -> Iterator[PerfectProduct]:
            yield product(questions)

        monkeypatch.setattr(command, "filled_product", filled)
        return command.main([*arguments, "--memory", str(tmp_path)])

    return run


def test_the_command_succeeds_on_a_good_product(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(PerfectProduct) == 0
    printed = capsys.readouterr()
    assert [line for line in printed.out.splitlines() if line.startswith("##")] == [
        f"## {name}, 50 questions and 20 without an answer" for name in SET_NAMES
    ]
    assert printed.err == ""


def test_the_command_fails_on_a_drop_and_names_it(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(HasOneStaleOffset) == 1
    assert [line.split(",")[0] for line in capsys.readouterr().err.splitlines()] == [
        "en_house: exact is 0.9818",
        "zh_house: exact is 0.9818",
    ]


def test_the_figures_are_written_for_programs(run: Run, tmp_path: Path) -> None:
    run(TakesAnythingForEvidence)
    written = json.loads((tmp_path / "report.json").read_text())
    assert [report["name"] for report in written] == list(SET_NAMES)
    assert written[0]["rankings"][0] == {"mode": "hybrid", "ndcg_at_10": 1.0, "recall_at_5": 1.0, "mrr_at_10": 1.0}
    assert (written[0]["answers"]["answered"], written[0]["answers"]["abstained"]) == (1.0, 0.0)


def test_halves_modes_and_other_sets_have_no_gates(run: Run, tmp_path: Path) -> None:
    assert run(ShufflesRanks, "--half", "a") == 0
    assert run(ShufflesRanks, "--mode", "keyword") == 0

    copy = tmp_path / "zh_house"
    copy.mkdir()
    for file in (SETS / "zh_house").iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    assert run(ShufflesRanks, str(copy)) == 0


def test_only_the_modes_that_are_asked_for_are_measured(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run(PerfectProduct, str(SETS / "zh_house"), "--mode", "keyword", "--mode", "vector")
    rows = [
        line.split()[1] for line in capsys.readouterr().out.splitlines() if line.startswith(("| vec", "| key", "| hy"))
    ]
    assert rows == ["vector", "keyword"]


def test_gates_are_written_anew_on_request_only(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[dict[str, dict[str, float]]] = []
    monkeypatch.setattr(command, "write_gates", written.append)

    run(PerfectProduct)
    assert written == []
    run(PerfectProduct, "--write-gates")
    assert [sorted(gates) for gates in written] == [list(SET_NAMES)]
    assert written[0]["en_house"]["hybrid_ndcg_at_10"] == 0.985
    assert written[0]["en_house"]["exact"] == 1.0


@pytest.mark.parametrize("arguments", [["--half", "c"], ["--mode", "guess"], ["--gates"]])
def test_an_unknown_argument_is_refused(run: Run, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(PerfectProduct, *arguments)
    assert "usage" in capsys.readouterr().err


def test_abstention_has_a_recall_and_a_precision() -> None:
    answers = measured(AbstainsFromEveryOther, "en_house").answers
    assert (answers.answered, answers.abstained) == (0.5, 0.5)
    assert answers.abstained_rightly == pytest.approx(10 / 35)


def test_the_tables_show_every_figure() -> None:
    printed = tables(measured(QuotesTheAnswerLast, "zh_house"))
    assert "| hybrid | 1.0000 | 1.0000 | 1.0000 |" in printed
    assert "| 1.0000 | 1.0000 | 1.0000 | 1.0000 | 0.0000 | 1.0000 |" in printed
    assert "| paraphrase | 9 | 1.0000 | 1.0000 | 1.0000 | 0.0000 |" in printed
    assert "| gibberish | 4 | 1.0000 |" in printed
