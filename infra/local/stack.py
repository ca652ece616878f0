"""Stacks in the background, for `make up` and `make down` and for tests that start, kill and restart one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from infra.local.deploy import function_name
from infra.local.failures import StackFailure
from infra.local.options import Options, read_options
from infra.local.processes import REPOSITORY, keep_one_older, last_lines, python_environment
from infra.local.state import StateDirectory, Status
from infra.local.supervisor import log_path

START_SECONDS = 90.0
STOP_SECONDS = 30.0


def start(options: Options) -> Status:
    """Start a stack that outlives this process, and return once it answers.

    Raises:
        StackFailure: it cannot start, or one runs already with this state.
    """
    return _start(options, stdin=subprocess.DEVNULL)[0]


def _start(options: Options, *, stdin: int) -> tuple[Status, subprocess.Popen[bytes]]:
    state = StateDirectory(options.state_dir)
    state.prepare()
    if state.is_held():
        raise StackFailure(f"a stack runs already with its state in {state.path}")
    supervisor = _spawn(options, stdin)
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        status = state.read_status()
        if status.pid == supervisor.pid and status.phase == "ready":
            return status, supervisor
        if supervisor.poll() is not None:
            raise _why_not(state, supervisor.pid)
        time.sleep(0.03)
    supervisor.terminate()
    raise StackFailure(f"the stack did not start within {START_SECONDS:.0f} seconds; see {state.logs}")


def stop(state_dir: Path) -> bool:
    """Stop the stack that has its state in a folder, and return once it is gone; False if none runs.

    Raises:
        StackFailure: it does not end.
    """
    state = StateDirectory(state_dir)
    if not state.is_held():
        return False
    with suppress(ProcessLookupError):
        os.kill(state.read_status().pid, signal.SIGTERM)
    if not _wait_until(lambda: not state.is_held(), STOP_SECONDS):
        raise StackFailure(f"the stack (process {state.read_status().pid}) does not end; see {state.logs}")
    return True


class RunningStack:
    """A stack that a test has to itself, and that ends at the latest together with the test."""

    def __init__(self, options: Options) -> None:
        self.options = options
        # While this process holds the other end of the supervisor's standard input, the stack runs (see `lifeline`).
        self.status, self._supervisor = _start(options, stdin=subprocess.PIPE)

    @property
    def url(self) -> str:
        """Where the stack answers."""
        return self.options.url

    @property
    def emulator_url(self) -> str:
        """Where the emulated AWS answers."""
        return self.status.emulator_url

    @property
    def state_dir(self) -> Path:
        """The folder that outlives the stack."""
        return self.options.state_dir

    @property
    def pids(self) -> dict[str, int]:
        """The processes, by name: supervisor, emulator, embedder, front_door_server."""
        now = StateDirectory(self.state_dir).read_status()
        return {"supervisor": now.pid, **now.processes}

    def worker_pids(self, function: str) -> list[int]:
        """Return the processes that run a function, given by its folder's name, e.g. `embed`."""
        found = httpx.get(f"{self.emulator_url}/_local/workers", trust_env=False).json()
        pids: list[int] = found.get(function_name(function), [])
        return pids

    def kill_worker(self, function: str) -> int:
        """Kill a function's processes, in the middle of whatever they do; return how many there were."""
        return _send(signal.SIGKILL, self.worker_pids(function))

    def freeze_worker(self, function: str) -> int:
        """Halt a function's processes, of which one is started if there is none; return how many there are.

        What they are given next is surely still at work when they are killed.
        """
        params = {"function": [function_name(function)]}
        httpx.post(f"{self.emulator_url}/_local/warm", params=params, timeout=START_SECONDS, trust_env=False)
        return _send(signal.SIGSTOP, self.worker_pids(function))

    def kill(self, name: str) -> None:
        """Kill one of the processes in `pids`."""
        _send(signal.SIGKILL, [self.pids[name]])

    def kill_everything(self) -> None:
        """Kill all processes of the stack at once, the functions' too, and return once they are gone."""
        workers = httpx.get(f"{self.emulator_url}/_local/workers", trust_env=False).json()
        everything = [*self.pids.values(), *(pid for pids in workers.values() for pid in pids)]
        _send(signal.SIGKILL, everything)
        _wait_until(lambda: not any(map(_is_alive, everything)), STOP_SECONDS)

    def restart(self) -> None:
        """Stop the stack if it still runs, and start it again with the same state."""
        self.stop()
        self.status, self._supervisor = _start(self.options, stdin=subprocess.PIPE)

    def stop(self) -> None:
        """Stop the stack cleanly, if it runs."""
        stop(self.state_dir)
        self._supervisor.wait(STOP_SECONDS)


@contextmanager
def running_stack(state_dir: Path, environment: Mapping[str, str]) -> Iterator[RunningStack]:
    """Run a stack of its own for a test; `environment` holds settings such as `KB_PORT`, as `make up` takes them."""
    options = read_options({**environment, "KB_STATE_DIR": str(state_dir)})
    stack = RunningStack(options)
    try:
        yield stack
    finally:
        stack.stop()


def _spawn(options: Options, stdin: int) -> subprocess.Popen[bytes]:
    log = log_path(options.state_dir)
    keep_one_older(log)
    settings = {**options.settings, "KB_PORT": str(options.port), "KB_STATE_DIR": str(options.state_dir)}
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "infra.local", "supervise"],
            cwd=REPOSITORY,
            env={**python_environment(), **settings},
            stdin=stdin,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )


def _why_not(state: StateDirectory, pid: int) -> StackFailure:
    status = state.read_status()
    if status.pid == pid and status.message:
        return StackFailure(status.message)
    return StackFailure(f"the stack could not start:\n{last_lines(log_path(state.path))}")


def _wait_until(is_so: Callable[[], bool], seconds: float) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if is_so():
            return True
        time.sleep(0.03)
    return False


def _send(number: signal.Signals, pids: list[int]) -> int:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
    return len(pids)


def _is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and is not yet collected by its parent does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    with suppress(OSError):
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    return not Path("/proc").exists()
