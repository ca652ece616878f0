"""Headers and footers of PDF files: shown once, and no word of the body lost."""

from __future__ import annotations

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.domain.parsed import SpanKind
from tests.unit.parsing.files import PROSE
from tests.unit.parsing.pdf_files import Draw, drawn, in_font, lines, rows, together

parser = LibraryDocumentParser()
BODY = [PROSE[start : start + 70] for start in range(0, 210, 30)]


def text_of(*pages: Draw) -> str:
    return parser.parse(drawn(*pages), name="a.pdf").text


def body(number: int) -> Draw:
    return lines(f"Section {number} begins here with words of its own.", *BODY, top=720)


def header(text: str) -> Draw:
    return lines(text, top=800)


def footer(text: str) -> Draw:
    return lines(text, left=290, top=40)


def test_header_and_footer_of_every_page_are_shown_once() -> None:
    pages = [together(header("ACME Handbook"), body(n), footer("Confidential")) for n in range(1, 11)]
    text = text_of(*pages)
    assert text.count("ACME Handbook") == text.count("Confidential") == 1
    assert all(f"Section {n} begins" in text for n in range(1, 11))


@pytest.mark.parametrize("form", ["{}", "Page {}", "- {} -", "{} / 40", "Chapter 3 · page {} · draft 2", "第 {} 页"])
def test_number_of_the_page_is_shown_once_in_any_form(form: str) -> None:
    font = "STSong-Light" if "第" in form else "Helvetica"
    if font == "STSong-Light":
        from reportlab.pdfbase import pdfmetrics
        from reportlab.pdfbase.cidfonts import UnicodeCIDFont

        pdfmetrics.registerFont(UnicodeCIDFont(font))
    pages = [together(body(n), in_font(10, footer(form.format(n)), font)) for n in range(17, 29)]
    text = text_of(*pages)
    assert form.format(17) in text
    assert not any(line == form.format(n) for line in text.split("\n") for n in range(18, 29))


def test_roman_numbers_of_pages_are_shown_once() -> None:
    pages = [together(body(n), footer(roman)) for n, roman in enumerate(["iii", "iv", "v", "vi", "vii"])]
    assert {"iv", "v", "vi", "vii"}.isdisjoint(text_of(*pages).split("\n"))


def test_header_that_changes_with_the_chapter_is_shown_once_a_chapter() -> None:
    pages = [together(header(f"Chapter {1 + n // 5}: Pumps {n // 5}"), body(n)) for n in range(15)]
    text = text_of(*pages)
    assert [text.count(f"Pumps {chapter}") for chapter in range(3)] == [1, 1, 1]


def test_headers_of_left_and_right_pages_are_each_shown_once() -> None:
    pages = [together(header(f"{n} Heat" if n % 2 else f"Pumps {n}"), body(n)) for n in range(1, 13)]
    text = text_of(*pages)
    assert sum(line.endswith(" Heat") for line in text.split("\n")) == 1
    assert sum(line.startswith("Pumps ") for line in text.split("\n")) == 1


def test_two_pages_are_too_few_to_tell() -> None:
    pages = [together(header("ACME Handbook"), body(n)) for n in range(2)]
    assert text_of(*pages).count("ACME Handbook") == 2


def test_numbers_that_do_not_count_the_pages_are_content() -> None:
    totals = [120, 77, 305, 41, 980, 12]
    pages = [together(body(n), footer(f"Total {total}")) for n, total in enumerate(totals)]
    text = text_of(*pages)
    assert all(f"Total {total}" in text for total in totals)


def test_title_of_slides_that_go_on_is_content() -> None:
    pages = [together(in_font(24, lines("Results", top=780)), body(n)) for n in range(5)]
    assert text_of(*pages).count("Results") == 5


def test_line_of_the_body_that_comes_back_is_content() -> None:
    pages = [lines(f"Letter {n}", "Dear customer,", *BODY, top=720) for n in range(6)]
    assert text_of(*pages).count("Dear customer,") == 6


def test_sentence_in_the_middle_of_pages_is_content() -> None:
    pages = [
        together(lines(*BODY, top=760), lines("Turn the pump off.", top=420), lines(*BODY, top=300)) for _ in range(5)
    ]
    assert text_of(*pages).count("Turn the pump off.") == 5


def test_names_of_columns_above_a_table_that_goes_on_stay_with_its_rows() -> None:
    def page(number: int) -> Draw:
        table = [("Part", "Stock", "Price"), *((f"P-{number}{row}", f"{row}", f"{row}.50") for row in range(30))]
        return together(header("Price list"), rows(*table, top=760), footer(f"{number}"))

    parsed = parser.parse(drawn(*map(page, range(1, 7))), name="a.pdf")
    tables = [parsed.text[span.start : span.end] for span in parsed.spans_of(SpanKind.TABLE)]
    assert len(tables) == 6
    assert all("Part" in table and "Price" in table for table in tables)
    assert parsed.text.count("Price list") == 1


def test_page_with_nothing_else_keeps_its_line() -> None:
    pages = [header("This page is intentionally left blank")] * 4
    assert text_of(*pages).count("intentionally") == 4


def test_header_of_a_long_file_is_shown_once_and_pages_stay_exact() -> None:
    pages = [together(header("ACME Handbook"), body(n), footer(f"Page {n} of 120")) for n in range(1, 121)]
    parsed = parser.parse(drawn(*pages), name="a.pdf")
    assert parsed.text.count("ACME Handbook") == 1
    starts = {span.number: parsed.text[span.start : span.end] for span in parsed.spans_of(SpanKind.PAGE)}
    assert all(f"Section {n} begins" in starts[n] for n in range(1, 121))


def test_foot_that_counts_pages_right_below_a_footnote_is_shown_once() -> None:
    notes = [
        together(body(n), lines(f"Note {n * 7} on this page.", top=52), footer(f"Report {n}")) for n in range(1, 9)
    ]
    text = text_of(*notes)
    assert text.count("Report") == 1
    assert all(f"Note {n * 7} on" in text for n in range(1, 9))
