"""CSV and TSV: every row can be read by itself."""

from __future__ import annotations

import time

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import Span, SpanKind

parser = LibraryDocumentParser()
ROWS = [["Name", "City", "Age"], ["Ann", "Rome", "31"], ["Bob", "Oslo", "44"]]
SHOWN = "Name | City | Age\nName: Ann | City: Rome | Age: 31\nName: Bob | City: Oslo | Age: 44"


def text_of(content: bytes | str, name: str = "a.csv") -> str:
    return parser.parse(content.encode() if isinstance(content, str) else content, name=name).text


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_delimiter_is_told_by_the_content(delimiter: str, newline: str) -> None:
    assert text_of(newline.join(delimiter.join(row) for row in ROWS)) == SHOWN


def test_the_whole_table_is_marked() -> None:
    parsed = parser.parse(b"a,b\n1,2\n", name="a.csv")
    assert parsed.spans == (Span(SpanKind.TABLE, 0, len(parsed.text)),)
    assert parsed.media_type == "text/csv"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030"])
def test_encoding_is_told_by_the_content(encoding: str) -> None:
    rows = "姓名,城市,年龄\n" + "王小明,北京市朝阳区,三十一\n李华,上海市浦东新区,四十四\n" * 5
    assert "姓名: 王小明 | 城市: 北京市朝阳区 | 年龄: 三十一" in text_of(rows.encode(encoding))


def test_quoted_newlines_delimiters_and_quotes_stay_inside_their_value() -> None:
    content = 'Name,Note\nAnn,"first line\nsecond, ""line"""\nBob,short\n'
    assert text_of(content) == 'Name | Note\nName: Ann | Note: first line second, "line"\nName: Bob | Note: short'


def test_decimal_commas_do_not_pass_for_delimiters() -> None:
    assert text_of("Teil;Preis\nPumpe;1,50\nVentil;2,75\n").endswith("Teil: Ventil | Preis: 2,75")


def test_separator_line_of_spreadsheets_is_obeyed() -> None:
    assert text_of("sep=;\na;b,c\n1;2\n") == "a | b,c\na: 1 | b,c: 2"


def test_table_without_names_gets_none() -> None:
    assert text_of("Ann,31\nBob,44\n") == "Ann | 31\nBob | 44"


def test_title_and_blank_lines_do_not_hide_the_names() -> None:
    assert text_of("Report of May\n\nName,Age\nAnn,31\n\nBob,44\n") == (
        "Report of May\n\nName | Age\nName: Ann | Age: 31\nName: Bob | Age: 44"
    )


def test_quote_that_is_never_closed_swallows_nothing() -> None:
    content = "Name,Size\n" + 'pipe,"5 inch\n' + "valve,3\n" * 2_000
    assert text_of(content).count("Name: valve | Size: 3") == 2_000


def test_rows_longer_than_the_names_lose_nothing() -> None:
    assert text_of("a,b\n1,2,3\n").endswith("a: 1 | b: 2 | 3")


def test_text_under_the_name_of_a_workbook_is_read_as_a_table() -> None:
    assert text_of("\n".join("\t".join(row) for row in ROWS), "report.xls") == SHOWN
    assert text_of("Only words here.", "report.xlsx") == "Only words here."


def test_table_without_values_has_no_text() -> None:
    with pytest.raises(IngestionFailed) as caught:
        text_of(",,,\n,,,\n")
    assert caught.value.code is FailureCode.NO_TEXT


def test_long_field_and_many_rows_are_read_in_linear_time() -> None:
    started = time.process_time()
    assert len(text_of("a,b\n" + "x" * 1_000_000 + ",1\n" + "word,2\n" * 100_000)) > 2_000_000
    assert time.process_time() - started < 4


LINES = [f"part {number},{number},Kiel" for number in range(400)]
TABLES = {
    "alike": LINES,
    "an empty field": [*LINES[:300], "part,,Oslo", *LINES[300:]],
    "a field less": [*LINES[:300], "part,3", *LINES[300:]],
    "an empty line": [*LINES[:300], "", *LINES[300:]],
    "a field that names its column": [*LINES[:300], "part,100% of it,Kiel", *LINES[300:]],
    "fields to be tidied": [*LINES[:300], " two  spaces , 3 ,\u200bKiel\u00a0", *LINES[300:]],
}


@pytest.mark.parametrize("lines", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("limits", [(250_000, 20_000_000), (330, 20_000_000), (250_000, 9_000)])
def test_rows_read_the_same_many_at_a_time_and_one_by_one(
    lines: list[str], limits: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knowledge_base.adapters.parsing.delimited.reader._MAX_NAMED_ROWS", limits[0])
    for module in ("reader", "rows"):
        monkeypatch.setattr(f"knowledge_base.adapters.parsing.delimited.{module}.MAX_NAMED_TEXT", limits[1])
    table = "\n".join(["Part,100% of it,Town", *lines])
    one_by_one = text_of("\n".join(f'"{line}"'.replace(",", '","') for line in table.split("\n")))
    assert text_of(table) == "\n".join(line.replace('"', "") for line in one_by_one.split("\n"))
    assert all(f"part {number}" in one_by_one for number in range(400))


def test_quoted_newline_far_down_stays_inside_its_value() -> None:
    lines = [*LINES[:300], 'part,3,"north\nof Kiel"', *LINES[300:]]
    shown = text_of("\n".join(["Part,No,Town", *lines])).split("\n")
    assert "Part: part | No: 3 | Town: north of Kiel" in shown and len(shown) == 402
