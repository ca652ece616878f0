"""CSV and its kin: every row is a line in which each value stands with its column's name."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal

from knowledge_base.adapters.parsing.canonical_text import TextBuilder, clean
from knowledge_base.adapters.parsing.delimited.lines import MAX_ROW, EndlessRow, Lines
from knowledge_base.adapters.parsing.delimited.rows import LOOK_AHEAD, MAX_NAMED_TEXT, RowWriter, SheetRow, SheetRun
from knowledge_base.adapters.parsing.delimited.sniffing import find_delimiter, named_delimiter
from knowledge_base.adapters.parsing.encodings.decoding import EncodedText
from knowledge_base.adapters.parsing.format import Format, Hints, without_text
from knowledge_base.adapters.parsing.plain_text import find_text
from knowledge_base.domain.parsed import ParsedDocument
from knowledge_base.settings import MAX_DOCUMENT_BYTES

_SAMPLE = 100_000
_MAX_NAMED_ROWS = 250_000
_CSV = ("csv", "text/csv", "application/csv", "text/x-csv")
_TSV = ("tsv", "tab", "text/tab-separated-values")
_WORKBOOKS = ("xls", "xlsx", "application/vnd.ms-excel")
"""Reports are often saved as delimited text under the name of a workbook."""


def _read(content: bytes, hints: Hints) -> ParsedDocument:
    found = find_text(content, hints)
    is_tabbed = hints.say(*_TSV)
    sample = "".join(_up_to(found.pieces(), _SAMPLE))
    delimiter, start = named_delimiter(sample)
    delimiter = delimiter or find_delimiter(sample, "\t" if is_tabbed else ",")
    out = _write(found, delimiter, start, knows_quotes=True) or _write(found, delimiter, start, knows_quotes=False)
    if not out or not out.length:
        raise without_text("the table has no values")
    media_type = "text/tab-separated-values" if delimiter == "\t" else "text/csv"
    return ParsedDocument(out.text(), media_type, out.spans(), low_quality=not found.exact)


def _up_to(pieces: Iterator[str], size: int) -> Iterator[str]:
    for piece in pieces:
        yield piece[:size]
        size -= len(piece)
        if size <= 0:
            return


def _write(found: EncodedText, delimiter: str, start: int, *, knows_quotes: bool) -> TextBuilder | None:
    """Write the rows; None where a quote swallows them. Big tables stand as they are from some row on."""
    out, lines = TextBuilder(), Lines(found.lines())
    table = _Table(out, lines, delimiter, knows_quotes=knows_quotes)
    try:
        table.write(start)
    except EndlessRow:
        if knows_quotes:
            return None
    table.end()
    return out


class _Table:
    """Writes the rows of a table; many at a time where their lines are plain."""

    def __init__(self, out: TextBuilder, lines: Lines, delimiter: str, *, knows_quotes: bool) -> None:
        self._out, self._lines = out, lines
        self._writer = RowWriter(out, expects_names=True)
        self._delimiter, self._quote = delimiter, '"' if knows_quotes else ""
        self._count = 0

    def write(self, start: int) -> None:
        """Write rows, without a first line that only names the delimiter, until there are too many.

        Raises:
            EndlessRow: a row does not end.
        """
        csv.field_size_limit(MAX_DOCUMENT_BYTES)
        lines = iter(self._lines)
        if start:
            next(lines, "")
        rows = self._fields(lines)
        self._write_rows(islice(rows, LOOK_AHEAD))
        while self._has_room and (ahead := self._lines.ahead()):
            if self._is_plain(ahead):
                self._write_plain(list(self._fields(ahead)))
            else:
                self._write_rows(islice(rows, len(ahead)))

    def end(self) -> None:
        """Write lines that no row was made of, and end the table."""
        self._writer.add_as_written(self._lines.rest())
        self._writer.end_table()

    @property
    def _has_room(self) -> bool:
        return self._out.length <= MAX_NAMED_TEXT and self._count <= _MAX_NAMED_ROWS + 1

    def _fields(self, lines: Iterable[str]) -> Iterator[list[str]]:
        quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if self._quote else csv.QUOTE_NONE
        is_tabbed = self._delimiter == "\t"
        return csv.reader(lines, delimiter=self._delimiter, skipinitialspace=not is_tabbed, quoting=quoting)

    def _is_plain(self, lines: Iterable[str]) -> bool:
        """Whether every line is a row."""
        text = "".join(lines)
        return len(text) < MAX_ROW and not (self._quote and self._quote in text)

    def _write_rows(self, rows: Iterable[list[str]]) -> None:
        for row in rows:
            self._write_row(row)
            self._lines.note_row()
            if not self._has_room:
                return

    def _write_plain(self, rows: list[list[str]]) -> None:
        run = _run(rows)
        if run and self._count + len(rows) <= _MAX_NAMED_ROWS and self._writer.has_room_for(run):
            self._writer.add_run(run)
            self._count += len(rows)
            self._lines.skip(len(rows))
            return
        for row in rows:
            self._write_row(row)
            self._lines.skip(1)
            if not self._has_room:
                return

    def _write_row(self, row: list[str]) -> None:
        fields = enumerate(row)
        self._writer.add(SheetRow({column: text for column, field in fields if field and (text := _tidy(field))}))
        self._count += 1


def _run(rows: list[list[str]]) -> SheetRun | None:
    """Return rows together if all have the same columns, and a text in each."""
    if len(set(map(len, rows))) > 1 or not rows[0]:
        return None
    texts = tuple(map(_tidy_column, zip(*rows, strict=True)))
    return SheetRun(tuple(range(len(texts))), texts) if all(map(all, texts)) else None


def _tidy_column(fields: Sequence[str]) -> list[str]:
    together = "".join(fields)
    return list(map(str.strip if together.isprintable() and "  " not in together else _tidy, fields))


def _tidy(field: str) -> str:
    """Return a field on one line."""
    is_tidy = field.isprintable() and "  " not in field
    return field.strip() if is_tidy else " ".join(clean(field).split())


def _claims(content: bytes, hints: Hints) -> bool:
    if hints.say(*_WORKBOOKS):
        line = content.replace(b"\x00", b"").lstrip().partition(b"\n")[0]
        return not line.startswith((b"<", b"PK")) and any(sign in line for sign in (b"\t", b",", b";"))
    return hints.say(*_CSV, *_TSV)


FORMAT = Format("delimited text", _claims, _read, ("csv",))
