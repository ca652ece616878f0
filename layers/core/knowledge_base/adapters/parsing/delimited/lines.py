"""The lines of delimited text: handed to the reader of rows one by one, or looked at many at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import chain

MAX_ROW = 2_000_000
_MAX_LINES_OF_A_ROW = 500
_AHEAD = 65_536
"""Characters that are looked at ahead."""


class EndlessRow(Exception):
    """A row goes on for ever: a quote is not closed, or the file is no table."""


class Lines:
    """Hands lines to the reader of rows, as long as rows end."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self._ahead: deque[str] = deque()
        self._of_row: list[str] = []
        self._length = 0

    def __iter__(self) -> Iterator[str]:
        while self.ahead():
            line = self._ahead.popleft()
            self._of_row.append(line)
            self._length += len(line)
            if len(self._of_row) > _MAX_LINES_OF_A_ROW or self._length > MAX_ROW:
                raise EndlessRow
            yield line

    def ahead(self) -> deque[str]:
        """Return some of the lines that come next, none at the end."""
        if not self._ahead:
            size = 0
            for line in self._lines:
                self._ahead.append(line)
                size += len(line)
                if size > _AHEAD:
                    break
        return self._ahead

    def skip(self, count: int) -> None:
        """Leave out lines that have been looked at: rows have been made of them."""
        for _ in range(count):
            self._ahead.popleft()

    def note_row(self) -> None:
        """Note that a row has ended."""
        self._of_row.clear()
        self._length = 0

    def rest(self) -> Iterator[str]:
        """Yield the lines that no row was made of."""
        return chain(self._of_row, self._ahead, self._lines)
