from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from infra.local.ports import free_port
from infra.local.processes import REPOSITORY, python_environment
from infra.local.state import StateDirectory


def command(word: str, state: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {**python_environment(), "KB_STATE_DIR": str(state), **settings}
    run = [sys.executable, "-m", "infra.local", word]
    return subprocess.run(run, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False, timeout=60)


def test_up_on_a_taken_port_names_the_port_and_leaves_nothing_running(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        done = command("up", tmp_path, KB_PORT=str(port))

    assert done.returncode == 1
    assert f"port {port} is taken by process {os.getpid()}" in done.stderr
    assert "Traceback" not in done.stderr
    assert not StateDirectory(tmp_path).is_held()


def test_up_with_an_unreadable_setting_names_it(tmp_path: Path) -> None:
    done = command("up", tmp_path, KB_LLM_ENDPOINTS="gpt")

    assert done.returncode == 1
    assert "KB_LLM_ENDPOINTS" in done.stderr
    assert "Traceback" not in done.stderr


def test_up_with_the_state_of_another_version_refuses(tmp_path: Path) -> None:
    (tmp_path / "FORMAT").write_text("0")

    done = command("up", tmp_path)

    assert done.returncode == 1
    assert "another version" in done.stderr


def test_up_while_a_stack_runs_says_where(tmp_path: Path) -> None:
    holder = _hold(tmp_path)
    try:
        done = command("up", tmp_path)
    finally:
        holder.kill()
        holder.wait()

    assert done.returncode == 0
    assert "runs already at http://127.0.0.1:1" in done.stdout


def test_up_with_other_settings_while_a_stack_runs_refuses(tmp_path: Path) -> None:
    holder = _hold(tmp_path, settings="of another stack")
    try:
        done = command("up", tmp_path)
    finally:
        holder.kill()
        holder.wait()

    assert done.returncode == 1
    assert "with other settings" in done.stderr


def test_down_without_a_stack_says_so(tmp_path: Path) -> None:
    done = command("down", tmp_path)

    assert done.returncode == 0
    assert "No stack runs here" in done.stdout


def test_down_after_a_kill_is_not_fooled_by_what_was_left(tmp_path: Path) -> None:
    holder = _hold(tmp_path)
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()

    assert "No stack runs here" in command("down", tmp_path).stdout
    assert command("status", tmp_path).stdout.strip() == "stopped"


def test_interrupted_start_leaves_nothing_running(tmp_path: Path) -> None:
    environment = {**python_environment(), "KB_STATE_DIR": str(tmp_path), "KB_PORT": str(free_port())}
    run = [sys.executable, "-m", "infra.local", "supervise"]
    pipes = {"stdin": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    supervisor = subprocess.Popen(run, cwd=REPOSITORY, env=environment, **pipes)  # type: ignore[call-overload]
    state = StateDirectory(tmp_path)
    while not state.read_status().processes:
        time.sleep(0.01)
    children = state.read_status().processes.values()

    supervisor.send_signal(signal.SIGTERM)
    supervisor.communicate(timeout=20)

    assert not any(Path(f"/proc/{pid}").exists() for pid in children)
    assert not state.is_held()


def test_unknown_command_lists_the_known_ones(tmp_path: Path) -> None:
    done = command("start", tmp_path)

    assert done.returncode == 2
    assert "up|down" in done.stderr


def _hold(state: Path, settings: str = "") -> subprocess.Popen[str]:
    """Be a supervisor in another process."""
    code = (
        "import sys, os; from pathlib import Path; from infra.local.state import *;"
        "s = StateDirectory(Path(sys.argv[1])); s.prepare(); assert s.acquire();"
        "status = Status('ready', pid=os.getpid(), url='http://127.0.0.1:1', settings=sys.argv[2]);"
        "s.write_status(status); print('held', flush=True);"
        "sys.stdin.read()"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    run = [sys.executable, "-c", code, str(state), settings]
    holder: subprocess.Popen[str] = subprocess.Popen(run, cwd=REPOSITORY, env=python_environment(), **pipes)  # type: ignore[call-overload]
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def test_stack_of_a_test_that_was_killed_ends_too(tmp_path: Path) -> None:
    environment = {**python_environment(), "KB_STATE_DIR": str(tmp_path), "KB_PORT": str(free_port())}
    run = [sys.executable, "-m", "infra.local", "supervise"]
    supervisor = subprocess.Popen(run, cwd=REPOSITORY, env=environment, stdin=subprocess.PIPE)
    while not StateDirectory(tmp_path).read_status().processes:
        time.sleep(0.01)

    assert supervisor.stdin is not None
    supervisor.stdin.close()

    supervisor.wait(20)
    assert not StateDirectory(tmp_path).is_held()
