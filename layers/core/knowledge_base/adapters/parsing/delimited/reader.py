"""CSV and its kin: every row is a line in which each value stands with its column's name."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from io import StringIO
from typing import TYPE_CHECKING

from knowledge_base.adapters.parsing.canonical_text import TextBuilder
from knowledge_base.adapters.parsing.delimited.rows import RowWriter, SheetRow
from knowledge_base.adapters.parsing.format import Format, Hints, without_text
from knowledge_base.adapters.parsing.plain_text import decode_text
from knowledge_base.domain.parsed import ParsedDocument
from knowledge_base.settings import MAX_DOCUMENT_BYTES

if TYPE_CHECKING:
    from _csv import Reader as _Reader

_DELIMITERS = ",;\t|"
_SAMPLE_ROWS = 50
_SAMPLE = 200_000
_MAX_LINES_OF_A_ROW = 500
_SEPARATOR_LINE = re.compile(r"sep=(.)\n", re.I)
_CSV = ("csv", "text/csv", "application/csv", "text/x-csv")
_TSV = ("tsv", "tab", "text/tab-separated-values")
_WORKBOOKS = ("xls", "xlsx", "application/vnd.ms-excel")
"""Reports are often saved as delimited text under the name of a workbook."""


def _read(content: bytes, hints: Hints) -> ParsedDocument:
    decoded = decode_text(content, hints)
    csv.field_size_limit(MAX_DOCUMENT_BYTES)
    text, delimiter = _take_separator_line(decoded.text)
    is_tabbed = hints.say(*_TSV)
    delimiter = delimiter or _find_delimiter(text, "\t" if is_tabbed else ",")
    out = TextBuilder()
    writer = RowWriter(out, expects_names=True)
    for row in _rows(text, delimiter):
        writer.add(row)
    writer.end_table()
    if not out.length:
        raise without_text("the table has no values")
    media_type = "text/tab-separated-values" if delimiter == "\t" else "text/csv"
    return ParsedDocument(out.text(), media_type, out.spans(), low_quality=not decoded.exact)


def _take_separator_line(text: str) -> tuple[str, str]:
    """Spreadsheets may write the delimiter in a first line of its own."""
    match = _SEPARATOR_LINE.match(text)
    return (text[match.end() :], match[1]) if match else (text, "")


def _find_delimiter(text: str, usual: str) -> str:
    """Return the delimiter that divides most rows into the same number of fields."""
    scores = {delimiter: _score(text[:_SAMPLE], delimiter) for delimiter in _DELIMITERS}
    best = max(scores, key=lambda delimiter: (scores[delimiter], delimiter == usual))
    return best if scores[best][0] else usual


def _score(sample: str, delimiter: str) -> tuple[float, int]:
    counts = [len(row) for row, _ in zip(_reader(sample, delimiter), range(_SAMPLE_ROWS), strict=False) if row]
    divided = [count for count in counts if count > 1]
    if not divided:
        return 0, 0
    usual = max(set(divided), key=divided.count)
    return round(counts.count(usual) / len(counts), 1), usual


def _rows(text: str, delimiter: str) -> Iterator[SheetRow]:
    for row in _reader(text, delimiter, knows_quotes=not _has_stray_quote(text, delimiter)):
        cells = {column: " ".join(field.split()) for column, field in enumerate(row) if field and not field.isspace()}
        yield SheetRow(cells)


def _has_stray_quote(text: str, delimiter: str) -> bool:
    """Whether a quote that is never closed swallows the lines after it."""
    last = 0
    reader = _reader(text, delimiter)
    for _row in reader:
        if reader.line_num - last > _MAX_LINES_OF_A_ROW:
            return True
        last = reader.line_num
    return False


def _reader(text: str, delimiter: str, *, knows_quotes: bool = True) -> _Reader:
    lines, skips = StringIO(text, newline=""), delimiter != "\t"
    if not knows_quotes:
        return csv.reader(lines, delimiter=delimiter, skipinitialspace=skips, quoting=csv.QUOTE_NONE)
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=skips)


def _claims(content: bytes, hints: Hints) -> bool:
    if hints.say(*_WORKBOOKS):
        line = content.replace(b"\x00", b"").lstrip().partition(b"\n")[0]
        return not line.startswith((b"<", b"PK")) and any(sign in line for sign in (b"\t", b",", b";"))
    return hints.say(*_CSV, *_TSV)


FORMAT = Format("delimited text", _claims, _read, ("csv",))
