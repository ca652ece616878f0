"""Measures of a ranking against judgements."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

Judgements = Mapping[str, float]
"""Document id → how relevant it is; what is missing is not."""


def ndcg(ranking: Sequence[str], judged: Judgements, depth: int = 10) -> float:
    """Return the normalised discounted cumulative gain: linear gain, discounted by log2 of the rank + 1.

    Järvelin and Kekäläinen, ACM TOIS 20(4), 2002.
    """
    ideal = _gain(sorted(judged.values(), reverse=True)[:depth])
    return _gain([judged.get(document, 0.0) for document in ranking[:depth]]) / ideal if ideal else 0.0


def recall(ranking: Sequence[str], judged: Judgements, depth: int = 5) -> float:
    """Return the share of the relevant documents that are among the first."""
    relevant = {document for document, grade in judged.items() if grade > 0}
    return len(relevant & set(ranking[:depth])) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranking: Sequence[str], judged: Judgements, depth: int = 10) -> float:
    """Return one over the rank of the first relevant document, 0 without one."""
    ranks = (rank for rank, document in enumerate(ranking[:depth], 1) if judged.get(document, 0.0) > 0)
    return 1 / next(ranks, math.inf)


def _gain(grades: Sequence[float]) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))
