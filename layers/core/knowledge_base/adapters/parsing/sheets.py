"""Workbooks of any format as one text: a section for each sheet, a line for each row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from knowledge_base.adapters.parsing.blocks import MAX_TEXT
from knowledge_base.adapters.parsing.canonical_text import TextBuilder
from knowledge_base.adapters.parsing.delimited.rows import RowWriter, SheetRow, SheetRun
from knowledge_base.adapters.parsing.format import without_text
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

MAX_CELLS = 3_000_000
"""Cells and rows of a sheet together."""
MAX_MERGES = 20_000
_LETTERS = 26


@dataclass(slots=True)
class Merges:
    """The merged cells of a sheet: a value that spans rows stands in each of them.

    Rows count from 1, columns from 0.
    """

    _widths: dict[int, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    _ends: dict[int, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    _open: dict[int, tuple[int, str]] = field(default_factory=dict)
    _count: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether there are none."""
        return not self._count

    def note(self, top: int, left: int, bottom: int, right: int) -> None:
        """Note a merged cell; of very many, only the first ones count."""
        self._count += 1
        if self._count > MAX_MERGES:
            return
        if right > left:
            self._widths[top][left] = right - left + 1
        if bottom > top:
            self._ends[top][left] = bottom

    def row(self, number: int, cells: dict[int, str], *, is_bold: bool) -> SheetRow:
        """Return a row with the texts of the merged cells above that reach into it."""
        if not self._count:
            return SheetRow(cells, is_bold)
        self._open = {column: merge for column, merge in self._open.items() if merge[0] >= number}
        added = {column: text for column, (_end, text) in self._open.items() if column not in cells}
        for column, end in self._ends.get(number, {}).items():
            if column in cells:
                self._open[column] = (end, cells[column])
        shown = dict(sorted({**cells, **added}.items())) if added and cells else cells
        widths: Mapping[int, int] = self._widths.get(number, {})
        return SheetRow(shown, is_bold, widths)


class WorkbookWriter:
    """Writes sheets one after the other. An empty sheet leaves no trace; a gap between rows divides tables."""

    def __init__(self) -> None:
        self._out = TextBuilder()
        self._damage: IngestionFailed | None = None

    def add_sheet(
        self, name: str, rows: Iterable[tuple[int, SheetRow | SheetRun]], remarks: Iterable[str] = ()
    ) -> None:
        """Write a sheet's rows, each with its number, runs of them with that of the first, and what else is on it.

        Rows that come before a place where the sheet is damaged are kept.

        Raises:
            IngestionFailed: the text has become too long, or another limit is met.
        """
        heading, last = [name] if name else [], 0
        table = RowWriter(self._out, expects_names=False)
        for number, row in self._undamaged(rows):
            if not row.height:
                continue
            self._write_heading(heading)
            if number != last + 1:
                table.end_table()
            last = number + row.height - 1
            table.add(row) if isinstance(row, SheetRow) else table.add_run(row)
            self._check_length()
        table.end_table()
        for remark in filter(None, remarks):
            self._write_heading(heading)
            self._out.add_block(remark)
            self._check_length()

    def finish(self, media_type: str, *, title: str = "") -> ParsedDocument:
        """Return the document.

        Raises:
            IngestionFailed: there is no text.
        """
        if not self._out.length:
            raise self._damage or without_text("the workbook has no text, its sheets are empty")
        is_damaged = self._damage is not None
        return ParsedDocument(self._out.text(), media_type, self._out.spans(), title, low_quality=is_damaged)

    def _undamaged(self, rows: Iterable[tuple[int, SheetRow | SheetRun]]) -> Iterator[tuple[int, SheetRow | SheetRun]]:
        try:
            yield from rows
        except IngestionFailed as failure:
            if failure.code is not FailureCode.CORRUPT:
                raise
            self._damage = failure

    def _write_heading(self, heading: list[str]) -> None:
        """Write a sheet's name above the first thing in it."""
        if heading:
            self._out.add_block(heading.pop(), SpanKind.HEADING, 1)

    def _check_length(self) -> None:
        if self._out.length > MAX_TEXT:
            raise IngestionFailed(FailureCode.TOO_COMPLEX, "the file has too much text to be read")


def count_cells(count: int) -> None:
    """Refuse a sheet of too many cells.

    Raises:
        IngestionFailed: there are more than can be read.
    """
    if count > MAX_CELLS:
        raise IngestionFailed(FailureCode.TOO_COMPLEX, f"a sheet has more than {MAX_CELLS} cells")


def cell_name(row: int, column: int) -> str:
    """Return the name of a cell, such as `B3`, by its row from 1 and its column from 0."""
    letters = ""
    column += 1
    while column:
        column, place = divmod(column - 1, _LETTERS)
        letters = chr(ord("A") + place) + letters
    return f"{letters}{row}"
