"""The folder that holds everything a local stack keeps: its data, its logs, and who runs it."""

from __future__ import annotations

import fcntl
import json
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO

from infra.local.failures import StackFailure

FORMAT = "1"
"""Raised whenever older state cannot be read any more."""

_LOCK_TRIES = 10
"""Somebody who only looks whether the lock is held holds it for an instant himself."""


@dataclass(frozen=True, slots=True)
class Status:
    """What a supervisor tells about its stack; `phase` is starting, ready, failed or stopped."""

    phase: str
    pid: int = 0
    url: str = ""
    emulator_url: str = ""
    message: str = ""
    settings: str = ""
    processes: dict[str, int] = field(default_factory=dict)


class StateDirectory:
    """The state of one stack; at most one supervisor holds it at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.logs = path / "logs"
        self.emulator = path / "emulator"
        self.index = path / "index"
        self._status = path / "stack.json"
        self._lock: IO[str] | None = None

    def prepare(self) -> None:
        """Make the folders.

        Raises:
            StackFailure: they cannot be made, or hold the state of another version.
        """
        try:
            for folder in (self.logs, self.emulator, self.index):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StackFailure(f"{self.path} cannot be used for the stack's state: {error.strerror}") from error
        stamp = self.path / "FORMAT"
        if not stamp.exists():
            stamp.write_text(FORMAT)
        elif stamp.read_text().strip() != FORMAT:
            raise StackFailure(
                f"{self.path} holds the state of another version; move it away, or delete it by `make clean`"
            )

    def acquire(self) -> bool:
        """Take the state for this process until it ends, however it ends; False if another one has it."""
        lock = (self.path / "stack.lock").open("w")
        for _ in range(_LOCK_TRIES):
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(0.02)
            else:
                self._lock = lock
                return True
        lock.close()
        return False

    @property
    def is_ours(self) -> bool:
        """Whether this process has taken the state."""
        return self._lock is not None

    def is_held(self) -> bool:
        """Whether a supervisor that is alive has the state: a lock dies with its process, a pid file does not."""
        try:
            with (self.path / "stack.lock").open("r") as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except BlockingIOError:
            return True
        return False

    def read_status(self) -> Status:
        """Return what the last supervisor told; `stopped` if there was none or it has ended without a word."""
        try:
            status = Status(**json.loads(self._status.read_text()))
        except (OSError, ValueError, TypeError):
            return Status("stopped")
        return status if self.is_held() or status.phase == "failed" else replace(status, phase="stopped")

    def write_status(self, status: Status) -> None:
        """Tell others, in one step, so that nobody reads half of it."""
        draft = self._status.with_suffix(".draft")
        draft.write_text(json.dumps(asdict(status), indent=2))
        draft.replace(self._status)
