"""A report as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tests.eval.report import Report


def tables(report: Report) -> str:
    """Return the tables of a report; those by kind only for a set that knows kinds."""
    answers = report.answers
    shares = (answers.answered, answers.abstained, answers.holds_answer, answers.first_holds_answer, answers.exact)
    parts = [
        f"\n## {report.name}, {report.questions} questions and {report.unanswerable} without an answer\n",
        _table(
            ("mode", "nDCG@10", "recall@5", "MRR@10"),
            ((row.mode.value, row.ndcg_at_10, row.recall_at_5, row.mrr_at_10) for row in report.rankings),
        ),
        _table(("answered", "abstained", "a quote holds the answer", "the first does", "quotes exact"), [shares]),
        _table(
            ("kind", "questions", "hybrid nDCG@10", "answered", "a quote holds the answer", "the first does"),
            (
                (kind.name, kind.count, kind.ndcg_at_10, kind.answered, kind.holds_answer, kind.first_holds_answer)
                for kind in report.kinds
            ),
        ),
        _table(
            ("kind without an answer", "questions", "abstained"),
            ((kind.name, kind.count, kind.abstained) for kind in report.silent_kinds),
        ),
    ]
    return "\n".join(part for part in parts if part)


def _table(heading: Sequence[str], rows: Iterable[Sequence[str | float]]) -> str:
    lines = [_line(row) for row in rows]
    return "\n".join([_line(heading), f"|{'---|' * len(heading)}", *lines, ""]) if lines else ""


def _line(cells: Sequence[str | float]) -> str:
    return f"| {' | '.join(f'{cell:.4f}' if isinstance(cell, float) else str(cell) for cell in cells)} |"
