from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from infra.local.failures import StackFailure
from infra.local.processes import REPOSITORY, Child, end_predecessors, keep_one_older, python_environment

SLEEPER = """
import sys, time
from infra.local import lifeline
lifeline.hold()
print("up", flush=True)
time.sleep(60)
"""

PARENT = """
import sys, time
from pathlib import Path
from infra.local.processes import Child
child = Child("sleeper", "sleeper", log=Path(sys.argv[1]), environment={})
print(child.pid, flush=True)
time.sleep(60)
"""


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose modules children can run."""
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    environment = python_environment()
    paths = os.pathsep.join([environment["PYTHONPATH"], str(tmp_path)])
    monkeypatch.setattr("infra.local.processes.python_environment", lambda: {**environment, "PYTHONPATH": paths})
    return tmp_path


def start(modules: Path, code: str | None = None) -> Child:
    if code is not None:
        (modules / "sleeper.py").write_text(code)
    return Child("sleeper", "sleeper", log=modules / "sleeper.log", environment={})


def wait_for_end(pid: int, seconds: float = 10) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_child_ends_when_it_is_asked_to(modules: Path) -> None:
    child = start(modules)

    child.ask_to_end()
    child.wait(5)

    assert not child.is_running


def test_child_that_ignores_the_request_is_killed(modules: Path) -> None:
    child = start(
        modules, "import signal, time\nsignal.signal(15, signal.SIG_IGN)\nprint('deaf', flush=True)\ntime.sleep(60)"
    )
    while "deaf" not in (modules / "sleeper.log").read_text():
        time.sleep(0.02)

    child.ask_to_end()
    child.wait(0.2)

    assert not child.is_running


def test_child_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    patched = PARENT.replace(
        "child =",
        f"import infra.local.processes as p; e = p.python_environment(); "
        f"e['PYTHONPATH'] += ':{tmp_path}'; p.python_environment = lambda: e\nchild =",
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", patched, str(tmp_path / "log")],
        cwd=REPOSITORY,
        env=python_environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())

    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()

    assert wait_for_end(pid)


def test_end_at_the_start_is_told_with_the_last_lines_of_the_log(modules: Path) -> None:
    child = start(modules, "print('reading'); raise SystemExit('the model is not there')")
    child.wait(10)

    failure = str(child.failure())

    assert "the sleeper ended by itself (with status 1)" in failure
    assert "the model is not there" in failure


def test_killed_child_is_told_with_its_signal(modules: Path) -> None:
    child = start(modules)

    os.kill(child.pid, signal.SIGKILL)
    child.wait(10)

    assert "by signal SIGKILL" in str(child.failure())


def test_telling_a_child_that_has_ended_fails_with_the_reason(modules: Path) -> None:
    child = start(modules, "raise SystemExit('gone')")
    child.wait(10)

    with pytest.raises(StackFailure, match="gone"):
        child.tell({"a": 1})


def test_log_of_the_run_before_is_kept_and_the_one_before_that_is_not(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    for number in range(3):
        keep_one_older(log)
        log.write_text(f"run {number}")

    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {"x.log": "run 2", "x.log.1": "run 1"}


def test_own_processes_do_not_inherit_what_a_person_set_for_aws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "production")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "https://elsewhere.example")
    monkeypatch.setenv("KB_LLM_ENDPOINTS", "[]")
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv("NO_PROXY", "intranet.example")

    environment = python_environment()

    assert "AWS_PROFILE" not in environment
    assert "AWS_ENDPOINT_URL_S3" not in environment
    assert "KB_LLM_ENDPOINTS" not in environment
    assert environment["HTTP_PROXY"] == "http://proxy.example:3128"
    assert environment["NO_PROXY"] == "intranet.example,127.0.0.1,localhost"


def test_processes_that_a_killed_supervisor_left_are_waited_for_and_then_killed(modules: Path) -> None:
    deaf = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)"
    own = subprocess.Popen([sys.executable, "-c", deaf, "-m", "infra.local.emulator"])
    other = start(modules, "import time\ntime.sleep(60)")

    end_predecessors([own.pid, other.pid, 2**22 + 1], seconds=0.3)

    assert own.wait(5) == -signal.SIGKILL
    assert other.is_running
    other.ask_to_end()
    other.wait(5)
