"""What the indexes are measured with: clustered vectors, texts of some 1,000 characters, and questions about them."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

DIMENSIONS, QUESTIONS = 384, 30
FEW, OTHERS = "few", "others"
"""The mark of one chunk in ten, and of the rest; the filter asks for the first."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Chunks by number, and questions; `marks` are what the filter goes by."""

    vectors: Any
    texts: list[str]
    marks: list[str]
    question_vectors: Any
    question_texts: list[str]

    def exact(self, question: int, limit: int, *, only_few: bool) -> set[int]:
        """Return the numbers of the chunks that are nearest to a question."""
        scores = self.vectors @ self.question_vectors[question]
        if only_few:
            scores = np.where(np.array(self.marks) == FEW, scores, -1)
        return set(np.argsort(-scores, kind="stable")[:limit].tolist())

    def save(self, folder: Path) -> None:
        """Write it where `load` finds it."""
        np.save(folder / "vectors.npy", self.vectors)
        np.save(folder / "question_vectors.npy", self.question_vectors)
        rest = {"texts": self.texts, "marks": self.marks, "question_texts": self.question_texts}
        (folder / "questions.json").write_text(json.dumps(self.question_texts), encoding="utf-8")
        (folder / "texts.json").write_text(json.dumps(rest), encoding="utf-8")


def make(size: int) -> Corpus:
    """Return the same corpus for the same size: vectors about 200 centres, words as often as languages have them."""
    numbers, words = np.random.default_rng(7), random.Random(7)
    centres = numbers.normal(size=(200, DIMENSIONS))
    vectors = _unit(centres[numbers.integers(0, 200, size)] + 0.6 * numbers.normal(size=(size, DIMENSIONS)))
    vocabulary = [f"word{rank}" for rank in range(20_000)]
    weights = list(accumulate(1 / rank for rank in range(1, len(vocabulary) + 1)))
    texts = [" ".join(words.choices(vocabulary, cum_weights=weights, k=130)) for _ in range(size)]
    asked = words.sample(range(size), QUESTIONS)
    noise = numbers.normal(size=(QUESTIONS, DIMENSIONS)) / DIMENSIONS**0.5
    return Corpus(
        vectors,
        texts,
        [FEW if number % 10 == 0 else OTHERS for number in range(size)],
        _unit(vectors[asked] + 0.3 * noise),
        [" ".join(texts[number].split()[:8]) for number in asked],
    )


def load(folder: Path) -> Corpus:
    """Return a corpus that was saved."""
    rest = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    vectors, questions = (np.load(folder / f"{name}.npy") for name in ("vectors", "question_vectors"))
    return Corpus(vectors, rest["texts"], rest["marks"], questions, rest["question_texts"])


def _unit(matrix: Any) -> Any:
    return (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)
