"""The process of one index: `python -m tests.bench.index_process NAME CORPUS FOLDER {write,open}`.

It says `ready` once it has written, or opened and asked once, and then answers a command a line, each by a line of
JSON: `time LEG LIMIT` the milliseconds of each question, `find LEG LIMIT` the numbers of the chunks that each finds,
null for a leg that the index does not have; `memory` the megabytes that it holds, beyond what it shares with others.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from tests.bench.index_corpus import QUESTIONS, Corpus, load
from tests.bench.index_engines import Engine, Found
from tests.bench.public_indexes import ENGINES

_MEGABYTE = 1024


def main(name: str, corpus_folder: Path, folder: Path, verb: str) -> None:
    """Make the index ready, and answer until standard input ends."""
    replies = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    corpus = load(corpus_folder) if verb == "write" else _questions(corpus_folder)
    begin = time.perf_counter()
    engine = ENGINES[name](folder, corpus if verb == "write" else None)
    spent = time.perf_counter() - begin
    if verb == "open":
        engine.dense(corpus.question_vectors[0].tolist(), 5)
    replies.write(json.dumps({"ready": spent}) + "\n")
    for line in sys.stdin:
        replies.write(json.dumps(_answer(engine, corpus, line.split())) + "\n")


def _answer(engine: Engine, corpus: Corpus, command: list[str]) -> Any:
    if command == ["memory"]:
        return _held()
    verb, leg, limit = command
    try:
        answers = [_ask(engine, corpus, leg, number, int(limit)) for number in range(QUESTIONS)]
    except NotImplementedError:
        return None
    if verb == "time":
        return [milliseconds for _, milliseconds in answers]
    return [[number for number, _ in found] for found, _ in answers]


def _ask(engine: Engine, corpus: Corpus, leg: str, number: int, limit: int) -> tuple[Found, float]:
    vector = corpus.question_vectors[number].tolist()
    asked = (corpus.question_texts[number], vector, limit) if leg == "hybrid" else (vector, limit)
    begin = time.perf_counter()
    found = getattr(engine, leg)(*asked)
    return found, (time.perf_counter() - begin) * 1000


def _questions(folder: Path) -> Corpus:
    """Return a corpus of which only the questions are read: a cold start is not to wait for the rest."""
    import numpy as np

    texts = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    return Corpus(None, [], [], np.load(folder / "question_vectors.npy"), texts)


def _held() -> float:
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return float(fields["VmRSS"].split()[0]) / _MEGABYTE


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4])
