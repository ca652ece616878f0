"""The sheets of OpenDocument workbooks: a line for each row, with the values as they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing.delimited.rows import SheetRow
from knowledge_base.adapters.parsing.odt.package import MEDIA_TYPE, OpenDocument, title_of
from knowledge_base.adapters.parsing.odt.tables import number_of
from knowledge_base.adapters.parsing.odt.text import TextWalker
from knowledge_base.adapters.parsing.sheets import Merges, WorkbookWriter, cell_name, count_cells
from knowledge_base.adapters.parsing.xml_parts import read_children
from knowledge_base.domain.parsed import ParsedDocument

_GROUPS = ("table-row-group", "table-header-rows", "table-rows")
_CONTAINERS = frozenset(("body", "spreadsheet", "table", *_GROUPS))
_CELLS = ("table-cell", "covered-table-cell")
_VALUES = ("string-value", "date-value", "time-value", "boolean-value", "value")


class _Sheet:
    """Reads the rows of a sheet, and gathers the comments and shapes on it."""

    def __init__(self, walker: TextWalker) -> None:
        self._walker = walker
        self._merges = Merges()
        self._number, self._count = 0, 0
        self.remarks: list[str] = []

    def rows(self, elements: Iterable[Element]) -> Iterator[tuple[int, SheetRow]]:
        for element in elements:
            if element.tag == "table-row":
                yield from self._row(element)
            elif element.tag in _GROUPS:
                yield from self.rows(element)
            elif element.tag == "shapes":
                self.remarks.append(self._walker.line(element))

    def _row(self, element: Element) -> Iterator[tuple[int, SheetRow]]:
        cells = dict(self._cells(element))
        repeated = number_of(element, "number-rows-repeated")
        for _ in range(repeated if cells else 0):
            self._number += 1
            self._count += len(cells) + 1
            count_cells(self._count)
            yield self._number, self._merges.row(self._number, cells, is_bold=False)
        self._number += 0 if cells else repeated

    def _cells(self, row: Element) -> Iterator[tuple[int, str]]:
        column = 0
        for cell in row:
            if cell.tag not in _CELLS:
                continue
            repeated = number_of(cell, "number-columns-repeated")
            text = self._text(cell, column)
            if text:
                count_cells(self._count + repeated)
                self._note_merge(cell, column)
                yield from ((place, text) for place in range(column, column + repeated))
            column += repeated

    def _text(self, cell: Element, column: int) -> str:
        """What a cell shows; most have a single paragraph of plain text."""
        if len(cell) == 1 and cell[0].tag == "p" and not len(cell[0]):
            return " ".join((cell[0].text or "").split())
        if not len(cell):
            return next((cell.get(name, "") for name in _VALUES if name in cell.attrib), "")
        for comment in cell.iter("annotation"):
            text = self._walker.line(comment)
            self.remarks.append(f"Comment on {cell_name(self._number + 1, column)}: {text}" if text else "")
        return self._walker.line(child for child in cell if child.tag != "annotation")

    def _note_merge(self, cell: Element, column: int) -> None:
        rows, columns = number_of(cell, "number-rows-spanned"), number_of(cell, "number-columns-spanned")
        if rows > 1 or columns > 1:
            top = self._number + 1
            self._merges.note(top, column, top + rows - 1, column + columns - 1)


def read_sheets(document: OpenDocument) -> ParsedDocument:
    """Return the text of a workbook.

    Raises:
        IngestionFailed: it is damaged, too complex, or has no text.
    """
    writer, walker, titles = WorkbookWriter(), TextWalker(), [document.title()]
    for table, parts in groupby(_parts(document, titles), key=lambda part: part[0]):
        sheet = _Sheet(walker)
        rows = sheet.rows(element for _table, element in parts)
        writer.add_sheet(" ".join(table.get("name", "").split()), rows, sheet.remarks)
    return writer.finish(f"{MEDIA_TYPE}spreadsheet", title=titles[-1])


def _parts(document: OpenDocument, titles: list[str]) -> Iterator[tuple[Element, Element]]:
    """Yield what stands in each sheet, with the sheet; note a title that stands before them."""
    for around, child in read_children(document.pieces(), lambda element: element.tag in _CONTAINERS):
        sheet = next((element for element in reversed(around) if element.tag == "table"), None)
        if sheet is not None:
            yield sheet, child
        elif child.tag == "meta":
            titles.append(title_of(child))
        elif child.tag in _CONTAINERS:
            yield from ((table, element) for table in _tables_in(child) for element in table)


def _tables_in(element: Element) -> Iterator[Element]:
    if element.tag == "table":
        yield element
    else:
        for child in element:
            if child.tag in _CONTAINERS:
                yield from _tables_in(child)
