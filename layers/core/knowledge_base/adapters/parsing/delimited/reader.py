"""CSV and its kin: every row is a line in which each value stands with its column's name."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import chain
from typing import Literal

from knowledge_base.adapters.parsing.canonical_text import TextBuilder, clean
from knowledge_base.adapters.parsing.delimited.rows import MAX_NAMED_TEXT, RowWriter, SheetRow
from knowledge_base.adapters.parsing.delimited.sniffing import find_delimiter, named_delimiter
from knowledge_base.adapters.parsing.encodings.decoding import EncodedText
from knowledge_base.adapters.parsing.format import Format, Hints, without_text
from knowledge_base.adapters.parsing.plain_text import find_text
from knowledge_base.domain.parsed import ParsedDocument
from knowledge_base.settings import MAX_DOCUMENT_BYTES

_SAMPLE = 100_000
_MAX_NAMED_ROWS = 250_000
_MAX_LINES_OF_A_ROW = 500
_MAX_ROW = 2_000_000
_CSV = ("csv", "text/csv", "application/csv", "text/x-csv")
_TSV = ("tsv", "tab", "text/tab-separated-values")
_WORKBOOKS = ("xls", "xlsx", "application/vnd.ms-excel")
"""Reports are often saved as delimited text under the name of a workbook."""


class _EndlessRow(Exception):
    """A row goes on for ever: a quote is not closed, or the file is no table."""


class _Lines:
    """Hands lines to the reader of rows, as long as rows end."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self._of_row: list[str] = []
        self._length = 0

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self._of_row.append(line)
            self._length += len(line)
            if len(self._of_row) > _MAX_LINES_OF_A_ROW or self._length > _MAX_ROW:
                raise _EndlessRow
            yield line

    def note_row(self) -> None:
        """Note that a row has ended."""
        self._of_row.clear()
        self._length = 0

    def rest(self) -> Iterator[str]:
        """Yield the lines that no row was made of."""
        return chain(self._of_row, self._lines)


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
    out, lines = TextBuilder(), _Lines(found.lines())
    writer = RowWriter(out, expects_names=True)
    rows = _rows(iter(lines), delimiter, start, knows_quotes=knows_quotes)
    try:
        for count, row in enumerate(rows):
            writer.add(row)
            lines.note_row()
            if out.length > MAX_NAMED_TEXT or count > _MAX_NAMED_ROWS:
                break
    except _EndlessRow:
        if knows_quotes:
            return None
    writer.add_as_written(lines.rest())
    writer.end_table()
    return out


def _rows(lines: Iterator[str], delimiter: str, start: int, *, knows_quotes: bool) -> Iterator[SheetRow]:
    csv.field_size_limit(MAX_DOCUMENT_BYTES)
    if start:
        next(lines, "")
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if knows_quotes else csv.QUOTE_NONE
    for row in csv.reader(lines, delimiter=delimiter, skipinitialspace=delimiter != "\t", quoting=quoting):
        cells = {column: _tidy(field) for column, field in enumerate(row) if field and not field.isspace()}
        yield SheetRow({column: text for column, text in cells.items() if text})


def _tidy(field: str) -> str:
    """Return a field on one line."""
    return field if field.isalnum() else " ".join(clean(field).split())


def _claims(content: bytes, hints: Hints) -> bool:
    if hints.say(*_WORKBOOKS):
        line = content.replace(b"\x00", b"").lstrip().partition(b"\n")[0]
        return not line.startswith((b"<", b"PK")) and any(sign in line for sign in (b"\t", b",", b";"))
    return hints.say(*_CSV, *_TSV)


FORMAT = Format("delimited text", _claims, _read, ("csv",))
