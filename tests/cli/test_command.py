"""`kb` as a process: what it says of itself, terminals of every kind, and Ctrl-C."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import shlex
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from knowledge_base_cli import __version__
from tests.cli.calling import Kb
from tests.cli.deployment import KEY, Deployment
from tests.cli.test_ask import DONE, references, uran

KB = (sys.executable, "-m", "knowledge_base_cli")


def environment(deployment: Deployment, **more: str) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES", "CI")}
    return {**clean, "KB_URL": deployment.url, "KB_KEY": KEY, "TERM": "xterm-256color", **more}


def on_a_terminal(
    deployment: Deployment, *arguments: str, columns: int = 80, typed: bytes = b"", **more: str
) -> tuple[int, str]:
    """Run `kb` on a terminal of so many columns; return its exit code and everything that was drawn."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(sys.executable, [*KB, *arguments], environment(deployment, **more))
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    os.write(terminal, typed)
    drawn = b""
    while piece := _read(terminal):
        drawn += piece
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), drawn.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.01)


def folder_of(tmp_path: Path, count: int) -> str:
    for number in range(count):
        (tmp_path / f"file {number}.txt").write_text(f"text {number}")
    return str(tmp_path)


def test_it_tells_its_version(kb: Kb) -> None:
    assert kb("--version").out == f"kb {__version__}\n"


@pytest.mark.parametrize("command", ["ingest", "ask", "status", "delete"])
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_every_command_explains_itself(kb: Kb, command: str, flag: str) -> None:
    done = kb(command, flag)

    assert done.exit_code == 0
    assert "KB_URL" in done.out
    assert "KB_KEY" in done.out


@pytest.mark.parametrize(
    "arguments",
    [("ingest", "x"), ("ask", "why?"), ("delete", "x"), ("ingest", "--kb", "k"), ("nothing",), ("ask", "--nothing")],
)
def test_a_call_that_lacks_something_is_wrong_use(kb: Kb, arguments: tuple[str, ...]) -> None:
    done = kb(*arguments)

    assert done.exit_code == 2
    assert "Traceback" not in done.err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_are_given_completion(shell: str) -> None:
    asked = {**os.environ, "_KB_COMPLETE": "complete_bash", "COMP_WORDS": "kb in", "COMP_CWORD": "1"}
    command = "from knowledge_base_cli.app import main; main()"
    done = subprocess.run([sys.executable, "-c", command], env=asked, capture_output=True, text=True, check=False)
    script = subprocess.run([*KB, "--show-completion", shell], capture_output=True, text=True, check=False)

    assert done.stdout.split() == ["ingest"]
    assert "kb" in script.stdout


def test_a_terminal_shows_bars_while_it_goes_and_a_table_at_the_end(deployment: Deployment, tmp_path: Path) -> None:
    code, drawn = on_a_terminal(deployment, "ingest", folder_of(tmp_path, 3), "--kb", "k")

    assert code == 0
    assert "of 3 done" in drawn
    assert "embedding" in drawn
    assert "━" in drawn
    assert "3 ready" in drawn.splitlines()[-1]


def test_no_color_is_respected(deployment: Deployment, tmp_path: Path) -> None:
    arguments = ("ingest", folder_of(tmp_path, 1), "--kb", "k")

    _, colourful = on_a_terminal(deployment, *arguments)
    _, plain = on_a_terminal(deployment, *arguments, NO_COLOR="1")

    assert "\x1b[3" in colourful
    assert "\x1b[3" not in plain


@pytest.mark.parametrize("columns", [20, 40])
def test_a_narrow_terminal_gets_lines_that_fit(deployment: Deployment, tmp_path: Path, columns: int) -> None:
    deployment.failures["file 0.txt"] = ("no_text", "the file holds only images and nothing that can be read")

    code, drawn = on_a_terminal(
        deployment, "ingest", folder_of(tmp_path, 2), "--kb", "k", columns=columns, NO_COLOR="1"
    )

    lines = [line.rstrip() for line in re.split(r"[\r\n]+", re.sub(r"\x1b\[[?0-9;]*[a-zA-Z]", "", drawn))]
    assert code == 1
    assert any("1 failed" in line for line in lines)
    assert max(map(len, lines)) <= columns


def test_a_terminal_that_cannot_move_its_cursor_gets_no_bars(deployment: Deployment, tmp_path: Path) -> None:
    _, drawn = on_a_terminal(deployment, "ingest", folder_of(tmp_path, 1), "--kb", "k", TERM="dumb")

    assert "━" not in drawn
    assert "1 ready" in drawn


@pytest.mark.parametrize(("answer", "is_deleted"), [(b"y\n", True), (b"\n", False), (b"n\n", False)])
def test_a_deletion_is_confirmed_first(
    deployment: Deployment, kb: Kb, tmp_path: Path, answer: bytes, is_deleted: bool
) -> None:
    kb("ingest", folder_of(tmp_path, 1), "--kb", "k")

    code, drawn = on_a_terminal(deployment, "delete", "file 0.txt", "--kb", "k", typed=answer)

    assert "Delete 'file 0.txt' from 'k'?" in drawn
    assert (deployment.documents == {}) is is_deleted
    assert (code == 0) is is_deleted


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_an_encoding_without_the_characters_is_no_error(deployment: Deployment, tmp_path: Path, encoding: str) -> None:
    (tmp_path / "储物柜.txt").write_text("text")
    command = [*KB, "ingest", str(tmp_path), "--kb", "k"]
    settings = environment(deployment, PYTHONIOENCODING=encoding)

    table = subprocess.run(command, env=settings, capture_output=True, check=False)
    lines = subprocess.run([*command, "--json"], env=settings, capture_output=True, check=False)

    assert (table.returncode, lines.returncode) == (0, 0), table.stderr
    assert "储物柜.txt" in json.loads(lines.stdout.decode(encoding))["name"]


@pytest.mark.parametrize("as_json", [False, True])
def test_ctrl_c_ends_at_once_and_says_what_was_uploaded(deployment: Deployment, tmp_path: Path, as_json: bool) -> None:
    deployment.stuck = True
    command = [*KB, "ingest", folder_of(tmp_path, 9), "--kb", "k", "--jobs", "1", *(["--json"] if as_json else [])]
    with subprocess.Popen(
        command, env=environment(deployment), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        until(lambda: len(deployment.uploaded) >= 2)
        deployment.bucket_opens.clear()
        until(lambda: deployment.at_once == 1)
        uploaded = len(deployment.uploaded)
        began = time.monotonic()
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=20)
    deployment.bucket_opens.set()

    assert running.returncode == 130
    assert time.monotonic() - began < 5
    assert f"{9 - uploaded} files were not uploaded; {uploaded} were" in err
    assert "Traceback" not in err
    assert out.count("uploaded") - out.count("not uploaded") >= 1
    if as_json:
        assert len(out.splitlines()) == 9


def test_ctrl_c_during_an_answer_cancels_it(deployment: Deployment) -> None:
    deployment.frames = [uran("3.0", content=f"word {number} ") for number in range(5000)]
    with subprocess.Popen(
        [*KB, "ask", "why?", "--kb", "k"],
        env=environment(deployment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout
        assert running.stdout.read(5) == "word "
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=20)

    assert running.returncode == 130
    assert "cancelled" in err
    assert "Traceback" not in err
    assert len(deployment.called("DELETE", "/answers/token-1")) == 1


def test_an_answer_is_written_while_it_comes(deployment: Deployment) -> None:
    deployment.frames = [uran("3.0", content="First. "), *[": heartbeat\n\n"] * 200, references(), DONE]
    with subprocess.Popen(
        [*KB, "ask", "why?", "--kb", "k"], env=environment(deployment), stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout
        assert running.stdout.read(7) == "First. "
        assert running.poll() is None
        running.communicate(timeout=20)


def test_a_reader_of_lines_that_leaves_ends_the_rest_without_a_traceback(
    deployment: Deployment, tmp_path: Path
) -> None:
    command = shlex.join([*KB, "ingest", str(folder_of(tmp_path, 30)), "--kb", "k", "--json"]) + " | head -n 1"
    done = subprocess.run(
        ["sh", "-c", command], env=environment(deployment), capture_output=True, text=True, check=False
    )

    assert json.loads(done.stdout)["result"] == "ready"
    assert "Traceback" not in done.stderr


def test_a_reader_of_an_answer_that_leaves_is_no_error_worth_a_traceback(deployment: Deployment) -> None:
    deployment.frames = [uran("3.0", content="text " * 40_000), *[uran("3.1", content="more")] * 50, references(), DONE]
    command = shlex.join([*KB, "ask", "why?", "--kb", "k"]) + " | head -c 4"
    done = subprocess.run(
        ["sh", "-c", command], env=environment(deployment), capture_output=True, text=True, check=False
    )

    assert done.stdout == "text"
    assert "Traceback" not in done.stderr
