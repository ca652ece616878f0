"""PDF files: pages, paragraphs, headings, damage, encryption."""

from __future__ import annotations

import textwrap

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.adapters.parsing.pdf import reader as pdf
from knowledge_base.adapters.parsing.pdf.accents import attach_accents
from knowledge_base.adapters.parsing.pdf.characters import looks_garbled, tidy
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument, SpanKind
from tests.unit.parsing.files import PROSE, a_pdf, a_scan, an_encrypted_pdf

parser = LibraryDocumentParser()
CHINESE = "第一条 为规范员工出差管理，合理控制差旅费用，制定本办法。本办法适用于公司全体员"


def parse(content: bytes) -> ParsedDocument:
    return parser.parse(content, name="a.pdf")


def failure_code(content: bytes) -> FailureCode:
    with pytest.raises(IngestionFailed) as caught:
        parse(content)
    return caught.value.code


def test_pages_are_numbered_from_one_and_their_offsets_are_exact() -> None:
    parsed = parse(a_pdf("First page", "Second page", "Third page"))
    pages = [(span.number, parsed.text[span.start : span.end]) for span in parsed.spans_of(SpanKind.PAGE)]
    assert pages == [(1, "First page"), (2, "Second page"), (3, "Third page")]
    assert parsed.text == "First page\n\nSecond page\n\nThird page"


def test_empty_page_keeps_its_number() -> None:
    parsed = parse(a_pdf("First page", "", "Third page"))
    assert [(span.number, span.end - span.start) for span in parsed.spans_of(SpanKind.PAGE)] == [
        (1, 10),
        (2, 0),
        (3, 10),
    ]


def test_lines_of_a_paragraph_are_joined_so_that_sentences_are_whole() -> None:
    lines = "\n".join(textwrap.wrap(PROSE, 60))
    assert PROSE in parse(a_pdf(f"{lines}\n\nOther")).text


def test_chinese_word_cut_by_the_end_of_a_line_is_whole_again() -> None:
    parsed = parse(a_pdf(f"{CHINESE}\n工和外聘人员。", font="STSong-Light"))
    assert "全体员工和外聘人员" in parsed.text


def test_short_lines_stay_lines() -> None:
    address = "Nordlicht GmbH\nHafenstrasse 12\n24103 Kiel\n" + PROSE[:70]
    assert "Nordlicht GmbH\nHafenstrasse 12\n24103 Kiel\n" in parse(a_pdf(address)).text


def test_larger_line_is_a_heading() -> None:
    from io import BytesIO

    from reportlab.pdfgen.canvas import Canvas

    target = BytesIO()
    canvas = Canvas(target)
    for size, height, text in ((20, 760, "Handbook"), (14, 700, "Starting"), (10, 670, PROSE[:90]), (10, 650, "End.")):
        canvas.setFont("Helvetica", size)
        canvas.drawString(72, height, text)
    canvas.save()
    parsed = parse(target.getvalue())
    headings = [(span.number, parsed.text[span.start : span.end]) for span in parsed.spans_of(SpanKind.HEADING)]
    assert headings == [(1, "Handbook"), (2, "Starting")]


def test_title_is_read_but_not_a_placeholder() -> None:
    assert parse(a_pdf("x words", title=None)).title == ""
    assert "\n" not in parse(a_pdf("x words")).title


def test_file_with_only_an_owner_password_is_read() -> None:
    assert parse(an_encrypted_pdf("May not be copied", user_password="")).text == "May not be copied"


def test_file_with_a_user_password_is_encrypted() -> None:
    assert failure_code(an_encrypted_pdf("Secret", user_password="secret")) is FailureCode.ENCRYPTED


@pytest.mark.parametrize("content", [a_scan(), a_pdf("")], ids=["scan", "blank"])
def test_pages_without_text_end_as_no_text(content: bytes) -> None:
    assert failure_code(content) is FailureCode.NO_TEXT


@pytest.mark.parametrize("keep", [8, 60, 400])
def test_cut_file_is_corrupt(keep: int) -> None:
    assert failure_code(a_pdf("words")[:keep]) is FailureCode.CORRUPT


def test_broken_cross_reference_is_repaired() -> None:
    content = a_pdf("Hello, world!").replace(b"startxref\n", b"startxref\n9")
    assert parse(content).text == "Hello, world!"


def test_header_after_leading_bytes_is_found() -> None:
    assert parse(b"\xef\xbb\xbf\r\n" + a_pdf("Hello")).text == "Hello"


def test_garbled_page_is_read_by_the_second_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "_read_page", lambda document, index: pdf.Page("\x01\x02\x03" * 20, is_garbled=True))
    parsed = parse(a_pdf("What pypdf reads"))
    assert parsed.text.strip() == "What pypdf reads"
    assert not parsed.low_quality


def test_page_that_no_reader_can_read_is_marked_as_low_quality(monkeypatch: pytest.MonkeyPatch) -> None:
    original = pdf._read_page
    garbled = pdf.Page("\ue001ab " * 20, (pdf.Line("ab ab ab"),), is_garbled=True)
    monkeypatch.setattr(pdf, "_read_page", lambda document, index: garbled if index else original(document, index))
    monkeypatch.setattr(pdf.SecondReader, "page_text", lambda self, index: "")
    assert parse(a_pdf("Good", "bad")).low_quality


def test_file_of_garbled_pages_only_ends_as_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "_read_page", lambda document, index: pdf.Page("\x01\x02\x03" * 20, is_garbled=True))
    monkeypatch.setattr(pdf.SecondReader, "page_text", lambda self, index: "/G12/G13/G14/G15 " * 5)
    assert failure_code(a_pdf("x")) is FailureCode.NO_TEXT


def test_page_that_cannot_be_loaded_does_not_fail_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    original = pdf._read_page
    monkeypatch.setattr(pdf, "_read_page", lambda document, index: None if index == 1 else original(document, index))
    monkeypatch.setattr(pdf.SecondReader, "page_text", lambda self, index: "")
    parsed = parse(a_pdf("First page", "lost", "Third page"))
    assert [span.number for span in parsed.spans_of(SpanKind.PAGE)] == [1, 2, 3]
    assert "Third page" in parsed.text


def test_filled_form_fields_are_part_of_the_text() -> None:
    from io import BytesIO

    from reportlab.pdfgen.canvas import Canvas

    target = BytesIO()
    canvas = Canvas(target)
    canvas.drawString(72, 700, "Name:")
    canvas.acroForm.textfield(name="name", value="Ada Lovelace", x=120, y=690, width=200, height=20)
    canvas.save()
    assert "Ada Lovelace" in parse(target.getvalue()).text


def test_ligatures_radicals_and_hyphens_of_fonts_become_letters() -> None:
    assert tidy("e\ufb03cient ⼀⽅ dan\ufffegerous \uf0b7 x\u00a0y") == "efficient 一方 dangerous • x y"


@pytest.mark.parametrize(
    "text", ["\x01\x02abc" * 10, "\uf041\uf042" * 20, "/G12/G13/G45 " * 10, "WKLV LV WKH WHAW RI WKH SDJH " * 10]
)
def test_codes_of_fonts_look_garbled(text: str) -> None:
    assert looks_garbled(text)


@pytest.mark.parametrize(
    "text", [PROSE, CHINESE * 5, "1 234.50 | 99.80 | 17 %\n" * 20, "Chapter 1 ............... 5\n" * 10, "Ok"]
)
def test_language_tables_and_contents_do_not_look_garbled(text: str) -> None:
    assert not looks_garbled(text)


class OneLine:
    """A text page whose letters are ten wide and stand side by side; the accent at the end is above the second."""

    def get_charbox(self, place: int) -> tuple[float, float, float, float]:
        return (12, 8, 18, 11) if place == 5 else (place * 10, 0, place * 10 + 10, 7)


def test_loose_accent_returns_to_its_letter() -> None:
    characters = list("oguz ˘")
    attach_accents(characters, OneLine())
    assert "".join(characters) == "oğuz"
