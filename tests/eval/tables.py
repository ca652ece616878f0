"""A report as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tests.eval.learning import Learned
from tests.eval.report import Report

QUOTED = ("a quote holds the answer", "the first does")


def tables(report: Report) -> str:
    """Return the tables of a report; those by kind only for a set that knows kinds."""
    heading = f"\n## {report.name}, {report.questions} questions and {report.unanswerable} without an answer\n"
    parts = [heading, _rankings(report), _answers(report), _kinds(report), _silent_kinds(report)]
    return "\n".join(part for part in parts if part)


def learning_table(before: float, learned: Iterable[Learned]) -> str:
    """Return what votes do to hybrid nDCG@10."""
    rows = [(one.voters, before, one.right, one.wrong, one.others) for one in learned]
    return _table(("voters", "no votes", "on the right passage", "on a wrong one", "others meanwhile"), rows)


def _rankings(report: Report) -> str:
    rows = [(row.mode.value, row.ndcg_at_10, row.recall_at_5, row.mrr_at_10) for row in report.rankings]
    return _table(("mode", "nDCG@10", "recall@5", "MRR@10"), rows)


def _answers(report: Report) -> str:
    got = report.answers
    row = (got.answered, got.abstained, got.abstained_rightly, got.holds_answer, got.first_holds_answer, got.exact)
    return _table(("answered", "abstained", "abstained rightly", *QUOTED, "quotes exact"), [row])


def _kinds(report: Report) -> str:
    rows = [
        (kind.name, kind.count, kind.ndcg_at_10, kind.answered, kind.holds_answer, kind.first_holds_answer)
        for kind in report.kinds
    ]
    return _table(("kind", "questions", f"{report.rankings[0].mode.value} nDCG@10", "answered", *QUOTED), rows)


def _silent_kinds(report: Report) -> str:
    rows = [(kind.name, kind.count, kind.abstained) for kind in report.silent_kinds]
    return _table(("kind without an answer", "questions", "abstained"), rows)


def _table(heading: Sequence[str], rows: Iterable[Sequence[str | float]]) -> str:
    lines = [_line(row) for row in rows]
    return "\n".join([_line(heading), f"|{'---|' * len(heading)}", *lines, ""]) if lines else ""


def _line(cells: Sequence[str | float]) -> str:
    return f"| {' | '.join(f'{cell:.4f}' if isinstance(cell, float) else str(cell) for cell in cells)} |"
