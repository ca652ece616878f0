"""Files that the code writes, and that stand in the repository: write them, or find those that differ."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

Renderers = Mapping[Path, Callable[[], str]]
"""What makes the text of each file."""


def differing(files: Renderers) -> Iterator[Path]:
    """Yield the files that are missing or differ from what is made now."""
    for path, render in files.items():
        if not path.exists() or path.read_text(encoding="utf-8") != render():
            yield path


def write_or_check(files: Renderers, arguments: list[str]) -> int:
    """Write the files; with `--check`, name those that differ instead. Return the exit status."""
    if "--check" in arguments:
        stale = list(differing(files))
        sys.stderr.writelines(f"{path.name} differs from what it is made of: run `make openapi`\n" for path in stale)
        return 1 if stale else 0
    for path, render in files.items():
        path.write_text(render(), encoding="utf-8")
    return 0
