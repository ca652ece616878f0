"""The processes that a stack is made of."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from infra.local.failures import StackFailure

REPOSITORY = Path(__file__).resolve().parents[2]
LAYER = REPOSITORY / "layers" / "core"
_NOT_INHERITED = ("KB_", "AWS_", "POWERTOOLS_")


class Child:
    """A module of ours that runs in a process of its own, and ends when this one does (see `lifeline`)."""

    def __init__(
        self,
        name: str,
        module: str,
        *arguments: str,
        log: Path,
        environment: Mapping[str, str],
        python: str = sys.executable,
    ) -> None:
        self.name = name
        self._log = log
        keep_one_older(log)
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [python, "-m", module, *arguments],
                cwd=REPOSITORY,
                env={**python_environment(), **environment},
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                # Ctrl-C reaches everything in the terminal's session; who ends when is the supervisor's to say.
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def tell(self, message: Mapping[str, Any]) -> None:
        """Send the process one line of JSON.

        Raises:
            StackFailure: it has ended.
        """
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe, see above
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self.failure() from None

    def failure(self) -> StackFailure:
        """Return what to tell a person about the process's end."""
        return StackFailure(
            f"the {self.name} ended by itself ({_ending(self._process.poll())}); "
            f"the last lines of {self._log}:\n{last_lines(self._log)}"
        )

    def ask_to_end(self) -> None:
        """Ask the process to end, without waiting for it."""
        if self.is_running:
            self._process.terminate()

    def wait(self, seconds: float) -> None:
        """Wait until the process has ended; it is killed if that takes too long."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def end_predecessors(pids: Iterable[int], seconds: float) -> None:
    """Wait until processes of a supervisor that was killed are gone, and kill those that are not."""
    left = [pid for pid in pids if _is_of_a_stack(pid)]
    until = time.monotonic() + seconds
    while left and time.monotonic() < until:
        time.sleep(0.05)
        left = [pid for pid in left if _is_of_a_stack(pid)]
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _is_of_a_stack(pid: int) -> bool:
    """Whether a process is one of ours; its number may have gone to another one since."""
    command = ["ps", "-ww", "-o", "stat=,command=", "-p", str(pid)]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return " infra.local." in found and not found.startswith("Z")


def python_environment() -> dict[str, str]:
    """Return the environment of our processes: what a person set for AWS or for the stack reaches none by accident."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_NOT_INHERITED)}
    own_hosts = ",".join(
        filter(None, [inherited.get("NO_PROXY", inherited.get("no_proxy", "")), "127.0.0.1,localhost"])
    )
    return {
        **inherited,
        "PYTHONPATH": os.pathsep.join([str(REPOSITORY), str(LAYER)]),
        "PYTHONUNBUFFERED": "1",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "NO_PROXY": own_hosts,
        "no_proxy": own_hosts,
    }


def take_own_environment() -> None:
    """Give this process the environment of our processes."""
    own = python_environment()
    os.environ.clear()
    os.environ.update(own)


def keep_one_older(log: Path) -> None:
    """Begin a log anew and keep the one before, so that logs do not grow for ever."""
    if log.exists() and log.stat().st_size:
        log.replace(log.with_name(f"{log.name}.1"))


def last_lines(log: Path, count: int = 15) -> str:
    """Return the end of a log, indented."""
    lines = log.read_text(errors="replace").splitlines()[-count:] if log.exists() else []
    return "\n".join(f"  {line}" for line in lines) or "  (nothing)"


def _ending(code: int | None) -> str:
    if code is None:
        return "still running"
    if code < 0:
        return f"by signal {signal.Signals(-code).name}"
    return f"with status {code}"
