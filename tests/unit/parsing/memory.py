"""How much memory processes hold, as Linux counts it: pages that several share count once."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType

_SANDBOX = b"knowledge_base.adapters.parsing.sandbox.process"


class PeakMemory:
    """Watches the processes that read files for as long as the context lasts; `bytes` is the most they held.

    Whatever else other tests have started below this process (a search engine, an embedder) does not count.
    """

    def __init__(self) -> None:
        self.bytes = 0
        self._ends = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> PeakMemory:
        self._watcher.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._ends.set()
        self._watcher.join()

    def _watch(self) -> None:
        while not self._ends.is_set():
            self.bytes = max(self.bytes, sum(map(_held, _readers())))
            time.sleep(0.01)


def _readers() -> list[Path]:
    return [process for process in _descendants(Path("/proc/self")) if _reads_files(process)]


def _reads_files(process: Path) -> bool:
    with suppress(OSError):
        return _SANDBOX in (process / "cmdline").read_bytes()
    return False


def _descendants(process: Path) -> list[Path]:
    children: list[Path] = []
    with suppress(OSError):
        for task in (process / "task").iterdir():
            children += (Path("/proc") / child for child in (task / "children").read_text().split())
    return [*children, *(below for child in children for below in _descendants(child))]


def _held(process: Path) -> int:
    with suppress(OSError):
        for line in (process / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0
