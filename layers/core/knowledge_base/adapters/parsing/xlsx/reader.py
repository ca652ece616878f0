"""XLSX and XLSB: a section for each sheet, a line for each row in which values stand with their column's name.

Hidden sheets are read like others, since everybody who may open the file can show them; sheets that only
a program can show (`veryHidden`) hold its working data and are left out. Empty sheets leave no trace.
"""

from __future__ import annotations

from collections.abc import Iterator

from knowledge_base.adapters.parsing.delimited.rows import SheetRow, SheetRun
from knowledge_base.adapters.parsing.format import Format, Hints, corrupt
from knowledge_base.adapters.parsing.office_graphics import chart_lines, flat_text
from knowledge_base.adapters.parsing.office_package import Kind, OfficePackage
from knowledge_base.adapters.parsing.sheets import WorkbookWriter
from knowledge_base.adapters.parsing.xlsx.binary import BinaryBook
from knowledge_base.adapters.parsing.xlsx.book import Book, XmlBook
from knowledge_base.adapters.parsing.xlsx.cells import RawRun
from knowledge_base.adapters.parsing.xlsx.values import CellValues
from knowledge_base.domain.parsed import ParsedDocument

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
BINARY_MEDIA_TYPE = "application/vnd.ms-excel.sheet.binary.macroEnabled.12"
_KIND = Kind(
    "xl/workbook.xml",
    (
        "spreadsheetml.sheet.main+xml",
        "spreadsheetml.template.main+xml",
        "ms-excel.sheet.macroenabled.main+xml",
        "ms-excel.template.macroenabled.main+xml",
        "ms-excel.addin.macroenabled.main+xml",
    ),
)
_BINARY_KIND = Kind("xl/workbook.bin", ("ms-excel.sheet.binary.macroenabled.main",))
_SHEETS = ("worksheet", "chartsheet")
_COMMENT_BOILERPLATE = "Comment:"


class _Reader:
    """Finds the rows of a workbook's sheets, and what else is on them."""

    def __init__(self, package: OfficePackage, book: Book) -> None:
        self._package, self._book = package, book
        self._values = CellValues(book.texts(), book.looks(), counts_from_1904=book.counts_from_1904())

    def read(self, media_type: str) -> ParsedDocument:
        writer = WorkbookWriter()
        for name, part in self._sheets():
            writer.add_sheet(name, self._rows(part), self._remarks(part))
        return writer.finish(media_type, title=self._package.core_title())

    def _sheets(self) -> Iterator[tuple[str, str]]:
        """Names and parts of the sheets in the order of their tabs."""
        relations, sheets = self._package.relations(self._package.main), self._book.sheets()
        if not sheets:
            raise corrupt("its list of sheets is missing")
        for sheet in sheets:
            relation = relations.get(sheet.part_id)
            if relation and relation.kind in _SHEETS and sheet.is_shown:
                yield sheet.name, relation.target

    def _rows(self, part: str) -> Iterator[tuple[int, SheetRow | SheetRun]]:
        if part not in self._package:
            return
        merges, values = self._book.merges(part), self._values
        for rows in self._book.rows(part):
            run = values.run(rows) if isinstance(rows, RawRun) and merges.is_empty else None
            if run:
                yield rows.number, run
                continue
            for number, cells in rows.rows():
                shown = values.shown(cells)
                if shown:
                    is_bold = all(values.is_bold(style) for column, _kind, style, *_rest in cells if column in shown)
                    yield number, merges.row(number, shown, is_bold=is_bold)

    def _remarks(self, sheet: str) -> Iterator[str]:
        for name in self._package.related(sheet, "drawing"):
            drawing = self._package.part(name)
            if drawing is not None:
                yield from ("\n".join(filter(None, map(flat_text, box.iter("p")))) for box in drawing.iter("txBody"))
                for chart in self._package.parts_named_by(drawing.iter("chart"), "r:id", name):
                    yield "\n".join(chart_lines(chart))
        for cell, text in self._book.comments(sheet):
            words = text.partition(_COMMENT_BOILERPLATE)[2].strip() if text.startswith("[Threaded comment]") else text
            yield f"Comment on {cell}: {words}" if words else ""


def _read(content: bytes, _hints: Hints) -> ParsedDocument:
    package = OfficePackage(content, _KIND if _KIND.holds(content) else _BINARY_KIND)
    if package.main.endswith(".bin"):
        return _Reader(package, BinaryBook(package)).read(BINARY_MEDIA_TYPE)
    return _Reader(package, XmlBook(package)).read(MEDIA_TYPE)


FORMAT = Format(
    "an Excel workbook",
    lambda content, _hints: _KIND.holds(content) or _BINARY_KIND.holds(content),
    _read,
    ("zipfile", "xml.etree.ElementTree", "xml.parsers.expat"),
)
