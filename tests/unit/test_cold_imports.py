"""A handler imports what it uses, when it uses it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FUNCTIONS = sorted(path.parent.name for path in Path("functions").glob("*/app.py"))
HEAVY = ("boto3", "botocore.client", "openai", "opensearchpy", "pypdf", "pypdfium2", "numpy", "apsw", "httpx")
ONLY_STREAM = ("starlette",)


def modules_of(function: str) -> set[str]:
    program = f"import sys, functions.{function}.app; print(*sys.modules, sep='\\n')"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(("layers/core", "."))}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_handler_imports_nothing_heavy_before_it_is_called(function: str) -> None:
    unwanted = HEAVY if function == "stream" else HEAVY + ONLY_STREAM
    assert modules_of(function).isdisjoint(unwanted)
