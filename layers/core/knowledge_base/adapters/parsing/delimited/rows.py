"""Rows of spreadsheets and delimited files as lines that can be read, and cited, by themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

from knowledge_base.adapters.parsing.canonical_text import TextBuilder, clean
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import SpanKind

LONG_NAME = 100
LOOK_AHEAD = 12
MAX_NAMED_TEXT = 20_000_000
"""Characters after which values stand without their column's name, so that big tables stay whole."""
MAX_TEXT = 60_000_000
_BATCH = 20_000


_NO_WIDTHS: Mapping[int, int] = MappingProxyType({})


class SheetRow(NamedTuple):
    """A row's texts by column from 0, without empty ones; `widths` has the columns of cells merged sideways."""

    cells: dict[int, str]
    is_bold: bool = False
    widths: Mapping[int, int] = _NO_WIDTHS

    @property
    def height(self) -> int:
        """How many rows are to be written: one, or none where it is empty."""
        return int(bool(self.cells))


class SheetRun(NamedTuple):
    """Rows that follow each other and have texts in the same columns: `texts` holds those of each column, none empty.

    Written column by column, they take a fifth of the time.
    """

    columns: tuple[int, ...]
    texts: tuple[Sequence[str], ...]
    is_bold: bool = False

    @property
    def height(self) -> int:
        """How many rows there are."""
        return len(self.texts[0])

    def rows(self) -> Iterator[SheetRow]:
        """Yield the rows one by one."""
        for row in zip(*self.texts, strict=True):
            yield SheetRow(dict(zip(self.columns, row, strict=True)), self.is_bold)

    def after(self, count: int) -> SheetRun:
        """Return the run without its first rows."""
        return self._replace(texts=tuple(column[count:] for column in self.texts)) if count else self


class RowWriter:
    """Writes the tables of a sheet row by row; the first rows of each tell whether it has column names.

    Where `expects_names` is true, a first row of words names the columns; otherwise, and in the tables
    after the first, it must look different from the rows below. A table without names goes on with those
    of the table above it.
    """

    def __init__(self, out: TextBuilder, *, expects_names: bool) -> None:
        self._out = out
        self._expects_names = expects_names
        self._waiting: list[SheetRow] = []
        self._names: dict[int, str] = {}
        self._prefixes: dict[int, str] = {}
        self._said: frozenset[str] = frozenset()
        self._start = -1
        self._lines = 0

    def add(self, row: SheetRow) -> None:
        """Write a row.

        Raises:
            IngestionFailed: the text has become too long.
        """
        if not row.cells:
            return
        if self._start >= 0:
            self._write(row)
            return
        self._waiting.append(row)
        if len(self._waiting) >= LOOK_AHEAD:
            self._begin()

    def add_run(self, run: SheetRun) -> None:
        """Write rows that are alike.

        Raises:
            IngestionFailed: the text has become too long.
        """
        waited = 0 if self._start >= 0 else min(LOOK_AHEAD - len(self._waiting), run.height)
        for row in islice(run.rows(), waited):
            self.add(row)
        if waited < run.height:
            self._write_run(run.after(waited))

    def add_as_written(self, lines: Iterable[str]) -> None:
        """Write further lines of the table (each with its newline) as they are in the file, which costs little."""
        if self._waiting:
            self._begin()
        source = iter(lines)
        while batch := "".join(islice(source, _BATCH)):
            text = clean(batch).strip("\n")
            if text and not text.isspace():
                self._write_line(text)  # no longer than the file

    def end_table(self) -> None:
        """Note that a table ends here; what follows is another one."""
        if self._waiting:
            self._begin()
        if self._lines > 1:
            self._out.mark(SpanKind.TABLE, self._start)
        self._start, self._lines = -1, 0

    def _begin(self) -> None:
        rows, self._waiting = self._waiting, []
        titles = _count_titles(rows)
        for row in rows[:titles]:
            self._out.add_block(" ".join(row.cells.values()))
        rows = rows[titles:]
        size = _count_name_rows(rows, self._expects_names and not self._names)
        if size:
            self._names = _join_names(rows[:size])
            self._write_line(" | ".join(self._names.values()))
        elif any(column not in self._names for row in rows for column in row.cells):
            self._names = {}
        self._prefixes = {column: f"{name}: " for column, name in self._names.items() if name}
        self._said = frozenset(self._names.values())
        for row in rows[size:]:
            self._write(row)

    def _write(self, row: SheetRow) -> None:
        if self._out.length >= MAX_NAMED_TEXT:
            texts = list(row.cells.values())
        elif self._said.isdisjoint(row.cells.values()):
            prefix_of = self._prefixes.get
            texts = [prefix_of(column, "") + text for column, text in row.cells.items()]
        else:
            texts = [_named(self._names.get(column), text) for column, text in row.cells.items()]
        self._write_line(" | ".join(texts))
        check_length(self._out)

    def has_room_for(self, run: SheetRun) -> bool:
        """Whether no row of a run in a table whose names are known makes the text so long that names are left out."""
        names = " | ".join(["\n", *map(self._prefix, run.columns)])
        length = sum(sum(map(len, column)) for column in run.texts) + run.height * len(names)
        return self._start >= 0 and self._out.length + length < MAX_NAMED_TEXT

    def _write_run(self, run: SheetRun) -> None:
        """Write the rows together, unless some value says its column's name or the text may become too long."""
        if not (self.has_room_for(run) and all(map(self._said.isdisjoint, run.texts))):
            for row in run.rows():
                self._write(row)
            return
        line = "\n" + " | ".join(self._prefix(column).replace("%", "%%") + "%s" for column in run.columns)
        self._out.add("".join(map(line.__mod__, zip(*run.texts, strict=True))))
        self._lines += run.height

    def _prefix(self, column: int) -> str:
        return self._prefixes.get(column, "")

    def _write_line(self, line: str) -> None:
        if self._start >= 0:
            self._out.add(f"\n{line}")
        else:
            self._out.add_block(line)
            self._start = self._out.length - len(line)
        self._lines += 1


def check_length(out: TextBuilder) -> None:
    """Refuse a text that grows beyond what is reasonable.

    Raises:
        IngestionFailed: the text has become too long.
    """
    if out.length > MAX_TEXT:
        raise IngestionFailed(FailureCode.TOO_COMPLEX, "the file has too much text to be read")


def _named(name: str | None, text: str) -> str:
    return f"{name}: {text}" if name and name != text else text


def _count_titles(rows: list[SheetRow]) -> int:
    """How many rows of one cell stand above a table of several columns."""
    return next((place for place, row in enumerate(rows) if len(row.cells) > 1), 0)


def _count_name_rows(rows: list[SheetRow], is_expected: bool) -> int:
    if len(rows) < 2 or not _may_be_names(rows, is_expected):
        return 0
    has_groups = any(width > 1 for width in rows[0].widths.values())
    if has_groups and len(rows) > 2 and _may_be_names(rows[1:], is_expected=True):
        return 2
    is_bold = rows[0].is_bold and not rows[1].is_bold
    return int(is_expected or is_bold or _heads_values(rows))


def _may_be_names(rows: list[SheetRow], is_expected: bool) -> bool:
    names, widest = rows[0], max(len(row.cells) for row in rows)
    texts = list(names.cells.values())
    if len(texts) < 2 or 2 * sum(names.widths.get(column, 1) for column in names.cells) < widest:
        return False
    if any(len(text) > LONG_NAME for text in texts) or all(_is_value(text) for text in texts):
        return False
    if len(set(texts)) < len(texts) and not (is_expected or names.is_bold):
        return False
    return all(not _is_value(text) or _is_period_over_others(rows, column) for column, text in names.cells.items())


def _is_period_over_others(rows: list[SheetRow], column: int) -> bool:
    """Whether a year or date names its column: below it there are values of another kind."""
    below = [row.cells[column] for row in rows[1:] if column in row.cells]
    return _is_period(rows[0].cells[column]) and not any(_is_period(text) for text in below)


def _heads_values(rows: list[SheetRow]) -> bool:
    """Whether some column has a word first and only values below."""
    for column, name in rows[0].cells.items():
        below = [row.cells[column] for row in rows[1:] if column in row.cells]
        if below and (not _is_value(name) or _is_period(name)) and all(_is_value(text) for text in below):
            return True
    return False


def _is_value(text: str) -> bool:
    """Whether a text is a number, date, truth value or address rather than a name."""
    if text in ("TRUE", "FALSE") or "@" in text or "://" in text:
        return True
    return any(letter.isdigit() for letter in text) and not any(letter.isalpha() for letter in text)


def _is_period(text: str) -> bool:
    is_year = len(text) == 4 and text.isdecimal() and 1900 <= int(text) <= 2100
    return is_year or (len(text) in (7, 10) and text[:4].isdecimal() and text[4] in "-/.")


def _join_names(rows: list[SheetRow]) -> dict[int, str]:
    """Names by column; a merged name of the first row stands before each name below it."""
    if len(rows) == 1:
        return {column: text.rstrip(":") for column, text in rows[0].cells.items()}
    groups = {
        column + place: text for column, text in rows[0].cells.items() for place in range(rows[0].widths.get(column, 1))
    }
    columns = sorted(
        {column for column in groups if column in rows[1].cells or column in rows[0].cells} | set(rows[1].cells)
    )
    return {column: _joined(groups.get(column, ""), rows[1].cells.get(column, "")) for column in columns}


def _joined(group: str, name: str) -> str:
    return name if group == name else " ".join(filter(None, (group, name)))
