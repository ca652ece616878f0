from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from infra.local.processes import REPOSITORY

SETUP = REPOSITORY / "infra" / "local" / "setup.sh"


def executable(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def requirements(tmp_path: Path) -> Path:
    path = tmp_path / "requirements.txt"
    path.write_text("# nothing\n")
    return path


def set_up(tmp_path: Path, requirements: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = ["sh", str(SETUP), str(tmp_path / "venv"), str(requirements)]
    return subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)


def test_python_that_is_too_old_is_refused_with_what_is_needed(tmp_path: Path, requirements: Path) -> None:
    old = executable(tmp_path / "python3", "#!/bin/sh\nexit 1\n")

    done = set_up(tmp_path, requirements, PYTHON=str(old))

    assert done.returncode == 1
    assert "needs Python 3.11 or later" in done.stderr
    assert not (tmp_path / "venv").exists()


def test_python_without_venv_is_told(tmp_path: Path, requirements: Path) -> None:
    bare = executable(tmp_path / "python3", '#!/bin/sh\n[ "$1" = -m ] && exit 1\nexit 0\n')

    done = set_up(tmp_path, requirements, PYTHON=str(bare))

    assert done.returncode == 1
    assert "python3-venv" in done.stderr


def test_environment_is_installed_once_and_again_when_the_requirements_change(
    tmp_path: Path, requirements: Path
) -> None:
    calls = tmp_path / "calls"
    executable(tmp_path / "venv" / "bin" / "python", f'#!/bin/sh\necho "$@" >> {calls}\n')

    for _ in range(2):
        assert set_up(tmp_path, requirements).returncode == 0
    assert len(calls.read_text().splitlines()) == 1
    assert "--require-hashes" in calls.read_text()

    requirements.write_text("# something\n")
    set_up(tmp_path, requirements)
    assert len(calls.read_text().splitlines()) == 2


def test_failed_installation_is_tried_again(tmp_path: Path, requirements: Path) -> None:
    python = executable(tmp_path / "venv" / "bin" / "python", "#!/bin/sh\nexit 1\n")
    assert set_up(tmp_path, requirements).returncode != 0

    executable(python, "#!/bin/sh\nexit 0\n")

    assert "Installing" in set_up(tmp_path, requirements).stdout


def test_an_interpreter_whose_path_has_a_space_is_found(tmp_path: Path, requirements: Path) -> None:
    python = executable(tmp_path / "my python" / "python3", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')

    done = set_up(tmp_path, requirements, PYTHON=str(python))

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "venv" / "bin" / "python").exists()


def test_an_interpreter_that_is_not_there_is_named(tmp_path: Path, requirements: Path) -> None:
    done = set_up(tmp_path, requirements, PYTHON="/nowhere/python3")

    assert done.returncode == 1
    assert "/nowhere/python3" in done.stderr


def test_new_environment_runs(tmp_path: Path, requirements: Path) -> None:
    done = set_up(tmp_path, requirements, PYTHON=sys.executable)

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "venv" / "bin" / "python").exists()
