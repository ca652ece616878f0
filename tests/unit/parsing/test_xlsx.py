"""XLSX files: rows that keep their headers, values as their reader sees them, bounded whatever comes."""

from __future__ import annotations

import struct
import time
import zipfile
from io import BytesIO
from typing import Any

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument, SpanKind
from tests.unit.parsing.files import a_zip, relations

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
STRICT_MAIN = "http://purl.oclc.org/ooxml/spreadsheetml/main"
parser = LibraryDocumentParser()

STYLES = (
    f'<styleSheet xmlns="{MAIN}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd hh:mm"/>'
    '<numFmt numFmtId="165" formatCode="00000"/><numFmt numFmtId="166" formatCode="&quot;day&quot; 0.0"/></numFmts>'
    '<fonts><font/><font><b/></font></fonts><cellXfs><xf numFmtId="0" fontId="0"/><xf numFmtId="14"/>'
    '<xf numFmtId="10"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="0" fontId="1"/>'
    '<xf numFmtId="2"/><xf numFmtId="46"/><xf numFmtId="166"/></cellXfs></styleSheet>'
)


def cell(reference: str, value: object, kind: str = "", style: int = 0) -> str:
    if isinstance(value, str) and not kind:
        return f'<c r="{reference}" t="inlineStr" s="{style}"><is><t>{value}</t></is></c>'
    return f'<c r="{reference}" t="{kind or "n"}" s="{style}"><v>{value}</v></c>'


def row(number: int, *values: object, style: int = 0) -> str:
    cells = (
        cell(f"{chr(65 + place)}{number}", value, style=style) for place, value in enumerate(values) if value != ""
    )
    return f'<row r="{number}">{"".join(cells)}</row>'


def a_sheet(*rows: str, after: str = "", namespace: str = MAIN) -> str:
    return f'<worksheet xmlns="{namespace}"><sheetData>{"".join(rows)}</sheetData>{after}</worksheet>'


def a_workbook(
    sheets: dict[str, str], *, states: dict[str, str] | None = None, date1904: int = 0, **parts: str
) -> bytes:
    """A workbook of named sheets; `parts` are further members by kind, such as `sharedStrings`."""
    entries = [(f"rId{place}", "worksheet", f"worksheets/sheet{place}.xml") for place in range(len(sheets))]
    tabs = "".join(
        f'<sheet name="{name}" sheetId="{place + 1}" state="{(states or {}).get(name, "visible")}" r:id="rId{place}"/>'
        for place, name in enumerate(sheets)
    )
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    properties = f'<workbookPr date1904="{date1904}"/>'
    workbook = f'<workbook xmlns="{MAIN}" xmlns:r="{office}">{properties}<sheets>{tabs}</sheets></workbook>'
    others = [(kind, kind, f"{kind}.xml") for kind in ("styles", *parts)]
    return a_zip(
        {
            "_rels/.rels": relations(("r1", "officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": workbook,
            "xl/_rels/workbook.xml.rels": relations(*entries, *others),
            "xl/styles.xml": STYLES,
            **{f"xl/worksheets/sheet{place}.xml": sheet for place, sheet in enumerate(sheets.values())},
            **{f"xl/{kind}.xml": content for kind, content in parts.items()},
        }
    )


def parse(content: bytes, name: str = "a.xlsx") -> ParsedDocument:
    return parser.parse(content, name=name)


def text_of(*rows: str, after: str = "", **parts: Any) -> str:
    return parse(a_workbook({"Data": a_sheet(*rows, after=after)}, **parts)).text


def failure_code(content: bytes) -> FailureCode:
    with pytest.raises(IngestionFailed) as caught:
        parse(content)
    return caught.value.code


def test_rows_keep_the_names_of_their_columns_and_sheets_are_sections() -> None:
    parsed = parse(
        a_workbook(
            {
                "Prices": a_sheet(row(1, "Part", "Price", "Stock"), row(2, "Pump", 12.5, 3), row(3, "Valve", 7, "")),
                "库存": a_sheet(row(1, "only a note")),
            }
        )
    )
    assert parsed.text == (
        "Prices\n\nPart | Price | Stock\nPart: Pump | Price: 12.5 | Stock: 3\nPart: Valve | Price: 7"
        "\n\n库存\n\nonly a note"
    )
    headings = [parsed.text[span.start : span.end] for span in parsed.spans_of(SpanKind.HEADING)]
    assert headings == ["Prices", "库存"]
    tables = [parsed.text[span.start : span.end] for span in parsed.spans_of(SpanKind.TABLE)]
    assert tables[0].startswith("Part | Price") and tables[0].endswith("Price: 7")


def test_shared_strings_are_read_with_their_runs_and_without_their_readings() -> None:
    shared = (
        f'<sst xmlns="{MAIN}"><si><r><t>heat </t></r><r><t>pump</t></r></si>'
        "<si><t>課</t><rPh><t>カ</t></rPh></si><si><t>a_x000D_\nb &amp; c</t></si></sst>"
    )
    cells = "".join(cell(f"{letter}1", place, "s") for place, letter in enumerate("ABC"))
    text = text_of(f'<row r="1">{cells}{cell("D1", 99, "s")}</row>', sharedStrings=shared)
    assert text == "Data\n\nheat pump | 課 | a b & c"


@pytest.mark.parametrize(
    ("value", "style", "shown"),
    [
        (45322, 1, "2024-01-31"),
        (45322.75, 3, "2024-01-31 18:00"),
        (0.5, 3, "12:00"),
        (59, 1, "1900-02-28"),
        (61, 1, "1900-03-01"),
        (0.125, 2, "12.50%"),
        (1234, 4, "01234"),
        (1.0 / 3, 6, "0.33"),
        (12.340000000000002, 0, "12.34"),
        (1e300, 1, "1e+300"),
        (1234567890123, 0, "1234567890123"),
        (1.5, 7, "36:00:00"),
        (2.25, 8, "2.2"),
        ("NaN", 1, "NaN"),
    ],
)
def test_numbers_stand_as_their_reader_sees_them(value: object, style: int, shown: str) -> None:
    assert text_of(f'<row r="1">{cell("A1", value, "n", style)}</row>') == f"Data\n\n{shown}"


def test_dates_of_the_1904_calendar_are_right() -> None:
    sheet = a_sheet(f'<row r="1">{cell("A1", 43860, "n", 1)}</row>')
    assert parse(a_workbook({"D": sheet}, date1904=1)).text == "D\n\n2024-01-31"


def test_formulas_show_their_last_value_and_errors_nothing() -> None:
    cells = (
        '<c r="A1"><f>SUM(B1:B9)</f><v>45</v></c><c r="B1"><f>NOW()</f></c><c r="C1" t="e"><v>#DIV/0!</v></c>'
        '<c r="D1" t="str"><f>A1&amp;"x"</f><v>45x</v></c><c r="E1" t="b"><v>1</v></c>'
    )
    assert text_of(f'<row r="1">{cells}</row>') == "Data\n\n45 | =NOW() | 45x | TRUE"


def test_cell_merged_downwards_stands_in_each_of_its_rows() -> None:
    merges = '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>'
    text = text_of(row(1, "Area", "Code", "Count"), row(2, "North", "E1", 1), row(3, "", "E2", 2), after=merges)
    assert "Area: North | Code: E2 | Count: 2" in text


def test_header_of_two_rows_is_joined_under_its_merged_cells() -> None:
    merges = '<mergeCells><mergeCell ref="B1:C1"/><mergeCell ref="D1:E1"/></mergeCells>'
    rows = (row(1, "Area", "2023", "", "2024", ""), row(2, "", "Q1", "Q2", "Q1", "Q2"), row(3, "North", 1, 2, 3, 4))
    assert "Area: North | 2023 Q1: 1 | 2023 Q2: 2 | 2024 Q1: 3 | 2024 Q2: 4" in text_of(*rows, after=merges)


def test_title_above_a_table_and_a_second_table_below_it_are_told_apart() -> None:
    text = text_of(
        row(1, "Yearly report"),
        row(2, "Part", "Price"),
        row(3, "Pump", 5),
        row(5, "Country", "People"),
        row(6, "Chile", 20),
        row(8, "Peru", 34),
    )
    assert text == (
        "Data\n\nYearly report\n\nPart | Price\nPart: Pump | Price: 5\n\n"
        "Country | People\nCountry: Chile | People: 20\n\nCountry: Peru | People: 34"
    )


def test_years_name_columns_but_a_row_of_data_does_not() -> None:
    assert "Area: North | 2021: 5 | 2022: 6" in text_of(row(1, "Area", "2021", "2022"), row(2, "North", 5, 6))
    assert text_of(row(1, "Ann", 31), row(2, "Bob", 44)) == "Data\n\nAnn | 31\nBob | 44"


def test_single_row_is_no_table() -> None:
    assert not list(parse(a_workbook({"S": a_sheet(row(1, "Name", "Ann"))})).spans_of(SpanKind.TABLE))


def test_bold_row_names_columns_of_words() -> None:
    text = text_of(row(1, "Term", "Meaning", style=5), row(2, "kWh", "energy"))
    assert text.endswith("Term: kWh | Meaning: energy")


def test_hidden_sheets_are_read_and_those_only_programs_can_show_are_not() -> None:
    sheets = {name: a_sheet(row(1, f"words of {name}")) for name in ("a", "b", "c")}
    text = parse(a_workbook(sheets, states={"b": "hidden", "c": "veryHidden"})).text
    assert text == "a\n\nwords of a\n\nb\n\nwords of b"


def test_strict_workbook_and_cells_without_references_are_read() -> None:
    sheet = a_sheet("<row><c><v>1</v></c><c><v>2</v></c></row>", namespace=STRICT_MAIN)
    assert parse(a_workbook({"S": sheet})).text == "S\n\n1 | 2"


@pytest.mark.parametrize("name", ["a.docx", "a.txt", "a.zip", "a.csv", ""])
def test_workbook_is_read_as_what_it_is_whatever_its_name(name: str) -> None:
    assert parse(a_workbook({"S": a_sheet(row(1, "words"))}), name).text == "S\n\nwords"


def test_workbook_of_empty_sheets_has_no_text() -> None:
    assert failure_code(a_workbook({"A": a_sheet(), "B": a_sheet(row(1))})) is FailureCode.NO_TEXT


def test_damaged_workbook_is_corrupt_but_a_damaged_sheet_is_read_as_far_as_it_goes() -> None:
    whole = a_workbook({"S": a_sheet(row(1, "words"))})
    assert failure_code(whole[: len(whole) // 2]) is FailureCode.CORRUPT
    assert failure_code(a_workbook({"S": "<worksheet><sheetData><row"})) is FailureCode.CORRUPT
    parsed = parse(a_workbook({"S": a_sheet(row(1, "words")), "T": a_sheet(row(1, "more"), "<row")}))
    assert parsed.text == "S\n\nwords\n\nT\n\nmore"
    assert parsed.low_quality


def test_huge_sparse_sheet_is_read_at_once() -> None:
    started = time.process_time()
    merges = '<dimension ref="A1:XFD1048576"/><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'
    far = f'<row r="1048576">{cell("XFD1048576", "far away")}</row>'
    assert "far away" in text_of(row(1, "near"), far, after=merges)
    assert time.process_time() - started < 2


def test_one_text_repeated_beyond_reason_is_too_complex() -> None:
    shared = f'<sst xmlns="{MAIN}"><si><t>{"x" * 30_000}</t></si></sst>'
    rows = "".join(f'<row r="{number}">{cell(f"A{number}", 0, "s")}</row>' for number in range(1, 5_000))
    assert failure_code(a_workbook({"S": a_sheet(rows)}, sharedStrings=shared)) is FailureCode.TOO_COMPLEX


def test_more_cells_than_can_be_read_are_too_complex(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knowledge_base.adapters.parsing.xlsx.stream.MAX_CELLS", 100)
    assert failure_code(a_workbook({"S": a_sheet(*(row(n, 1, 2) for n in range(1, 99)))})) is FailureCode.TOO_COMPLEX


def test_entities_are_never_expanded() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    text = parse(a_workbook({"S": bomb + a_sheet('<row><c t="str"><v>words &b;</v></c></row>')})).text
    assert text == "S\n\nwords"


def test_comments_are_kept_with_their_cell() -> None:
    office = a_workbook({"S": a_sheet(row(1, "words"))})
    comment = '<comment ref="A1"><text><r><t>ask Ann</t></r></text></comment>'
    comments = f'<comments xmlns="{MAIN}"><commentList>{comment}</commentList></comments>'
    extra = {"xl/worksheets/_rels/sheet0.xml.rels": relations(("r1", "comments", "../comments1.xml"))}
    assert parse(_with(office, {**extra, "xl/comments1.xml": comments})).text.endswith("Comment on A1: ask Ann")


def _with(content: bytes, members: dict[str, str]) -> bytes:
    target = BytesIO(content)
    with zipfile.ZipFile(target, "a") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return target.getvalue()


def test_charts_on_sheets_and_on_sheets_of_their_own_are_read() -> None:
    chart = (
        '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart><c:ser>'
        '<c:tx><c:v>North</c:v></c:tx><c:val><c:pt idx="0"><c:v>4.4000000000000004</c:v></c:pt></c:val>'
        "</c:ser></c:chart></c:chartSpace>"
    )
    frame = '<xdr:graphicFrame><c:chart r:id="c1"/></xdr:graphicFrame>'
    drawing = f'<xdr:wsDr xmlns:xdr="x" xmlns:c="y" xmlns:r="z">{frame}</xdr:wsDr>'
    book = a_workbook({"S": a_sheet(row(1, "words")), "Chart": "<chartsheet/>"})
    with zipfile.ZipFile(BytesIO(book)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    listed = members["xl/_rels/workbook.xml.rels"].decode()
    members["xl/_rels/workbook.xml.rels"] = listed.replace(
        '/worksheet" Target="worksheets/sheet1', '/chartsheet" Target="worksheets/sheet1'
    ).encode()
    for sheet in ("sheet0", "sheet1"):
        members[f"xl/worksheets/_rels/{sheet}.xml.rels"] = relations(("d", "drawing", "../drawing.xml")).encode()
    extra = {
        "xl/drawing.xml": drawing,
        "xl/_rels/drawing.xml.rels": relations(("c1", "chart", "chart.xml")),
        "xl/chart.xml": chart,
    }
    assert parse(a_zip({**members, **extra})).text == "S\n\nwords\n\nNorth: 4.4\n\nChart\n\nNorth: 4.4"


def test_sheet_that_is_pointed_to_with_an_unusual_prefix_is_read() -> None:
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    workbook = (
        f'<workbook xmlns="{MAIN}"><sheets><sheet name="S" d3p1:id="rId0" xmlns:d3p1="{office}"/></sheets></workbook>'
    )
    book = a_workbook({"S": a_sheet(row(1, "words"))})
    with zipfile.ZipFile(BytesIO(book)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    assert parse(a_zip({**members, "xl/workbook.xml": workbook})).text == "S\n\nwords"


def test_sheet_of_many_pieces_knows_its_merged_cells() -> None:
    rows = [
        row(1, "Region", "City"),
        row(2, "North", "Kiel"),
        row(3, "", "Husum"),
        *(row(n, f"r{n}", "x") for n in range(4, 4_000)),
    ]
    merges = '<mergeCells count="1"><mergeCell ref="A2:A3"/></mergeCells>'
    assert "North | Husum\n" in text_of(*rows, after=merges)


def test_rows_of_sixteen_thousand_columns_are_too_complex_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knowledge_base.adapters.parsing.xlsx.stream.MAX_CELLS", 100_000)
    wide = "".join("<c><v>1</v></c>" for _ in range(16_384))
    sheet = a_sheet(*(f"<row>{wide}</row>" for _ in range(7)))
    assert failure_code(a_workbook({"S": sheet})) is FailureCode.TOO_COMPLEX


def test_more_shared_texts_than_can_be_held_are_too_complex(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knowledge_base.adapters.parsing.xlsx.stream.MAX_SHARED_TEXTS", 100)
    shared = f'<sst xmlns="{MAIN}">{"<si><t>x</t></si>" * 200}</sst>'
    assert failure_code(a_workbook({"S": a_sheet(row(1, "a"))}, sharedStrings=shared)) is FailureCode.TOO_COMPLEX


def record(kind: int, data: bytes = b"") -> bytes:
    number = bytes((kind,)) if kind < 0x80 else bytes((kind & 0x7F | 0x80, kind >> 7))
    size = bytes((len(data),)) if len(data) < 0x80 else bytes((len(data) & 0x7F | 0x80, len(data) >> 7))
    return number + size + data


def wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def binary_cell(kind: int, column: int, data: bytes, style: int = 0) -> bytes:
    return record(kind, struct.pack("<II", column, style) + data)


def a_binary_workbook(*records: bytes, state: int = 0) -> bytes:
    looks = (
        record(617)
        + record(47, struct.pack("<6H", 0, 0, 0, 0, 0, 0))
        + record(47, struct.pack("<6H", 0, 10, 0, 0, 0, 0))
    )
    return a_zip(
        {
            "_rels/.rels": relations(("r1", "officeDocument", "xl/workbook.bin")),
            "xl/workbook.bin": record(156, struct.pack("<II", state, 1) + wide("rId0") + wide("S")),
            "xl/_rels/workbook.bin.rels": relations(
                ("rId0", "worksheet", "sheet.bin"), ("t", "sharedStrings", "texts.bin"), ("s", "styles", "styles.bin")
            ),
            "xl/texts.bin": record(19, b"\0" + wide("Code")) + record(19, b"\0" + wide("Share")),
            "xl/styles.bin": looks + record(618),
            "xl/sheet.bin": b"".join(records),
        }
    )


def test_binary_workbook_is_read_as_any_other() -> None:
    names = binary_cell(7, 0, struct.pack("<I", 0)) + binary_cell(7, 1, struct.pack("<I", 1))
    values = (
        record(0, struct.pack("<I", 1))
        + binary_cell(6, 0, wide("E04"))
        + binary_cell(5, 1, struct.pack("<d", 0.25), style=1)
        + record(0, struct.pack("<I", 2))
        + binary_cell(2, 0, struct.pack("<i", 1234 << 2 | 3))
        + binary_cell(4, 1, b"\1")
    )
    parsed = parse(a_binary_workbook(record(0, struct.pack("<I", 0)) + names + values), name="a.xlsb")
    assert parsed.text == "S\n\nCode | Share\nCode: E04 | Share: 25.00%\nCode: 12.34 | Share: TRUE"


def test_merged_cells_of_a_binary_workbook_repeat_downwards() -> None:
    rows = [record(0, struct.pack("<I", number)) for number in range(2)]
    cities = [binary_cell(6, 1, wide(city)) for city in ("Kiel", "Husum")]
    rows = [rows[0], binary_cell(6, 0, wide("North")), cities[0], rows[1], cities[1]]
    content = a_binary_workbook(*rows, record(176, struct.pack("<4I", 0, 1, 0, 0)))
    assert parse(content).text == "S\n\nNorth | Kiel\nNorth | Husum"


@pytest.mark.parametrize("cut", [3, 9, 20])
def test_binary_workbook_that_is_cut_off_gives_the_rows_before(cut: int) -> None:
    first = record(0, struct.pack("<I", 0)) + binary_cell(6, 0, wide("words"))
    second = record(0, struct.pack("<I", 1)) + binary_cell(6, 0, wide("more of them"))
    assert parse(a_binary_workbook(first, second[:cut])).text == "S\n\nwords"


def test_rows_that_are_written_plainly_and_others_stay_in_their_order() -> None:
    plain = [
        f'<row r="{n}" spans="1:2"><c r="A{n}" t="s"><v>0</v></c><c r="B{n}" s="0"><v>{n}</v></c></row>'
        for n in range(1, 4_000)
    ]
    plain[2_000] = row(2_001, "inline &amp; text", 2_001)
    parsed = parser.parse(
        a_workbook({"S": a_sheet(*plain)}, sharedStrings=f'<sst xmlns="{MAIN}"><si><t>shared</t></si></sst>'),
        name="a.xlsx",
    )
    lines = parsed.text.split("\n")
    values = [line.rpartition(" ")[2] for line in lines if "shared" in line or "inline" in line]
    assert values == [str(n) for n in range(1, 4_000)]
    assert "inline & text" in lines[-1_999]


@pytest.mark.parametrize("second", ["<si><t>Lyon</t></si>", "<si><r><t>Ly</t></r><r><t>on</t></r></si>"])
def test_shared_texts_are_the_same_plain_or_rich(second: str) -> None:
    texts = f'<sst xmlns="{MAIN}"><si><t xml:space="preserve"> Kiel  1 </t></si>{second}<si><t>a &amp; b</t></si></sst>'
    cells = "".join(cell(f"{letter}1", place, "s") for place, letter in enumerate("ABC"))
    parsed = parser.parse(a_workbook({"S": a_sheet(f'<row r="1">{cells}</row>')}, sharedStrings=texts), name="a.xlsx")
    assert parsed.text == "S\n\nKiel 1 | Lyon | a & b"
