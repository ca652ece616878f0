"""Tables of PDF files: rows that can be read by themselves, and nothing taken for a table that is none."""

from __future__ import annotations

import textwrap

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.domain.parsed import ParsedDocument, SpanKind
from tests.unit.parsing.files import PROSE
from tests.unit.parsing.pdf_files import Draw, drawn, grid, lines, rows, together

parser = LibraryDocumentParser()
STOCK = (("Part", "Stock", "Price"), ("Pump", "12", "99.50"), ("Valve", "340", "7.25"), ("Filter", "8", "1,250.00"))
LEFTS = (72, 220, 340)


def parse(*pages: Draw) -> ParsedDocument:
    return parser.parse(drawn(*pages), name="a.pdf")


def tables_of(parsed: ParsedDocument) -> list[str]:
    return [parsed.text[span.start : span.end] for span in parsed.spans_of(SpanKind.TABLE)]


def cells(xs: tuple[float, ...], top: float, *columns: tuple[float, str]) -> Draw:
    """Draw cells one after the other, each with all its lines: as word processors do."""

    def draw(canvas: object) -> None:
        for column, text in columns:
            lines(*text.split("\n"), left=xs[int(column)] + 4, top=top)(canvas)  # type: ignore[arg-type]

    return draw


def test_rows_with_aligned_columns_are_a_table_whose_values_stand_with_their_names() -> None:
    parsed = parse(together(lines("Stock of the day", top=740), rows(*STOCK), lines(PROSE[:70], top=620)))
    assert tables_of(parsed) == [
        "Part | Stock | Price\n"
        "Part: Pump | Stock: 12 | Price: 99.50\n"
        "Part: Valve | Stock: 340 | Price: 7.25\n"
        "Part: Filter | Stock: 8 | Price: 1,250.00"
    ]
    assert parsed.text.startswith("Stock of the day\n\nPart")
    assert parsed.text.endswith(PROSE[:70])


def test_table_without_names_is_rows_of_cells() -> None:
    parsed = parse(rows(*STOCK[1:], ("Seal", "2", "0.10")))
    assert tables_of(parsed) == ["Pump | 12 | 99.50\nValve | 340 | 7.25\nFilter | 8 | 1,250.00\nSeal | 2 | 0.10"]


def test_names_in_bold_letters_head_columns_of_words() -> None:
    table = (("Town", "Country"), ("Kiel", "Germany"), ("Lyon", "France"), ("Oslo", "Norway"))
    parsed = parse(rows(*table, lefts=(72, 220), bold=1))
    assert "Town: Lyon | Country: France" in tables_of(parsed)[0]


def test_empty_cell_leaves_the_others_in_their_columns() -> None:
    table = [*STOCK, ("Seal", "", "0.10")]
    assert "Part: Seal | Price: 0.10" in tables_of(parse(rows(*table)))[0]


def test_line_that_goes_on_in_a_cell_belongs_to_it() -> None:
    table = (("P-1", "a pump of steel", "99.50"), ("P-2", "a valve", "7.25"), ("P-3", "a filter", "1.00"))
    wrapped = lines("for hot water", left=220, top=700 - 12)
    first, *others = table
    parsed = parse(
        together(rows(first, top=700), wrapped, rows(*others, top=700 - 26)),
    )
    assert tables_of(parsed)[0].split("\n")[0] == "P-1 | a pump of steel for hot water | 99.50"


def test_cells_drawn_one_by_one_between_ruled_lines_become_rows() -> None:
    xs, ys = (70, 200, 330, 460), (720, 690, 640, 590)
    parsed = parse(
        together(
            grid(xs, ys),
            cells(xs, 705, (0, "Name"), (1, "What it does"), (2, "Price")),
            cells(xs, 675, (0, "Heat pump"), (1, "Takes heat out of\nthe air and warms\nthe water"), (2, "99.50")),
            cells(xs, 625, (0, "Valve of\nbrass"), (1, "Lets water\nthrough"), (2, "7.25")),
        )
    )
    assert tables_of(parsed) == [
        "Name | What it does | Price\n"
        "Name: Heat pump | What it does: Takes heat out of the air and warms the water | Price: 99.50\n"
        "Name: Valve of brass | What it does: Lets water through | Price: 7.25"
    ]


def test_chinese_cell_of_several_lines_has_no_gaps() -> None:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont

    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    xs, ys = (70, 200, 330), (720, 690, 640)

    def draw(canvas: object) -> None:
        canvas.setFont("STSong-Light", 10)  # type: ignore[attr-defined]
        cells(xs, 705, (0, "项目"), (1, "说明"))(canvas)  # type: ignore[arg-type]
        cells(xs, 675, (0, "差旅费"), (1, "员工出差期间的\n交通和住宿"))(canvas)  # type: ignore[arg-type]

    assert "差旅费 | 员工出差期间的交通和住宿" in tables_of(parse(together(grid(xs, ys), draw)))[0]


def test_columns_of_figures_in_one_ruled_field_become_rows() -> None:
    xs, ys = (70, 200, 330, 460), (720, 700, 600)
    figures = ["1990\n1991\n1992\n1993", "10\n20\n30\n40", "1.5\n2.5\n3.5\n4.5"]
    parsed = parse(
        together(
            grid(xs, ys),
            cells(xs, 706, (0, "Year"), (1, "Stock"), (2, "Price")),
            cells(xs, 686, *enumerate(figures)),
        )
    )
    assert "Year: 1992 | Stock: 30 | Price: 3.5" in tables_of(parsed)[0]


def test_frame_around_prose_is_no_table() -> None:
    text = textwrap.wrap(PROSE, 60)
    parsed = parse(together(grid((60, 540), (780, 600)), lines(*text, top=760)))
    assert not tables_of(parsed)
    assert PROSE in parsed.text


def test_prose_is_no_table() -> None:
    assert not tables_of(parse(lines(*textwrap.wrap(PROSE * 4, 80))))


def test_list_with_signs_far_from_their_items_is_no_table() -> None:
    items = [(f"{number}.", f"{number} {PROSE[:40]}") for number in range(1, 7)]
    parsed = parse(rows(*items, lefts=(72, 100)))
    assert not tables_of(parsed)
    assert f"3. 3 {PROSE[:40]}".strip() in parsed.text


def test_table_of_contents_is_no_table() -> None:
    entries = [(f"Chapter {number} {'.' * 40}", f"{number * 7}") for number in range(1, 9)]
    assert not tables_of(parse(rows(*entries, lefts=(72, 480))))


def test_two_rows_are_too_few_to_tell() -> None:
    assert not tables_of(parse(rows(*STOCK[:2])))


def test_two_columns_drawn_line_by_line_do_not_interleave() -> None:
    left, right = textwrap.wrap(PROSE, 36), textwrap.wrap(PROSE[::-1].swapcase().lower()[::-1], 36)
    right = [f"{line[:30]} zz" for line in right]
    pairs = list(zip(left, right, strict=False))
    parsed = parse(rows(*pairs, lefts=(72, 320), pitch=13))
    assert not tables_of(parsed)
    assert parsed.text.index(left[-1][:12]) < parsed.text.index("zz")


def test_rows_across_two_columns_that_end_with_hyphens_lose_nothing_and_do_not_interleave() -> None:
    left = [f"left{number} measures the pressure of hydraulic confi-" for number in range(10)]
    right = [f"guration{number} regulates every residential compo-" for number in range(10)]
    parsed = parse(rows(*zip(left, right, strict=True), lefts=(72, 320), pitch=13))
    places = [parsed.text.find(f"{word}{number}") for word in ("left", "guration") for number in range(10)]
    assert -1 not in places
    assert places == sorted(places)


def test_word_parted_at_the_end_of_a_row_is_whole_again_in_its_column() -> None:
    left = [f"nected{number} measures the pressure of hydraulic con-" for number in range(8)]
    right = [f"pressor{number} regulates every residential com-" for number in range(8)]
    text = parse(rows(*zip(left, right, strict=True), lefts=(72, 320), pitch=13)).text
    assert "connected7" in text
    assert "compressor7" in text


def test_two_columns_drawn_one_after_the_other_do_not_interleave() -> None:
    left = textwrap.wrap(PROSE, 40)
    right = textwrap.wrap(PROSE.replace("the", "these"), 40)
    parsed = parse(together(lines(*left, left=72), lines(*right, left=320)))
    assert PROSE in parsed.text
    assert PROSE.replace("the", "these") in parsed.text


@pytest.mark.parametrize("rotation", [0, 90, 270])
def test_page_that_is_turned_is_read_as_any_other(rotation: int) -> None:
    from io import BytesIO

    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter()
    page = writer.add_page(PdfReader(BytesIO(drawn(rows(*STOCK)))).pages[0])
    page.rotate(rotation)
    target = BytesIO()
    writer.write(target)
    assert "Part: Valve | Stock: 340 | Price: 7.25" in parser.parse(target.getvalue(), name="a.pdf").text


@pytest.mark.parametrize("angle", [90, 270])
def test_table_drawn_sideways_is_read_as_any_other(angle: int) -> None:
    def turned(canvas: object) -> None:
        canvas.translate(300, 420)  # type: ignore[attr-defined]
        canvas.rotate(angle)  # type: ignore[attr-defined]
        rows(*STOCK, lefts=(-150, -20, 100), top=100)(canvas)  # type: ignore[arg-type]

    assert "Part: Valve | Stock: 340 | Price: 7.25" in parse(turned).text


@pytest.mark.parametrize("angle", [0, 90, 180, 270])
def test_lines_of_a_turned_text_come_from_the_first_to_the_last(angle: int) -> None:
    def turned(canvas: object) -> None:
        canvas.translate(300, 400)  # type: ignore[attr-defined]
        canvas.rotate(angle)  # type: ignore[attr-defined]
        for number in range(8):
            canvas.drawString(-200, 100 - 20 * number, f"Sentence {number} of a page that is turned.")  # type: ignore[attr-defined]

    text = " ".join(parse(turned).text.split())
    assert text == " ".join(f"Sentence {number} of a page that is turned." for number in range(8))


def test_table_that_goes_on_on_the_next_pages_keeps_the_names_of_its_columns() -> None:
    towns = [("Kiel", "Germany"), ("Lyon", "France"), ("Oslo", "Norway"), ("Bari", "Italy")]
    first = rows(("Town", "Country"), *towns, lefts=(72, 220), bold=1)
    tables = tables_of(parse(first, *[rows(*towns, lefts=(72, 220))] * 2))
    assert [table.split("\n")[-1] for table in tables] == ["Town: Bari | Country: Italy"] * 3


def test_table_in_other_columns_on_the_next_page_has_not_the_names_of_the_one_before() -> None:
    towns = [("Kiel", "Germany"), ("Lyon", "France"), ("Oslo", "Norway"), ("Bari", "Italy")]
    first = rows(("Town", "Country"), *towns, lefts=(72, 220), bold=1)
    assert tables_of(parse(first, rows(*towns, lefts=(72, 300))))[1].startswith("Kiel | Germany")


def test_row_of_words_heads_a_column_of_codes() -> None:
    parsed = parse(
        rows(("Key", "Part", "Place"), ("K1", "pump", "hall"), ("K2", "seal", "yard"), ("K3", "lid", "hall"))
    )
    assert "Key: K2 | Part: seal | Place: yard" in tables_of(parsed)[0]
