"""The embedded index beside public ones: the same vectors, texts and filter, in one run.

Each index has a process of its own, and all are asked in turn, so that what else the machine does falls on all alike.
`KB_BENCH_SIZES=10000` and `KB_BENCH_INDEXES='ours,chroma'` choose among sizes and indexes.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.bench.index_corpus import QUESTIONS, Corpus, make
from tests.bench.public_indexes import ENGINES, OURS

ENVIRONMENT = ".venv-bench-indexes"
REQUIREMENTS = "tests/bench/index_requirements.txt"
SIZES = (10_000, 100_000)
LEGS = ("dense", "filtered", "hybrid")
ROUNDS, STARTS, LIMIT, COMPARED = 5, 3, 5, 10
"""Questions are timed with `LIMIT` hits, and recall is measured with `COMPARED`."""

COLUMNS = (
    "index", "chunks/s", "dense ms", "10 % ms", "hybrid ms", "recall@10, 10 %", "cold to first hit s", "MB held",
    "MB on disk",
)  # fmt: skip


@dataclass
class Result:
    """What was measured of one index; times of a leg are a list for each round."""

    name: str
    written: float = 0.0
    disk: float = 0.0
    memory: float = 0.0
    starts: list[float] = field(default_factory=list)
    times: dict[str, list[list[float]]] = field(default_factory=dict)
    recalls: dict[str, float] = field(default_factory=dict)

    def typical(self, leg: str) -> float | None:
        """Return the median over the questions of the best of all rounds."""
        rounds = self.times.get(leg)
        return statistics.median(min(question) for question in zip(*rounds, strict=True)) if rounds else None


class IndexProcess:
    """A process that holds one index."""

    def __init__(self, name: str, corpus: Path, folder: Path, verb: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        python = sys.executable if name in OURS else f"{ENVIRONMENT}/bin/python"
        command = [python, "-m", "tests.bench.index_process", name, str(corpus), str(folder), verb]
        self._errors = folder.with_suffix(".errors")
        with self._errors.open("w") as errors:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
            )

    def reply(self) -> Any:
        """Return what it says next."""
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"an index was lost: {self._errors.read_text(errors='replace')[-1000:]}")
        return json.loads(line)

    def ask(self, command: str) -> Any:
        """Return what it answers."""
        assert self._process.stdin
        print(command, file=self._process.stdin, flush=True)
        return self.reply()

    def end(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()


def report() -> None:
    """Print a table for each size."""
    names = os.environ.get("KB_BENCH_INDEXES", ",".join(ENGINES)).split(",")
    if any(name not in OURS for name in names):
        subprocess.run(["infra/local/setup.sh", ENVIRONMENT, REQUIREMENTS], check=True)
    for size in map(int, os.environ.get("KB_BENCH_SIZES", ",".join(map(str, SIZES))).split(",")):
        with tempfile.TemporaryDirectory() as folder:
            print(*_table(size, _measure(size, names, Path(folder))), sep="\n", flush=True)


def _measure(size: int, names: list[str], folder: Path) -> list[Result]:
    corpus = make(size)
    corpus.save(folder)
    results = [_write(name, folder) for name in names]
    with ExitStack() as stack:
        processes = [stack.enter_context(_opened(result, folder)) for result in results]
        for number in range(ROUNDS):
            for result, process in list(zip(results, processes, strict=True))[:: -1 if number % 2 else 1]:
                _time(result, process)
        for result, process in zip(results, processes, strict=True):
            result.recalls = {leg: _recall(corpus, process, leg) for leg in LEGS[:2] if leg in result.times}
            result.memory = process.ask("memory")
    return results


def _write(name: str, folder: Path) -> Result:
    """Write the corpus, and start the index as often as it takes to tell how long that takes."""
    place = _place(name, folder)
    with _running(name, folder, "write") as process:
        result = Result(name, written=process.reply()["ready"])
    result.disk = sum(path.stat().st_size for path in place.rglob("*") if path.is_file()) / 1e6
    for _ in range(STARTS):
        begin = time.perf_counter()
        with _running(name, folder, "open") as process:
            process.reply()
            result.starts.append(time.perf_counter() - begin)
    return result


@contextmanager
def _opened(result: Result, folder: Path) -> Iterator[IndexProcess]:
    """Yield the index warm: every leg has been asked once."""
    with _running(result.name, folder, "open") as process:
        process.reply()
        result.times = {leg: [] for leg in LEGS if process.ask(f"time {leg} {LIMIT}")}
        yield process


@contextmanager
def _running(name: str, folder: Path, verb: str) -> Iterator[IndexProcess]:
    process = IndexProcess(name, folder, _place(name, folder), verb)
    try:
        yield process
    finally:
        process.end()


def _place(name: str, folder: Path) -> Path:
    return folder / "indexes" / "".join(filter(str.isalnum, name))


def _time(result: Result, process: IndexProcess) -> None:
    for leg, rounds in result.times.items():
        rounds.append(process.ask(f"time {leg} {LIMIT}"))


def _recall(corpus: Corpus, process: IndexProcess, leg: str) -> float:
    found = process.ask(f"find {leg} {COMPARED}")
    exact = [corpus.exact(number, COMPARED, only_few=leg == "filtered") for number in range(QUESTIONS)]
    return sum(len(set(a) & b) for a, b in zip(found, exact, strict=True)) / (QUESTIONS * COMPARED)


def _table(size: int, results: list[Result]) -> Iterator[str]:
    yield f"\n## Indexes, {size:,} chunks of 384 dimensions (top {LIMIT}, median of {QUESTIONS} questions)\n"
    yield f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}"
    for result in results:
        legs = " | ".join(_number(result.typical(leg), ".1f") for leg in LEGS)
        recalls = ", ".join(_number(result.recalls.get(leg), ".3f") for leg in LEGS[:2])
        yield (
            f"| {result.name} | {size / result.written:,.0f} | {legs} | {recalls} | {min(result.starts):.2f} "
            f"| {result.memory:.0f} | {result.disk:.0f} |"
        )


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)
