"""How a delimited file divides its fields."""

from __future__ import annotations

import csv
import re

_DELIMITERS = ",;\t|"
_SAMPLE_ROWS = 50
_SEPARATOR_LINE = re.compile(r"sep=(.)\n", re.I)


def named_delimiter(sample: str) -> tuple[str, int]:
    """Return the delimiter that a first line names, as spreadsheets write it (`sep=;`), and where the rows begin."""
    match = _SEPARATOR_LINE.match(sample)
    return (match[1], match.end()) if match else ("", 0)


def find_delimiter(sample: str, usual: str) -> str:
    """Return the delimiter that divides most rows into the same number of fields."""
    lines = sample.splitlines(keepends=True)
    scores = {delimiter: _score(lines, delimiter) for delimiter in _DELIMITERS}
    best = max(scores, key=lambda delimiter: (scores[delimiter], delimiter == usual))
    return best if scores[best][0] else usual


def _score(lines: list[str], delimiter: str) -> tuple[float, int]:
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=delimiter != "\t")
    counts = [len(row) for row, _ in zip(reader, range(_SAMPLE_ROWS), strict=False) if row]
    divided = [count for count in counts if count > 1]
    if not divided:
        return 0, 0
    usual = max(set(divided), key=divided.count)
    return round(counts.count(usual) / len(counts), 1), usual
