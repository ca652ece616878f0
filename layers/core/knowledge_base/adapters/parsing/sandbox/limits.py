"""What a file may cost: time and memory, and the limits that the system holds a process to."""

from __future__ import annotations

import re
import resource
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from knowledge_base.settings import MEGABYTE

_STATM = Path("/proc/self/statm")
_STATUS = Path("/proc/self/status")
_PEAK = re.compile(r"VmPeak:\s+(\d+) kB")


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of reading one file.

    `seconds` is how long a reader may go on without progress worth the time, `most_seconds` how long in all.
    `memory` is how many bytes a child may hold resident, the memory that it shares with its parent included.
    """

    seconds: float = 25.0
    most_seconds: float = 120.0
    memory: int = 512 * MEGABYTE

    def apply(self) -> None:
        """Bound this process for good: its memory, its processor time, no core dump and no file written."""
        space = _mapped() + max(0, self.memory - _resident())
        resource.setrlimit(resource.RLIMIT_AS, (space, space))
        processor = ceil(self.most_seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (processor + 1, processor + 2))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    def ran_short(self) -> bool:
        """Return whether this process, once bounded, has used half of the memory it may, or more.

        Libraries ask for twice of what they have when they need more, and do not all say that it was refused.
        """
        space, _ = resource.getrlimit(resource.RLIMIT_AS)
        most = int(_PEAK.search(_STATUS.read_text()).group(1)) * 1024  # type: ignore[union-attr]
        return space - most < self.memory // 2


def _mapped() -> int:
    """Return the bytes of address space in use.

    Linux bounds no process's resident memory (`RLIMIT_RSS` has no effect), but its address space: what a
    process can map anew from here on bounds what it can hold.
    """
    return _pages(0)


def _resident() -> int:
    return _pages(1)


def _pages(field: int) -> int:
    return int(_STATM.read_text().split()[field]) * resource.getpagesize()
