"""What the project's own question sets must reach: `sets/gates.json`, measure by measure.

Nothing about a run is random; what differs between machines is the last digits of the model's arithmetic,
which can turn one near tie of a measure around. So a gate lies a margin below what was measured that forgives
one question and not two. Raise the gates with the product: `make eval ARGS=--write-gates` writes them anew.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

SETS = Path(__file__).parent / "sets"
GATES = SETS / "gates.json"

FORGIVEN = 1.5
"""So many questions may turn out otherwise, of those that a share is a share of."""

RANKING_MARGIN = 0.015
"""Two questions of fifty whose passage slips from the first place to the second, .0074 each, are within it; three
are not, nor is one whose passage leaves the first ten, .02."""

Figures = Mapping[str, float]


def margins(questions: int, unanswerable: int) -> dict[str, float]:
    """Return how far each measure may fall, for a set of so many questions with and without an answer."""
    share = FORGIVEN / questions
    rankings = dict.fromkeys(("hybrid_ndcg_at_10", "vector_ndcg_at_10", "keyword_ndcg_at_10"), RANKING_MARGIN)
    answers = dict.fromkeys(("answered", "holds_answer", "first_holds_answer"), share)
    silence = {"abstained": FORGIVEN / unanswerable, "abstained_rightly": 2 * FORGIVEN / unanswerable}
    # A quote that is not where its source says is a defect, not a matter of degree.
    return {**rankings, **answers, **silence, "exact": 0.0}


def gates_for(measured: Figures, allowed: Mapping[str, float]) -> dict[str, float]:
    """Return gates a margin below what was measured, in thousandths."""
    return {name: math.floor((measured[name] - allowed[name]) * 1000 + 1e-6) / 1000 for name in allowed}


def missed(name: str, gates: Mapping[str, Figures], measured: Figures) -> list[str]:
    """Return a line for each measure of a set that is below its gate; a measure without a gate is a miss as well."""
    own = gates.get(name, {})
    lines = [f"{name}: {measure} has no gate in {GATES.name}" for measure in measured if measure not in own]
    lines += [f"{name}: nothing measures {measure}" for measure in own if measure not in measured]
    return lines + [
        f"{name}: {measure} is {figure:.4f}, below its gate of {own[measure]:.3f}"
        for measure, figure in measured.items()
        # Not `<`: a figure that is no number is a miss.
        if measure in own and not figure >= own[measure]
    ]


def read_gates(path: Path = GATES) -> dict[str, dict[str, float]]:
    """Return the gates, set by set."""
    gates: dict[str, dict[str, float]] = json.loads(path.read_text(encoding="utf-8"))
    return gates


def write_gates(gates: Mapping[str, Figures], path: Path = GATES) -> None:
    """Write the gates, set by set."""
    path.write_text(json.dumps(gates, indent=2) + "\n", encoding="utf-8")
