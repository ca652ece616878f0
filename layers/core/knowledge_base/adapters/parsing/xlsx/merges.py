"""Merged cells of a sheet: a value that spans rows stands in each of them."""

from __future__ import annotations

import re
from collections import defaultdict

from knowledge_base.adapters.parsing.xlsx.stream import column_of

MAX_MERGES = 20_000
_MERGE = re.compile(
    rb"<(?:\w{1,20}:)?mergeCell\s[^>]{0,200}?ref\s*=\s*[\"']([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})[\"']"
)


class Merges:
    """Goes down a sheet and fills the rows that a merged cell reaches into."""

    def __init__(self, sheet: bytes) -> None:
        """Find the merged cells; they are stored after the rows, so the bytes are searched for them."""
        self._widths: dict[int, dict[int, int]] = defaultdict(dict)
        self._ends: dict[int, dict[int, int]] = defaultdict(dict)
        self._open: dict[int, tuple[int, str]] = {}
        for place, match in enumerate(_MERGE.finditer(sheet, max(sheet.rfind(b"sheetData>"), 0))):
            if place >= MAX_MERGES:
                break
            self._note(match)

    def _note(self, match: re.Match[bytes]) -> None:
        left, right = (column_of(f"{name.decode()}1") or 0 for name in (match[1], match[3]))
        top, bottom = int(match[2]), int(match[4])
        if right > left:
            self._widths[top][left] = right - left + 1
        if bottom > top:
            self._ends[top][left] = bottom

    def widths(self, row: int) -> dict[int, int]:
        """Return how many columns the merged cells of a row cover."""
        return self._widths.get(row, {})

    def fill(self, row: int, cells: dict[int, str]) -> dict[int, str]:
        """Return a row's texts with those of the merged cells above that reach into it."""
        self._open = {column: merge for column, merge in self._open.items() if merge[0] >= row}
        added = {column: text for column, (_end, text) in self._open.items() if column not in cells}
        for column, end in self._ends.get(row, {}).items():
            if column in cells:
                self._open[column] = (end, cells[column])
        return dict(sorted({**cells, **added}.items())) if added and cells else cells
