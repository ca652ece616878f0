"""Workbooks in the XML form of Excel 2003 (SpreadsheetML), which many programs still write."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing.delimited.rows import SheetRow
from knowledge_base.adapters.parsing.format import Format, Hints
from knowledge_base.adapters.parsing.sheets import Merges, WorkbookWriter, cell_name, count_cells
from knowledge_base.adapters.parsing.xlsx.cells import one_line
from knowledge_base.adapters.parsing.xml_parts import pieces_of, read_children
from knowledge_base.domain.parsed import ParsedDocument

MEDIA_TYPE = "application/vnd.ms-excel"
_START = re.compile(rb"<(?:\w{1,10}:)?Workbook\s[^>]*urn:schemas-microsoft-com:office:spreadsheet", re.S)
_HEAD = 8_192
_CONTAINERS = ("Worksheet", "Table")
_DATE_TYPE = "DateTime"


class _Sheet:
    """Reads the rows of a sheet, and gathers the comments on it."""

    def __init__(self) -> None:
        self._merges = Merges()
        self._number, self._count = 0, 0
        self.remarks: list[str] = []

    def rows(self, elements: Iterable[Element]) -> Iterator[tuple[int, SheetRow]]:
        for element in elements:
            if element.tag == "Table":
                yield from self.rows(element)
            elif element.tag == "Row":
                self._number = _number(element, "Index", self._number + 1)
                cells = dict(self._cells(element))
                self._count += len(cells) + 1
                count_cells(self._count)
                yield self._number, self._merges.row(self._number, cells, is_bold=False)

    def _cells(self, row: Element) -> Iterator[tuple[int, str]]:
        column = -1
        for cell in row.iter("Cell"):
            column = _number(cell, "Index", column + 2) - 1
            data, comment = cell.find("Data"), cell.find("Comment")
            if comment is not None and (text := one_line("".join(comment.itertext()))):
                self.remarks.append(f"Comment on {cell_name(self._number, column)}: {text}")
            across, down = _number(cell, "MergeAcross", 0), _number(cell, "MergeDown", 0)
            if across or down:
                self._merges.note(self._number, column, self._number + down, column + across)
            if data is not None and (text := _text(data)):
                yield column, text
            column += across


def _text(data: Element) -> str:
    text = one_line("".join(data.itertext()))
    return text.replace("T00:00:00.000", "").replace("T", " ") if data.get("Type") == _DATE_TYPE else text


def _number(element: Element, name: str, otherwise: int) -> int:
    value = element.get(name, "")
    return int(value[:9]) if value.isdecimal() else otherwise


def _read(content: bytes, _hints: Hints) -> ParsedDocument:
    writer = WorkbookWriter()
    for worksheet, parts in groupby(_parts(content), key=lambda part: part[0]):
        sheet = _Sheet()
        rows = sheet.rows(element for _worksheet, element in parts)
        writer.add_sheet(one_line(worksheet.get("Name", "")), rows, sheet.remarks)
    return writer.finish(MEDIA_TYPE)


def _parts(content: bytes) -> Iterator[tuple[Element, Element]]:
    """Yield what stands in each worksheet, with the worksheet."""
    for around, child in read_children(pieces_of(content), lambda element: element.tag in _CONTAINERS):
        worksheet = next((element for element in around if element.tag == "Worksheet"), None)
        if worksheet is not None:
            yield worksheet, child
        elif child.tag == "Worksheet":
            yield from ((child, element) for element in child)


FORMAT = Format("an Excel workbook in XML form", lambda content, _hints: bool(_START.search(content[:_HEAD])), _read)
