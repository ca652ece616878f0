"""The process in which one reader reads one file set: `python -m … READER FOLDER TEXTS`.

On standard input come commands, a line each: `read` writes what the reader makes of every file to TEXTS, in JSON;
`time N` reads the whole set N times. Each is answered by a line of JSON with the seconds that one reading of the
set took, by the clock (`wall`) and by the processor (`cpu`); the end of the input by one with the peak of memory.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.bench.public_readers.reader import Paged, Read, Structured, written
from tests.bench.public_readers.registry import reader_named

_TICKS = os.sysconf("SC_CLK_TCK")
_MEGABYTE = 1 << 20


def main(name: str, folder: Path, texts: Path) -> None:
    """Answer commands until standard input ends."""
    replies = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    files = [(path, path.read_bytes()) for path in sorted(folder.iterdir()) if path.is_file()]
    read = reader_named(name).make()
    for command in sys.stdin:
        verb, _, times = command.strip().partition(" ")
        found: dict[str, str | Paged | Structured | None] = {}
        spent = _spent(read, files, int(times or 1), found)
        if verb == "read":
            as_text = {name: None if text is None else written(text) for name, text in found.items()}
            texts.write_text(json.dumps(as_text), encoding="utf-8", errors="replace")
        replies.write(json.dumps(spent) + "\n")
    del read
    replies.write(json.dumps({"peak": _peak_megabytes()}) + "\n")


def _spent(read: Read, files: list[tuple[Path, bytes]], times: int, found: dict[str, Any]) -> dict[str, float]:
    wall, cpu = time.perf_counter(), _processor_seconds()
    for _ in range(times):
        for path, content in files:
            found[path.name] = _attempt(read, path, content)
    wall, cpu = time.perf_counter() - wall, _processor_seconds() - cpu
    return {"wall": wall / times, "cpu": cpu / times}


def _attempt(read: Read, path: Path, content: bytes) -> str | Paged | Structured | None:
    try:
        return read(path, content)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 - readers in Rust panic with an exception that is no Exception
        return None


def _processor_seconds() -> float:
    """Return what this process has used, with its children, whether they have ended or not."""
    own, ended = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    running = sum(_seconds_of(child) for child in _children())
    return own.ru_utime + own.ru_stime + ended.ru_utime + ended.ru_stime + running


def _children() -> list[str]:
    lists = (path.read_text() for path in Path("/proc/self/task").glob("*/children"))
    return [child for found in lists for child in found.split()]


def _seconds_of(process: str) -> float:
    """Return the seconds of a child and of its own children that have ended."""
    with suppress(OSError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / _TICKS
    return 0.0


def _peak_megabytes() -> float:
    """Return the most memory that this process, or a child that has ended, has held at once."""
    _end_children()
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    return max(_own_peak(), children) / _MEGABYTE


def _end_children() -> None:
    """End a sandbox, whose memory is known only when it has ended."""
    for child in _children():
        with suppress(OSError):
            os.kill(int(child), 15)
            os.waitpid(int(child), 0)


def _own_peak() -> int:
    """`ru_maxrss` would count the process that started this one."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
