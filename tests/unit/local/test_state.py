from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from infra.local.failures import StackFailure
from infra.local.processes import REPOSITORY, python_environment
from infra.local.state import StateDirectory, Status

HOLD = """
import sys, os
from pathlib import Path
from infra.local.state import StateDirectory, Status
state = StateDirectory(Path(sys.argv[1]))
state.prepare()
assert state.acquire()
state.write_status(Status("ready", pid=os.getpid(), url="http://127.0.0.1:1"))
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def another_process_holds(path: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", HOLD, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=REPOSITORY, env=python_environment(), **pipes) as process:  # type: ignore[call-overload]
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def prepared(path: Path) -> StateDirectory:
    state = StateDirectory(path)
    state.prepare()
    return state


def test_state_without_a_supervisor_is_stopped_and_free(tmp_path: Path) -> None:
    state = prepared(tmp_path)

    assert state.read_status().phase == "stopped"
    assert not state.is_held()
    assert state.acquire()


def test_state_of_a_live_supervisor_cannot_be_taken(tmp_path: Path) -> None:
    with another_process_holds(tmp_path) as holder:
        state = prepared(tmp_path)

        assert state.is_held()
        assert not state.acquire()
        assert state.read_status() == Status("ready", pid=holder.pid, url="http://127.0.0.1:1")


def test_state_of_a_killed_supervisor_is_free_and_its_last_word_is_not_believed(tmp_path: Path) -> None:
    with another_process_holds(tmp_path) as holder:
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
        state = prepared(tmp_path)

        assert not state.is_held()
        assert state.read_status().phase == "stopped"
        assert state.acquire()


def test_looking_whether_it_is_held_does_not_hold_it(tmp_path: Path) -> None:
    watcher, taker = prepared(tmp_path), StateDirectory(tmp_path)
    (tmp_path / "stack.lock").touch()

    assert not watcher.is_held()
    assert taker.acquire()


def test_failure_is_told_after_its_supervisor_is_gone(tmp_path: Path) -> None:
    state = prepared(tmp_path)

    state.write_status(Status("failed", pid=1, message="port 8000 is taken"))

    assert state.read_status().message == "port 8000 is taken"


def test_half_written_status_counts_as_none(tmp_path: Path) -> None:
    state = prepared(tmp_path)
    (tmp_path / "stack.json").write_text('{"phase": "rea')

    assert state.read_status().phase == "stopped"


def test_state_of_another_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "FORMAT").write_text("0")

    with pytest.raises(StackFailure, match="another version"):
        prepared(tmp_path)
    assert (tmp_path / "FORMAT").read_text() == "0"


def test_state_where_a_file_stands_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(StackFailure, match="cannot be used"):
        prepared(tmp_path / "file")
