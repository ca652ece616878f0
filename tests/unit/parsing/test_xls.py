"""XLS files: rows of old workbooks, in binary and in XML form."""

from __future__ import annotations

import struct

import pytest

from knowledge_base.adapters.parsing.format import Hints
from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.adapters.parsing.xls import reader
from knowledge_base.adapters.parsing.xls import xml as xls_xml
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument
from tests.unit.parsing.ole_files import an_ole_file

pytest.importorskip("xlrd")
parser = LibraryDocumentParser((reader.FORMAT, xls_xml.FORMAT))
NAMES = 'xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"'


def record(kind: int, data: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


def label(row: int, column: int, text: str) -> bytes:
    encoded = text.encode("utf-16-le")
    return record(0x204, struct.pack("<HHHHB", row, column, 0, len(text), 1) + encoded)


def number(row: int, column: int, value: float, look: int = 0) -> bytes:
    return record(0x203, struct.pack("<HHHd", row, column, look, value))


def a_workbook(*cells: bytes, globals_: bytes = b"", state: int = 0) -> bytes:
    """A workbook of one sheet; looks are plain (0) and per cent (1)."""
    begin = record(0x809, struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 0))
    looks = b"".join(record(0xE0, struct.pack("<HH16x", 0, form)) for form in (0, 10))
    font = record(0x31, struct.pack("<HHHHHBBBBBB", 200, 0, 0, 400, 0, 0, 0, 0, 0, 1, 0) + b"\0A")
    sheet = record(0x809, struct.pack("<HHHHII", 0x600, 16, 0, 0, 0, 0)) + b"".join(cells) + record(0x0A)
    place = len(begin + globals_ + font * 5 + looks) + 4 + 10 + 4
    name = record(0x85, struct.pack("<IBBBB", place, state, 0, 2, 0) + b"S1")
    stream = begin + globals_ + font * 5 + looks + name + record(0x0A)
    return an_ole_file({"Workbook": stream + sheet})


def parse(content: bytes, name: str = "a.xls") -> ParsedDocument:
    return parser.parse(content, name=name)


def failure_code(content: bytes) -> FailureCode:
    with pytest.raises(IngestionFailed) as caught:
        parse(content)
    return caught.value.code


def test_rows_keep_their_headers_and_values_show_as_they_are_formatted() -> None:
    cells = (label(0, 0, "Code"), label(0, 1, "Share"), label(1, 0, "压力"), number(1, 1, 0.25, look=1))
    parsed = parse(a_workbook(*cells))
    assert parsed.text == "S1\n\nCode | Share\nCode: 压力 | Share: 25.00%"
    assert parsed.media_type == "application/vnd.ms-excel"


def test_sheet_that_only_programs_can_show_is_left_out() -> None:
    assert failure_code(a_workbook(label(0, 0, "secret"), state=2)) is FailureCode.NO_TEXT


def test_merged_cells_repeat_downwards() -> None:
    merge = record(0xE5, struct.pack("<5H", 1, 0, 1, 0, 0))
    cells = (label(0, 0, "North"), label(0, 1, "Kiel"), label(1, 1, "Husum"), merge)
    assert parse(a_workbook(*cells)).text == "S1\n\nNorth | Kiel\nNorth | Husum"


def test_workbook_with_a_password_is_encrypted() -> None:
    assert failure_code(a_workbook(globals_=record(0x2F, bytes(6)))) is FailureCode.ENCRYPTED


@pytest.mark.parametrize("content", [an_ole_file({"Workbook": bytes(5_000)}), a_workbook(label(0, 0, "x"))[:1_500]])
def test_damaged_workbook_is_corrupt(content: bytes) -> None:
    assert failure_code(content) is FailureCode.CORRUPT


@pytest.mark.parametrize("name", ["a.doc", "a.xlsx", "a"])
def test_workbook_is_recognised_whatever_its_name(name: str) -> None:
    assert reader.FORMAT.claims(a_workbook(label(0, 0, "x")), Hints(name))


def a_cell(value: str, kind: str = "String", more: str = "") -> str:
    return f'<Cell {more}><Data ss:Type="{kind}">{value}</Data></Cell>'


def test_workbook_in_xml_form_is_read_row_by_row() -> None:
    third = a_cell("Husum", more='ss:Index="3"')
    rows = (
        f"<Row>{a_cell('Code')}{a_cell('Since')}{a_cell('City')}</Row>"
        f"<Row>{a_cell('E04')}{a_cell('2026-05-01T00:00:00.000', 'DateTime')}{a_cell('Kiel')}</Row>"
        f"<Row>{a_cell('E05')}{third}</Row>"
    )
    content = (
        f'<?xml version="1.0"?><Workbook {NAMES}><Worksheet ss:Name="S"><Table>{rows}</Table></Worksheet></Workbook>'
    )
    assert parse(content.encode()).text == (
        "S\n\nCode | Since | City\nCode: E04 | Since: 2026-05-01 | City: Kiel\nCode: E05 | City: Husum"
    )


def test_workbook_in_xml_form_that_is_long_is_read_whole() -> None:
    rows = "".join(f"<Row>{a_cell(f'E{place}')}{a_cell('x')}</Row>" for place in range(3_000))
    content = f'<Workbook {NAMES}><Worksheet ss:Name="S"><Table>{rows}</Table></Worksheet></Workbook>'
    assert parse(content.encode()).text.endswith("E2999 | x")
