"""XLSX: a section for each sheet, a line for each row in which values stand with their column's name.

Hidden sheets are read like others, since everybody who may open the file can show them; sheets that only
a program can show (`veryHidden`) hold its working data and are left out. Empty sheets leave no trace.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing import archives
from knowledge_base.adapters.parsing.canonical_text import TextBuilder, clean
from knowledge_base.adapters.parsing.delimited.rows import RowWriter, SheetRow, check_length
from knowledge_base.adapters.parsing.format import Format, Hints, without_text
from knowledge_base.adapters.parsing.office_package import OfficePackage, is_package_of
from knowledge_base.adapters.parsing.xlsx.merges import Merges
from knowledge_base.adapters.parsing.xlsx.stream import RawRow, shared_texts, sheet_rows
from knowledge_base.adapters.parsing.xlsx.values import CellValues
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_MAIN_PART = "xl/workbook.xml"
_CONTENT_TYPES = (
    b"spreadsheetml.sheet.main+xml",
    b"spreadsheetml.template.main+xml",
    b"ms-excel.sheet.macroenabled.main+xml",
    b"ms-excel.template.macroenabled.main+xml",
)
_COMMENT_BOILERPLATE = "Comment:"


class _Reader:
    """Writes the text of a workbook."""

    def __init__(self, package: OfficePackage) -> None:
        self._package = package
        self._out = TextBuilder()
        self._relations = package.relations(package.main)
        self._workbook = package.main_part()
        texts = self._first_data("sharedStrings")
        styles = next((package.part(name) for name in self._related("styles")), None)
        self._values = CellValues(
            shared_texts(texts) if texts else [], styles, counts_from_1904=_counts_from_1904(self._workbook)
        )
        self._merges = Merges(b"")
        self._damage: IngestionFailed | None = None

    def read(self) -> ParsedDocument:
        for name, part in self._sheets():
            data = self._package.data(part)
            if data is not None:
                self._write_sheet(name, part, data)
        if not self._out.length:
            raise self._damage or without_text("the workbook has no text, its sheets are empty")
        title, is_damaged = self._package.core_title(), self._damage is not None
        return ParsedDocument(self._out.text(), MEDIA_TYPE, self._out.spans(), title, low_quality=is_damaged)

    def _first_data(self, kind: str) -> bytes | None:
        return next((self._package.data(name) for name in self._related(kind)), None)

    def _related(self, kind: str) -> list[str]:
        return [relation.target for relation in self._relations.values() if relation.kind == kind]

    def _sheets(self) -> list[tuple[str, str]]:
        """Names and parts of the sheets in the order of their tabs."""
        found = []
        for sheet in self._workbook.iter("sheet"):
            relation = self._relations.get(sheet.get("id", ""))
            if relation and relation.kind == "worksheet" and sheet.get("state") != "veryHidden":
                found.append((" ".join(clean(sheet.get("name", "")).split()), relation.target))
        return found

    def _write_sheet(self, name: str, part: str, data: bytes) -> None:
        self._merges = Merges(data)
        heading = name
        writer = RowWriter(self._out, expects_names=False)
        last = 0
        for raw in self._raw_rows(data):
            row = self._row(raw)
            if not row.cells:
                continue
            heading = self._write_heading(heading)
            if raw.number != last + 1:
                writer.end_table()
            last = raw.number
            writer.add(row)
        writer.end_table()
        for line in (*self._boxes(part), *self._comments(part)):
            heading = self._write_heading(heading)
            self._out.add_block(line)
            check_length(self._out)

    def _raw_rows(self, data: bytes) -> Iterator[RawRow]:
        """Yield the rows above the place where a sheet is damaged, if it is."""
        try:
            yield from sheet_rows(data)
        except IngestionFailed as failure:
            if failure.code is not FailureCode.CORRUPT:
                raise
            self._damage = failure

    def _write_heading(self, name: str) -> str:
        """Write a sheet's name above the first thing in it."""
        if name:
            self._out.add_block(name, SpanKind.HEADING, 1)
        return ""

    def _row(self, raw: RawRow) -> SheetRow:
        shown = {cell.column: text for cell in raw.cells if (text := self._values.text(cell))}
        is_bold = bool(shown) and all(self._values.is_bold(cell) for cell in raw.cells if cell.column in shown)
        return SheetRow(self._merges.fill(raw.number, shown), is_bold, self._merges.widths(raw.number))

    def _boxes(self, sheet: str) -> list[str]:
        """The texts of the shapes that lie on a sheet."""
        drawings = [self._package.part(name) for name in self._package.related(sheet, "drawing")]
        boxes = [box for drawing in drawings if drawing is not None for box in drawing.iter("txBody")]
        texts = ["\n".join(filter(None, map(_line, box.iter("p")))) for box in boxes]
        return [text for text in texts if text]

    def _comments(self, sheet: str) -> list[str]:
        parts = [self._package.part(name) for name in self._package.related(sheet, "comments")]
        found = []
        for comment in (comment for part in parts if part is not None for comment in part.iter("comment")):
            text = _line(comment)
            if text.startswith("[Threaded comment]"):
                text = text.partition(_COMMENT_BOILERPLATE)[2].strip()
            if text:
                found.append(f"Comment on {clean(comment.get('ref', ''))}: {text}")
        return found


def _line(element: Element) -> str:
    return " ".join(clean("".join(text.text or "" for text in element.iter("t"))).split())


def _counts_from_1904(workbook: Element) -> bool:
    properties = workbook.find("workbookPr")
    return properties is not None and properties.get("date1904", "0") in ("1", "true")


def _read(content: bytes, _hints: Hints) -> ParsedDocument:
    return _Reader(OfficePackage(content, _MAIN_PART)).read()


def _claims(content: bytes, _hints: Hints) -> bool:
    return content.startswith(archives.SIGNATURE) and is_package_of(content, _MAIN_PART, _CONTENT_TYPES)


FORMAT = Format("an Excel workbook", _claims, _read, ("zipfile", "xml.etree.ElementTree", "xml.parsers.expat"))
