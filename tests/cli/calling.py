"""Calls `kb` in this process."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from knowledge_base_cli.app import app
from tests.cli.deployment import KEY


@dataclass
class Done:
    """What a call of `kb` came to."""

    exit_code: int
    out: str
    err: str

    @property
    def lines(self) -> list[Any]:
        """Standard output as JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]


class Kb:
    """`kb` with the address and the key of one deployment in its environment."""

    def __init__(self, url: str) -> None:
        self.environment = {"KB_URL": url, "KB_KEY": KEY, "NO_COLOR": "1"}

    def __call__(self, *arguments: str, typed: str | bytes | None = None, **environment: str) -> Done:
        done = CliRunner(env={**self.environment, **environment}).invoke(app, list(arguments), input=typed)
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        return Done(done.exit_code, done.stdout, done.stderr)


def write(folder: Path, **texts: str) -> Path:
    """Write a text file for each name, and return the folder."""
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return folder
