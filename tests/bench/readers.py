"""How fast documents are read beside public readers, file set by file set, and how much of their words is found.

`KB_BENCH_FILES=/folder` measures with files of one's own, a set for each folder in it, instead of the made ones;
`KB_BENCH_SETS='pdf*'` and `KB_BENCH_READERS='ours*,kreuzberg'` choose among sets and readers,
`KB_BENCH_ROUNDS` says how often each set is read.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from fnmatch import fnmatch
from math import ceil
from pathlib import Path
from types import TracebackType

from tests.bench.public_readers.reader import OURS_IN_SANDBOX, Reader
from tests.bench.public_readers.registry import READERS
from tests.bench.reader_facets import Facet, shares
from tests.bench.reader_quality import Quality, Texts, against_each_other, against_known
from tests.bench.reader_tables import NOTE, Run, SetResult, details, summary

ENVIRONMENT = ".venv-bench"
REQUIREMENTS = "tests/bench/requirements.txt"
ROUNDS = int(os.environ.get("KB_BENCH_ROUNDS", "7"))
LEAST_SECONDS, MOST_TIMES = 0.25, 100
"""A round reads a small set again and again, until so many seconds are filled; a slow reader has one round only."""
SLOW_SECONDS = 5.0
PATIENCE_SECONDS = 300.0


class ReaderLost(Exception):
    """The process of a reader has crashed, or hangs."""


class ReaderProcess:
    """A reader in a process of its own, with one file set."""

    def __init__(self, reader: Reader, folder: Path, scratch: Path) -> None:
        self.run = Run(reader)
        self.texts: Texts = {}
        self._found, self._errors = scratch / "texts.json", scratch / "errors"
        self._times, self._is_slow = 1, False
        python = sys.executable if reader.is_ours else f"{ENVIRONMENT}/bin/python"
        with self._errors.open("w") as errors:
            self._process = subprocess.Popen(
                [python, "-m", "tests.bench.reader_process", reader.name, str(folder), str(self._found)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )

    def __enter__(self) -> ReaderProcess:
        return self

    def __exit__(self, _kind: type | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        self._process.kill()
        with self._process:
            pass

    def warm_up(self) -> None:
        """Read the set once and keep the texts; a second reading tells how many fill a round, or is the only one."""
        self._ask("read")
        self.texts = json.loads(self._found.read_text(encoding="utf-8"))
        spent = self._ask("time 1")
        self._times = min(MOST_TIMES, ceil(LEAST_SECONDS / max(spent["wall"], 0.001)))
        self._is_slow = spent["wall"] > SLOW_SECONDS
        if self._is_slow:
            self._note(spent)

    def time(self) -> None:
        """Measure one round, unless the reader is slow."""
        if not self._is_slow:
            self._note(self._ask(f"time {self._times}"))

    def end(self) -> None:
        """End the process and note the peak of its memory."""
        if self._process.stdin:
            self._process.stdin.close()
        self.run.peak = self._reply()["peak"]

    def _note(self, spent: dict[str, float]) -> None:
        self.run.cpu.append(max(spent["cpu"], 1e-6))
        self.run.wall.append(spent["wall"])

    def _ask(self, command: str) -> dict[str, float]:
        try:
            if self._process.stdin:
                self._process.stdin.write(f"{command}\n")
                self._process.stdin.flush()
        except BrokenPipeError as error:
            raise self._loss() from error
        return self._reply()

    def _reply(self) -> dict[str, float]:
        output = self._process.stdout
        if output is None or not select.select([output], [], [], PATIENCE_SECONDS)[0]:
            raise self._loss()
        line = output.readline()
        if not line:
            raise self._loss()
        reply: dict[str, float] = json.loads(line)
        return reply

    def _loss(self) -> ReaderLost:
        last = self._errors.read_text(errors="replace").strip().rpartition("\n")[2]
        return ReaderLost(f"{self.run.reader.name} ({last})" if last else self.run.reader.name)


class _Sets:
    """The file sets in a folder: `files/<set>` with what they say beside them, or the folders of a foreign folder."""

    def __init__(self, root: Path, *, is_foreign: bool) -> None:
        self._root, self._is_foreign = root, is_foreign

    def folders(self) -> list[Path]:
        """Return the folder of each chosen set."""
        root = self._root if self._is_foreign else self._root / "files"
        chosen = os.environ.get("KB_BENCH_SETS", "*")
        return [folder for folder in sorted(root.iterdir()) if folder.is_dir() and fnmatch(folder.name, chosen)]

    def judge(self, folder: Path, texts: dict[str, Texts]) -> dict[str, Quality]:
        """Return the quality of each reader's texts."""
        names = [path.name for path in _files(folder)]
        if self._is_foreign:
            return against_each_other(texts, names, twins=(OURS_IN_SANDBOX,))
        known, unwanted = (
            {name: (self._root / kind / folder.name / name).read_text(encoding="utf-8") for name in names}
            for kind in ("known", "unwanted")
        )
        facets = {name: self._facets(folder, name) for name in names}
        return {
            reader: replace(against_known(found, known, unwanted), facets=shares(found, facets))
            for reader, found in texts.items()
        }

    def _facets(self, folder: Path, name: str) -> list[Facet]:
        listed = json.loads((self._root / "facets" / folder.name / name).read_text(encoding="utf-8"))
        return [Facet(*facet) for facet in listed]


def report() -> None:
    """Print a table for each file set, and one of all."""
    subprocess.run(["infra/local/setup.sh", ENVIRONMENT, REQUIREMENTS], check=True)
    print(f"\n## Reading documents, beside public readers\n\n{NOTE}")
    with tempfile.TemporaryDirectory() as folder:
        results = []
        for result in _results(_sets(Path(folder))):
            results.append(result)
            print(*details(result), sep="\n", flush=True)
    print(*summary(results), sep="\n", flush=True)


def _sets(scratch: Path) -> _Sets:
    own = os.environ.get("KB_BENCH_FILES", "")
    if own:
        return _Sets(Path(own), is_foreign=True)
    chosen = os.environ.get("KB_BENCH_SETS", "*")
    subprocess.run([f"{ENVIRONMENT}/bin/python", "-m", "tests.bench.reader_files", str(scratch), chosen], check=True)
    return _Sets(scratch, is_foreign=False)


def _results(sets: _Sets) -> Iterator[SetResult]:
    for folder in sets.folders():
        files = _files(folder)
        processes, lost = _measure(folder, _readers_of(files))
        qualities = sets.judge(folder, {process.run.reader.name: process.texts for process in processes})
        for process in processes:
            process.run.quality = qualities[process.run.reader.name]
        size = sum(path.stat().st_size for path in files)
        yield SetResult(folder.name, len(files), size, [process.run for process in processes], lost)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file())


def _readers_of(files: Sequence[Path]) -> list[Reader]:
    chosen = os.environ.get("KB_BENCH_READERS", "*")
    readers = [reader for reader in READERS if all(reader.reads(path) for path in files)]
    return [reader for reader in readers if any(fnmatch(reader.name, name) for name in chosen.split(","))]


def _measure(folder: Path, readers: Sequence[Reader]) -> tuple[list[ReaderProcess], list[str]]:
    """Time all readers in turn, forwards and backwards; return those that came through, and the names of others."""
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        processes: list[ReaderProcess] = []
        lost: list[str] = []
        for place, reader in enumerate(readers):
            private = Path(scratch) / str(place)
            private.mkdir()
            processes.append(stack.enter_context(ReaderProcess(reader, folder, private)))
            _keep_living(processes, processes[-1:], "warm_up", lost)
        for number in range(ROUNDS):
            _keep_living(processes, processes[:: -1 if number % 2 else 1], "time", lost)
        _keep_living(processes, processes[:], "end", lost)
    return processes, lost


def _keep_living(processes: list[ReaderProcess], chosen: Sequence[ReaderProcess], step: str, lost: list[str]) -> None:
    for process in chosen:
        try:
            getattr(process, step)()
        except ReaderLost as error:
            processes.remove(process)
            lost.append(str(error))
