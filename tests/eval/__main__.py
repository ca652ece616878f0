"""Print how well each question set is searched and answered; fail when a set of the project falls below its gate.

`make eval` takes the project's own sets, `make eval ARGS="/folder/one /folder/two"` others. `--half a` or
`--half b` asks every other question: tune on one half, report on the other. `--mode` leaves out other modes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from knowledge_base.domain.retrieval import SearchMode
from tests.eval.gates import SETS, gates_for, margins, missed, read_gates, write_gates
from tests.eval.learning import measure_learning
from tests.eval.product import filled_product
from tests.eval.question_sets import HALVES, read_set
from tests.eval.report import Report, measure
from tests.eval.tables import learning_table, tables

OWN_SETS = sorted(path for path in SETS.iterdir() if path.is_dir())


def main(arguments: Sequence[str]) -> int:
    """Measure, print and write; return 1 when a gate is missed."""
    options = _parser().parse_args(arguments)
    modes = tuple(mode for mode in SearchMode if mode in (options.mode or SearchMode))
    memory = options.memory or Path(os.environ.get("KB_STATE_DIR", ".local")) / "eval"
    reports = {
        folder: _report(folder, memory, modes, options.half, feedback=options.feedback)
        for folder in options.sets or OWN_SETS
    }
    _write(options.json or memory / "report.json", list(reports.values()))
    own = [report for folder, report in reports.items() if folder.absolute().parent == SETS.absolute()]
    if options.write_gates:
        write_gates({one.name: gates_for(one.figures(), margins(one.questions, one.unanswerable)) for one in own})
    if options.half or options.mode:
        return 0
    gates = read_gates()
    lines = [line for report in own for line in missed(report.name, gates, report.figures())]
    sys.stderr.writelines(f"{line}\n" for line in lines)
    return 1 if lines else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m tests.eval", description=__doc__)
    parser.add_argument("sets", nargs="*", type=Path, help="folders of question sets; the project's own without any")
    parser.add_argument("--half", choices=HALVES, help="every other question; no gates")
    parser.add_argument("--mode", action="append", choices=list(SearchMode), help="may be repeated; no gates")
    parser.add_argument("--feedback", action="store_true", help="measure what votes on results do, too")
    parser.add_argument("--memory", type=Path, help="a folder for vectors that need not be computed again")
    parser.add_argument("--json", type=Path, help="where the figures go; report.json in the memory")
    parser.add_argument("--write-gates", action="store_true", help="write the gates of the project's sets anew")
    return parser


def _report(folder: Path, memory: Path, modes: Sequence[SearchMode], half: str | None, *, feedback: bool) -> Report:
    os.environ.setdefault("AWS_ACCESS_KEY_ID", "test")
    os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "test")
    questions = read_set(folder)
    asked = questions.half(half) if half else questions
    with filled_product(asked, memory / "vectors.sqlite") as product:
        report = measure(product, asked, modes)
        print(tables(report), flush=True)
        if feedback:
            product.let_votes_count()
            print(learning_table(*measure_learning(product, asked)), flush=True)
    return report


def _write(path: Path, reports: Sequence[Report]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([asdict(report) for report in reports], indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
