"""PDF files: pages, paragraphs, columns, headings, damage, encryption."""

from __future__ import annotations

import textwrap

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument, SpanKind
from tests.unit.parsing.files import PROSE, a_pdf, a_scan, an_encrypted_pdf
from tests.unit.parsing.pdf_files import drawn, in_font, lines, together

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
    parts = ((20, 760, "Handbook"), (14, 700, "Starting"), (10, 670, PROSE[:90]), (10, 650, "End."))
    parsed = parse(drawn(together(*(in_font(size, lines(text, top=top)) for size, top, text in parts))))
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
