"""Print how well each question set is searched and answered; fail when a set of the project falls below its gate.

`make eval` takes the project's own sets; `KB_EVAL_SETS=/folder/one:/folder/two make eval` others, and
`ARGS=a` or `ARGS=b` every other question: tune on one half, report on the other.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.eval.product import filled_product
from tests.eval.question_sets import read_set
from tests.eval.report import Answers, Ranking, answer_all, rank_all

OWN = Path(__file__).parent / "sets"
GATES = OWN / "gates.json"
"""What each of the project's sets must reach, by measure."""


def main(arguments: list[str]) -> int:
    """Measure and print; return 1 when a gate is missed."""
    os.environ.setdefault("AWS_ACCESS_KEY_ID", "test")
    os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "test")
    memory = Path(os.environ.get("KB_STATE_DIR", ".local")) / "eval" / "vectors.sqlite"
    gates = json.loads(GATES.read_text(encoding="utf-8"))
    missed: list[str] = []
    for folder in _folders():
        questions = read_set(folder).half(arguments[0] if arguments else "")
        with filled_product(questions, memory) as product:
            rankings, answers = rank_all(product, questions), answer_all(product, questions)
        _print(folder.name, len(questions.queries), rankings, answers)
        missed += _missed(folder.name, gates.get(folder.name, {}), _measured(rankings, answers))
    for line in missed:
        sys.stderr.write(f"{line}\n")
    return 1 if missed else 0


def _folders() -> list[Path]:
    given = os.environ.get("KB_EVAL_SETS", "")
    return [Path(name) for name in given.split(":") if name] or sorted(path for path in OWN.iterdir() if path.is_dir())


def _measured(rankings: list[Ranking], answers: Answers) -> dict[str, float]:
    ranked = {f"{ranking.mode.value}_ndcg_at_10": ranking.ndcg_at_10 for ranking in rankings}
    return {**ranked, **{name: getattr(answers, name) for name in answers.__slots__}}


def _missed(name: str, gates: dict[str, float], measured: dict[str, float]) -> Iterator[str]:
    for measure, least in gates.items():
        if measured[measure] < least:
            yield f"{name}: {measure} is {measured[measure]:.3f}, below its gate of {least:.3f}"


def _print(name: str, count: int, rankings: list[Ranking], answers: Answers) -> None:
    print(f"\n## {name}, {count} questions\n")
    print("| mode | nDCG@10 | recall@5 | MRR@10 |\n|---|---|---|---|")
    for row in rankings:
        figures = (row.ndcg_at_10, row.recall_at_5, row.mrr_at_10)
        print(f"| {row.mode.value} | {' | '.join(f'{figure:.4f}' for figure in figures)} |")
    print(
        "\n| answered | abstained | a quote holds the answer | the first does | quotes exact |\n|---|---|---|---|---|"
    )
    shares = (answers.answered, answers.abstained, answers.holds_answer, answers.first_holds_answer, answers.exact)
    print(f"| {' | '.join(f'{share:.3f}' for share in shares)} |")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
