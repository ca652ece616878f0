"""XLS: the binary workbooks of Excel 2 to 2003."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import Any

from knowledge_base.adapters.parsing.delimited.rows import SheetRow
from knowledge_base.adapters.parsing.format import Format, Hints, encrypted
from knowledge_base.adapters.parsing.ole_container import SIGNATURE, open_container, root_names
from knowledge_base.adapters.parsing.sheets import Merges, WorkbookWriter, cell_name, count_cells
from knowledge_base.adapters.parsing.xlsx.cells import RawCell, one_line
from knowledge_base.adapters.parsing.xlsx.values import CellLook, CellValues, read_form
from knowledge_base.domain.parsed import ParsedDocument

MEDIA_TYPE = "application/vnd.ms-excel"
_STREAMS = ("workbook", "book")
"""Of a file for several versions, the newer one is read."""
_OLD_BEGINS = (b"\x09\x00\x04\x00", b"\x09\x02\x06\x00", b"\x09\x04\x06\x00", b"\x09\x08\x08\x00", b"\x09\x08\x10\x00")
"""How a workbook begins that stands in a file without a container."""
_KINDS = {1: "str", 2: "n", 3: "n", 4: "b"}
"""How cells are stored, by the types that the library gives them; errors and blanks are left out."""
_VERY_HIDDEN = 2
_ENCRYPTED = "encrypted"


class _Reader:
    """Finds the rows of a workbook's sheets, and the comments on them."""

    def __init__(self, workbook: Any) -> None:
        self._workbook = workbook
        looks = [self._look(look) for look in workbook.xf_list]
        self._values = CellValues([], looks, counts_from_1904=workbook.datemode == 1)

    def read(self, title: str) -> ParsedDocument:
        writer = WorkbookWriter()
        for place in range(self._workbook.nsheets):
            sheet = self._workbook.sheet_by_index(place)
            if sheet.visibility != _VERY_HIDDEN:
                writer.add_sheet(one_line(sheet.name), self._rows(sheet), _comments(sheet))
            self._workbook.unload_sheet(place)
        return writer.finish(MEDIA_TYPE, title=title)

    def _rows(self, sheet: Any) -> Iterator[tuple[int, SheetRow]]:
        merges, values, count = Merges(), self._values, 0
        for top, bottom, left, right in sheet.merged_cells:
            merges.note(top + 1, left, bottom, right - 1)
        for number in range(sheet.nrows):
            cells = list(_cells(sheet, number))
            count += len(cells) + 1
            count_cells(count)
            shown = {cell.column: text for cell in cells if (text := values.text(cell))}
            if shown:
                is_bold = all(values.is_bold(cell.style) for cell in cells if cell.column in shown)
                yield number + 1, merges.row(number + 1, shown, is_bold=is_bold)

    def _look(self, look: Any) -> CellLook:
        form = self._workbook.format_map.get(look.format_key)
        fonts = self._workbook.font_list
        is_bold = 0 <= look.font_index < len(fonts) and bool(fonts[look.font_index].bold)
        return CellLook(read_form((form.format_str if form else "") or ""), is_bold)


def _cells(sheet: Any, number: int) -> Iterator[RawCell]:
    """Yield the cells of a row that hold something, in the form in which XML stores them."""
    pairs = zip(sheet.row_types(number), sheet.row_values(number), strict=True)
    for column, (kind, value) in enumerate(pairs):
        if kind in _KINDS:
            stored = value if isinstance(value, str) else repr(value)
            yield RawCell(column, _KINDS[kind], sheet.cell_xf_index(number, column), stored)


def _comments(sheet: Any) -> Iterator[str]:
    for (row, column), note in sorted(sheet.cell_note_map.items()):
        text = one_line(note.text)
        yield f"Comment on {cell_name(row + 1, column)}: {text}" if text else ""


def _open(content: bytes) -> Any:
    import xlrd  # type: ignore[import-untyped]

    try:
        return xlrd.open_workbook(
            file_contents=content, formatting_info=True, on_demand=True, ragged_rows=True, logfile=StringIO()
        )
    except xlrd.XLRDError as error:
        if _ENCRYPTED in str(error):
            raise encrypted("the workbook") from error
        raise


def _read(content: bytes, _hints: Hints) -> ParsedDocument:
    if not content.startswith(SIGNATURE):
        return _Reader(_open(content)).read("")
    container = open_container(content)
    name = next(name for wanted in _STREAMS for name in container.names() if name.lower() == wanted)
    return _Reader(_open(container.stream(name))).read(container.title())


def _claims(content: bytes, _hints: Hints) -> bool:
    if content.startswith(SIGNATURE):
        return any(name.lower() in _STREAMS for name in root_names(content))
    return content.startswith(_OLD_BEGINS)


FORMAT = Format("an old Excel workbook", _claims, _read, ("xlrd", "olefile"))
