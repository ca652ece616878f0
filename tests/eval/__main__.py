"""Print how well each question set is searched and answered; fail when a set of the project falls below its gate.

`make eval` takes the project's own sets; `KB_EVAL_SETS=/folder/one:/folder/two make eval` others, and
`ARGS=a` or `ARGS=b` every other question: tune on one half, report on the other. `ARGS=gates` writes the
gates of the project's sets anew.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.eval.gates import SETS, gates_for, margins, missed, read_gates, write_gates
from tests.eval.product import filled_product
from tests.eval.question_sets import HALVES, QuestionSet, read_set
from tests.eval.report import Report, measure
from tests.eval.tables import tables

NEW_GATES = "gates"
USAGE = f"usage: python -m tests.eval [{'|'.join((*HALVES, NEW_GATES))}]"


def main(arguments: list[str]) -> int:
    """Measure and print; return 1 when a gate is missed."""
    what = arguments[0] if arguments else ""
    if what not in ("", *HALVES, NEW_GATES):
        sys.stderr.write(f"{USAGE}\n")
        return 2
    reports = {folder: _report(read_set(folder), what) for folder in _folders()}
    own = [report for folder, report in reports.items() if folder.parent == SETS]
    if what == NEW_GATES:
        write_gates(
            {report.name: gates_for(report.figures(), margins(report.questions, report.unanswerable)) for report in own}
        )
    if what in HALVES:
        return 0
    gates = read_gates()
    lines = [line for report in own for line in missed(report.name, gates, report.figures())]
    sys.stderr.writelines(f"{line}\n" for line in lines)
    return 1 if lines else 0


def _report(questions: QuestionSet, what: str) -> Report:
    os.environ.setdefault("AWS_ACCESS_KEY_ID", "test")
    os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "test")
    memory = Path(os.environ.get("KB_STATE_DIR", ".local")) / "eval" / "vectors.sqlite"
    asked = questions.half(what) if what in HALVES else questions
    with filled_product(asked, memory) as product:
        report = measure(product, asked)
    print(tables(report), flush=True)
    return report


def _folders() -> list[Path]:
    given = os.environ.get("KB_EVAL_SETS", "")
    return [Path(name) for name in given.split(":") if name] or sorted(path for path in SETS.iterdir() if path.is_dir())


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
