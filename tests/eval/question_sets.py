"""Question sets in files: a folder with `corpus.jsonl`, `queries.jsonl`, `qrels.tsv`, and questions without an answer.

corpus: {id, title, text}; queries: {id, text, answers?}; qrels: query-id, corpus-id, score, with a heading;
`queries_unanswerable.jsonl`, if there: {id, text} of questions whose answer is not in the corpus.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HALVES = ("a", "b")


@dataclass(frozen=True, slots=True)
class Passage:
    """A document of a set."""

    passage_id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Query:
    """A question with the documents that answer it; without any, it should not be answered."""

    query_id: str
    text: str
    answers: tuple[str, ...]
    judged: dict[str, float]


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A corpus, and questions about it."""

    name: str
    passages: tuple[Passage, ...]
    queries: tuple[Query, ...]
    unanswerable: tuple[Query, ...]

    def half(self, which: str) -> QuestionSet:
        """Return the set with every other question: `a` to tune on, `b` to report; anything else: all of them."""
        if which not in HALVES:
            return self
        start = HALVES.index(which)
        return QuestionSet(self.name, self.passages, self.queries[start::2], self.unanswerable[start::2])


def read_set(folder: Path) -> QuestionSet:
    """Return the question set of a folder.

    Raises:
        FileNotFoundError: a file of it is missing.
        ValueError: one has not the form of this module.
    """
    judged: dict[str, dict[str, float]] = defaultdict(dict)
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query_id, passage_id, score = line.split("\t")
        judged[query_id][passage_id] = float(score)
    passages = (Passage(row["id"], row.get("title", ""), row["text"]) for row in _rows(folder / "corpus.jsonl"))
    queries = (_query(row, judged[row["id"]]) for row in _rows(folder / "queries.jsonl"))
    no_answer = folder / "queries_unanswerable.jsonl"
    unanswerable = (_query(row, {}) for row in _rows(no_answer)) if no_answer.exists() else ()
    return QuestionSet(folder.name, tuple(passages), tuple(queries), tuple(unanswerable))


def _query(row: dict[str, Any], judged: dict[str, float]) -> Query:
    return Query(row["id"], row["text"], tuple(row.get("answers", ())), judged)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)
