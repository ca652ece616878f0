"""Write the file sets."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.bench.reader_files.sets import FileSet, matching


def main(folder: Path, pattern: str) -> None:
    """Write every set whose name matches."""
    for found in matching(pattern):
        _write(folder, found)


def _write(folder: Path, found: FileSet) -> None:
    for made in found.files():
        for kind, content in (
            ("files", made.content),
            ("known", made.known.encode()),
            ("unwanted", made.unwanted.encode()),
            ("facets", json.dumps(made.facets).encode()),
        ):
            target = folder / kind / found.name / made.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "*")
