"""Workbooks whose parts are binary records (XLSB, [MS-XLSB] 2.4)."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

from knowledge_base.adapters.parsing.format import corrupt
from knowledge_base.adapters.parsing.office_package import OfficePackage
from knowledge_base.adapters.parsing.sheets import Merges, cell_name, count_cells
from knowledge_base.adapters.parsing.xlsx.book import Sheet
from knowledge_base.adapters.parsing.xlsx.cells import RawCell, RawRow, one_line
from knowledge_base.adapters.parsing.xlsx.stream import TextStore
from knowledge_base.adapters.parsing.xlsx.values import CellLook, built_in_code, read_form

_ROW, _RK, _ERROR, _BOOL, _REAL, _TEXT, _SHARED, _FORMULA_TEXT, _FORMULA_NUMBER, _FORMULA_BOOL = 0, *range(2, 11)
_SHARED_TEXT, _FONT, _FORMAT, _LOOK, _RICH_TEXT = 19, 43, 44, 47, 62
_PROPERTIES, _SHEET, _MERGE = 153, 156, 176
_LOOKS_BEGIN, _LOOKS_END = 617, 618
_COMMENT, _COMMENT_TEXT = 635, 637
_BOLD, _VERY_HIDDEN = 600, 2
_CELL_HEAD = 8

Record = tuple[int, bytes]


class BinaryBook:
    """A workbook whose parts are records."""

    def __init__(self, package: OfficePackage) -> None:
        self._package = package
        self._workbook = list(_records(package.pieces(package.main)))

    def sheets(self) -> list[Sheet]:
        """Return the sheets in the order of their tabs."""
        return [_sheet(data) for kind, data in self._workbook if kind == _SHEET]

    def counts_from_1904(self) -> bool:
        """Whether days are counted from 1904 on."""
        return any(data[0] & 1 for kind, data in self._workbook if kind == _PROPERTIES and data)

    def texts(self) -> list[str]:
        """Return the texts that cells share, each on one line."""
        store = TextStore()
        for kind, data in self._records_of("sharedStrings"):
            if kind == _SHARED_TEXT:
                store.add(_wide(data, 1))
        return store.texts

    def looks(self) -> list[CellLook]:
        """Return the looks by the numbers by which cells point to them."""
        codes: dict[int, str] = {}
        fonts: list[bool] = []
        looks: list[CellLook] = []
        is_look = False
        for kind, data in self._records_of("styles"):
            is_look = kind == _LOOKS_BEGIN or (is_look and kind != _LOOKS_END)
            if kind == _FORMAT:
                codes[struct.unpack_from("<H", data)[0]] = _wide(data, 2)
            elif kind == _FONT:
                fonts.append(struct.unpack_from("<H", data, 4)[0] >= _BOLD)
            elif kind == _LOOK and is_look:
                _parent, form, font = struct.unpack_from("<3H", data)
                is_bold = font < len(fonts) and fonts[font]
                looks.append(CellLook(read_form(codes.get(form) or built_in_code(form)), is_bold))
        return looks

    def merges(self, part: str) -> Merges:
        """Return the merged cells of a sheet."""
        merges = Merges()
        for kind, data in _records(self._package.pieces(part)):
            if kind == _MERGE:
                top, bottom, left, right = struct.unpack_from("<4I", data)
                merges.note(top + 1, left, bottom + 1, right)
        return merges

    def rows(self, part: str) -> Iterator[RawRow]:
        """Yield the rows of a sheet, those above a damaged place too."""
        number, cells = 0, list[RawCell]()
        for count, (kind, data) in enumerate(_records(self._package.pieces(part))):
            count_cells(count)
            if kind == _ROW:
                yield RawRow(number, cells)
                number, cells = struct.unpack_from("<I", data)[0] + 1, []
            elif (kind <= _FORMULA_BOOL or kind == _RICH_TEXT) and len(data) > _CELL_HEAD:
                cells.append(_cell(kind, data))
        yield RawRow(number, cells)

    def comments(self, part: str) -> Iterator[tuple[str, str]]:
        """Yield the cells that have comments, with their texts."""
        name = ""
        for target in self._package.related(part, "comments"):
            for kind, data in _records(self._package.pieces(target)) if target in self._package else ():
                if kind == _COMMENT:
                    row, _last, column = struct.unpack_from("<3I", data, 4)
                    name = cell_name(row + 1, column)
                elif kind == _COMMENT_TEXT:
                    yield name, one_line(_wide(data, 1))

    def _records_of(self, kind: str) -> Iterator[Record]:
        for name in self._package.related(self._package.main, kind)[:1]:
            if name in self._package:
                yield from _records(self._package.pieces(name))


def _sheet(data: bytes) -> Sheet:
    state = struct.unpack_from("<I", data)[0]
    part_id = _wide(data, 8)
    return Sheet(one_line(_wide(data, 12 + 2 * len(part_id))), part_id, state != _VERY_HIDDEN)


def _cell(kind: int, data: bytes) -> RawCell:
    column, style = struct.unpack_from("<II", data)
    form, value = _value(kind, data)
    return RawCell(column, form, style & 0xFF_FFFF, value)


def _value(kind: int, data: bytes) -> tuple[str, str]:
    """Return a cell's value in the form in which XML stores it."""
    if kind == _SHARED:
        return "s", str(struct.unpack_from("<I", data, _CELL_HEAD)[0])
    if kind in (_REAL, _FORMULA_NUMBER):
        return "n", repr(struct.unpack_from("<d", data, _CELL_HEAD)[0])
    if kind == _RK:
        return "n", repr(_rk(struct.unpack_from("<i", data, _CELL_HEAD)[0]))
    if kind in (_TEXT, _FORMULA_TEXT):
        return "str", _wide(data, _CELL_HEAD)
    if kind == _RICH_TEXT:
        return "str", _wide(data, _CELL_HEAD + 1)
    return ("b", str(data[_CELL_HEAD])) if kind in (_BOOL, _FORMULA_BOOL) else ("e", "")


def _rk(packed: int) -> float:
    """Return a number that is packed into 30 bits ([MS-XLSB] 2.5.123)."""
    number = packed >> 2 if packed & 2 else struct.unpack("<d", struct.pack("<q", (packed & ~3) << 32))[0]
    return float(number / 100 if packed & 1 else number)


def _wide(data: bytes, place: int) -> str:
    length = struct.unpack_from("<I", data, place)[0] if place + 4 <= len(data) else 0
    return data[place + 4 : place + 4 + 2 * length].decode("utf-16-le", "replace")


def _records(pieces: Iterable[bytes]) -> Iterator[Record]:
    """Yield the records of a part.

    Raises:
        IngestionFailed: they are damaged.
    """
    rest = b""
    try:
        for piece in pieces:
            rest += piece
            place = 0
            while (record := _record(rest, place)) is not None:
                kind, start, place = record
                yield kind, rest[start:place]
            rest = rest[place:] if place else rest
    except struct.error as error:
        raise corrupt("a part of it cannot be read") from error


def _record(data: bytes, place: int) -> tuple[int, int, int] | None:
    """Return kind, begin and end of the record at a place, or None where it is not complete."""
    if place + 2 > len(data):
        return None
    kind, place = data[place], place + 1
    if kind & 0x80:
        kind, place = (kind & 0x7F) | (data[place] & 0x7F) << 7, place + 1
    size = 0
    for shift in range(0, 28, 7):
        if place >= len(data):
            return None
        size, place = size | (data[place] & 0x7F) << shift, place + 1
        if not data[place - 1] & 0x80:
            break
    return (kind, place, place + size) if place + size <= len(data) else None
