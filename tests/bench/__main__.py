"""Run the measurements: all of them, or those named, e.g. `make bench ARGS=cold_start`."""

from __future__ import annotations

import sys
from importlib import import_module

ALL = ("chunking", "cold_start", "vector_index", "local_stack", "batches", "readers")


def main(names: list[str]) -> None:
    for name in names or ALL:
        import_module(f"tests.bench.{name}").report()


if __name__ == "__main__":
    main(sys.argv[1:])
