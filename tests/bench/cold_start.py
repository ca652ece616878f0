"""How long a fresh process takes to import each function's handler."""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path

FUNCTIONS = Path("functions")
RUNS = 5
LIMIT_MS = 400
"""What a handler's imports may cost on the machine of docs/benchmarks.md."""

_MEASURE = """
import sys, time
begin = time.perf_counter()
import functions.{name}.app
spent = time.perf_counter() - begin
print(f"{{spent * 1000:.0f}} {{len(sys.modules)}}")
"""


def measure(name: str) -> tuple[float, int]:
    """Return the median milliseconds and the number of modules of a handler's import."""
    runs = [_run(name) for _ in range(RUNS)]
    return statistics.median(spent for spent, _ in runs), runs[0][1]


def _run(name: str) -> tuple[float, int]:
    program = _MEASURE.format(name=name)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    spent, modules = done.stdout.split()
    return float(spent), int(modules)


def report() -> None:
    """Print the table."""
    print(f"\n## Cold import of each handler (median of {RUNS}, limit {LIMIT_MS} ms)\n")
    print("| function | ms | modules |\n|---|---|---|")
    for path in sorted(FUNCTIONS.glob("*/app.py")):
        spent, modules = measure(path.parent.name)
        print(f"| `{path.parent.name}` | {spent:.0f} | {modules} |", flush=True)
