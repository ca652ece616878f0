"""Question sets in files: a folder with `corpus.jsonl`, `queries.jsonl`, `qrels.tsv`, and questions without an answer.

corpus: {id, title?, text}; queries: {id, text, answers?, kind?}, where an answer is a span of a relevant passage and
questions of a kind are also counted by themselves; qrels: query-id, corpus-id, score, with this heading;
`queries_unanswerable.jsonl`, if there: {id, text, kind?} of questions whose answer is not in the corpus.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

HALVES = ("a", "b")
HEADING = "query-id\tcorpus-id\tscore"


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
    kind: str = ""


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A corpus, and questions about it."""

    name: str
    passages: tuple[Passage, ...]
    queries: tuple[Query, ...]
    unanswerable: tuple[Query, ...]

    def half(self, which: str) -> QuestionSet:
        """Return the set with every other question: `a` to tune on, `b` to report.

        Raises:
            ValueError: there is no such half.
        """
        if which not in HALVES:
            raise ValueError(f"the halves of a set are a and b, there is no {which!r}")
        start = HALVES.index(which)
        return replace(self, queries=self.queries[start::2], unanswerable=self.unanswerable[start::2])


def read_set(folder: Path) -> QuestionSet:
    """Return the question set of a folder.

    Raises:
        FileNotFoundError: a file of it is missing.
        ValueError: one has not the form of this module; the message names file and line, or the id.
    """
    passages = tuple(
        Passage(row["id"], row.get("title", ""), row["text"]) for row in _distinct(folder / "corpus.jsonl")
    )
    judged = _judgements(folder / "qrels.tsv", {passage.passage_id for passage in passages})
    queries = tuple(_query(row, judged.pop(row["id"], {})) for row in _distinct(folder / "queries.jsonl"))
    for query in queries:
        if not any(score > 0 for score in query.judged.values()):
            raise ValueError(f"qrels.tsv names no relevant passage for the question {query.query_id!r}")
    if judged:
        raise ValueError(f"qrels.tsv names questions that are not in queries.jsonl: {', '.join(sorted(judged))}")
    if not queries:
        raise ValueError("queries.jsonl is empty")
    no_answer = folder / "queries_unanswerable.jsonl"
    unanswerable = tuple(_query(row, {}) for row in _distinct(no_answer)) if no_answer.exists() else ()
    return QuestionSet(folder.name, passages, queries, unanswerable)


def _query(row: dict[str, Any], judged: dict[str, float]) -> Query:
    return Query(row["id"], row["text"], tuple(row.get("answers", ())), judged, row.get("kind", ""))


def _judgements(path: Path, passages: Iterable[str]) -> dict[str, dict[str, float]]:
    heading, *lines = path.read_text(encoding="utf-8").splitlines() or [""]
    if heading != HEADING:
        raise ValueError(f"{path.name} must begin with the heading {HEADING!r}, not {heading!r}")
    judged: dict[str, dict[str, float]] = defaultdict(dict)
    for number, line in enumerate(lines, 2):
        query_id, passage_id, score = _judgement(line, f"{path.name} line {number}")
        if passage_id not in passages:
            raise ValueError(f"{path.name} line {number}: corpus.jsonl has no passage {passage_id!r}")
        judged[query_id][passage_id] = score
    return judged


def _judgement(line: str, place: str) -> tuple[str, str, float]:
    try:
        query_id, passage_id, score = line.split("\t")
        return query_id, passage_id, float(score)
    except ValueError as error:
        raise ValueError(f"{place} is not a question, a passage and a number, with tabs between: {line!r}") from error


def _distinct(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file, which must have ids of their own and texts."""
    seen: set[str] = set()
    for number, row in _rows(path):
        for field in ("id", "text"):
            if not isinstance(row.get(field), str) or not row[field].strip():
                raise ValueError(f"{path.name} line {number} has no {field!r}")
        if row["id"] in seen:
            raise ValueError(f"{path.name} line {number}: the id {row['id']!r} was there before")
        seen.add(row["id"])
        yield row


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield number, _row(line, f"{path.name} line {number}")


def _row(line: str, place: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise ValueError(f"{place} is not JSON: {error}") from error
    if not isinstance(row, dict):
        raise ValueError(f"{place} is not a JSON object")
    return row
