"""`kb` and the Python client come into the project's virtual environment by the same set-up as everything else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from infra.local.processes import REPOSITORY

SETUP = REPOSITORY / "infra" / "local" / "setup.sh"


def set_up(project: Path) -> subprocess.CompletedProcess[str]:
    command = ["sh", str(SETUP), ".venv", "requirements.txt"]
    environment = {**os.environ, "PYTHON": sys.executable, "PIP_NO_INDEX": "1"}
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


def test_a_checkout_whose_path_has_spaces_gets_kb_without_the_network(tmp_path: Path) -> None:
    project = tmp_path / "my check out"
    project.mkdir()
    for part in ("cli", "clients/python"):
        shutil.copytree(REPOSITORY / part, project / part, ignore=shutil.ignore_patterns("__pycache__"))
    (project / "requirements.txt").write_text("# nothing more than what the link below lends\n")
    _lend_packages(project)

    done = set_up(project)

    assert done.returncode == 0, done.stderr
    kb = subprocess.run([project / ".venv" / "bin" / "kb", "--version"], capture_output=True, text=True, check=False)
    assert kb.stdout.startswith("kb "), kb.stderr
    where = "import knowledge_base_client; print(knowledge_base_client.__file__)"
    found = subprocess.run(
        [project / ".venv/bin/python", "-I", "-c", where], capture_output=True, text=True, check=False
    )
    assert Path(found.stdout.strip()).is_relative_to(project), found.stderr
    assert [path.name for path in project.iterdir() if path.name.startswith("build")] == []
    assert set_up(project).stdout == ""


@pytest.mark.parametrize("part", ["cli", "clients/python"])
def test_a_project_is_installed_again_when_it_changes(part: str, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\necho "$@" >> "{calls}"\n')
    python.chmod(0o755)
    (tmp_path / "requirements.txt").write_text("# nothing\n")
    (tmp_path / part).mkdir(parents=True)
    (tmp_path / part / "pyproject.toml").write_text("[project]\n")

    for _ in range(2):
        assert set_up(tmp_path).returncode == 0
    first = calls.read_text().splitlines()
    (tmp_path / part / "pyproject.toml").write_text("[project]\n# more\n")
    set_up(tmp_path)

    assert len(first) == 2
    assert "--no-index --no-deps --no-build-isolation --editable" in first[1]
    assert len(calls.read_text().splitlines()) == 4


def _lend_packages(project: Path) -> None:
    """Make an environment that sees this one's packages, as if it had installed them."""
    subprocess.run([sys.executable, "-m", "venv", project / ".venv"], check=True)
    packages = next((project / ".venv").glob("lib/python*/site-packages"))
    mine = next(path for path in sys.path if path.endswith("site-packages"))
    (packages / "lent.pth").write_text(f"{mine}\n")
