"""Letters of PDF files: fonts without names for them, garbled pages, accents, ligatures, and the second reader."""

from __future__ import annotations

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.adapters.parsing.pdf import reading
from knowledge_base.adapters.parsing.pdf.accents import attach_accents
from knowledge_base.adapters.parsing.pdf.characters import looks_garbled, tidy
from knowledge_base.adapters.parsing.pdf.letters import Box
from knowledge_base.adapters.parsing.pdf.lines import plain_lines
from knowledge_base.adapters.parsing.pdf.misnamed_glyphs import name_rightly
from knowledge_base.adapters.parsing.pdf.page import Page
from knowledge_base.adapters.parsing.pdf.second_reader import MAX_FAILURES, SecondReader
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument, SpanKind
from tests.unit.parsing.files import PROSE, a_pdf
from tests.unit.parsing.pdf_files import with_content

parser = LibraryDocumentParser()
CHINESE = "第一条 为规范员工出差管理，合理控制差旅费用，制定本办法。本办法适用于公司全体员工。"
GARBLED = Page(tuple(plain_lines("ab ab ab")), visible=60, unreadable=60, is_garbled=True)
DESCRIPTOR = (
    b"/FontDescriptor<</Type/FontDescriptor/FontName/AAAAAA+Some/Flags 4/Ascent 900/Descent -200/CapHeight 700"
    b"/StemV 80/ItalicAngle 0/FontBBox[0 -200 1000 900]>>"
)


def parse(content: bytes) -> ParsedDocument:
    return parser.parse(content, name="a.pdf")


def numbered_glyphs(text: str) -> bytes:
    """A page whose codes are the numbers of glyphs as TrueType fonts order them, with nothing that names them."""
    numbers = [ord(c) - 29 if ord(c) < 127 else c.encode("mac_roman")[0] - 30 for c in text]
    codes = "".join(f"{number:04X}" for number in numbers)
    font = (
        b"<</Type/Font/Subtype/Type0/BaseFont/AAAAAA+Some/Encoding/Identity-H/DescendantFonts[<</Type/Font"
        b"/Subtype/CIDFontType2/BaseFont/AAAAAA+Some/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)"
        b"/Supplement 0>>/CIDToGIDMap/Identity/DW 500%s>>]>>" % DESCRIPTOR
    )
    return with_content(b"BT /F 10 Tf 72 700 Td <%s> Tj ET" % codes.encode(), font=font)


def unnamed_ligature(text: str, *, width: int = 500) -> bytes:
    """A page in a font whose code 31 has a glyph with a name that says nothing."""
    font = b"<</Type/Font/Subtype/Type1/BaseFont/AAAAAA+Some/FirstChar 31/LastChar 122/Widths[%d %s]" % (
        width,
        b"500 " * 91,
    )
    font += b"/Encoding<</Type/Encoding/Differences[31/g31]>>%s>>" % DESCRIPTOR
    return with_content(b"BT /F 10 Tf 72 700 Td (%s) Tj ET" % text.encode().replace(b"*", b"\\037"), font=font)


def test_numbers_of_glyphs_are_read_as_the_letters_they_usually_show() -> None:
    text = "Die Wärmepumpe läuft an, sobald das Öl für den Verdichter warm genug ist."
    parsed = parse(numbered_glyphs(text))
    assert parsed.text == text
    assert not parsed.low_quality


def test_numbers_of_glyphs_that_make_no_language_are_not_taken_for_letters() -> None:
    with pytest.raises(IngestionFailed) as caught:
        parse(numbered_glyphs("]| {} @@ ~~ ## %% && " * 9))
    assert caught.value.code is FailureCode.NO_TEXT


def test_unnamed_ligature_within_a_word_is_taken_for_fi() -> None:
    assert parse(unnamed_ligature("the signi*cant part was con*rmed")).text == "the significant part was confirmed"


def test_unnamed_sign_behind_a_word_is_not_taken_for_letters_of_it() -> None:
    assert parse(unnamed_ligature("languages in economics* today")).text == "languages in economics today"


def test_wide_unnamed_ligature_is_taken_for_ffi() -> None:
    assert parse(unnamed_ligature("several di*culties in the o*ce", width=830)).text == (
        "several difficulties in the office"
    )


def test_unnamed_ligature_is_what_the_second_reader_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SecondReader, "page_text", lambda self, index: "all of their stuff came to a halt *oor")
    assert parse(unnamed_ligature("all of their stu* came")).text == "all of their stuff came"


def test_garbled_page_is_read_by_the_second_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "read_page", lambda document, index, second_text: GARBLED)
    parsed = parse(a_pdf("What pypdf reads"))
    assert parsed.text.strip() == "What pypdf reads"
    assert not parsed.low_quality


def test_page_that_no_reader_can_read_is_marked_as_low_quality(monkeypatch: pytest.MonkeyPatch) -> None:
    original = reading.read_page
    monkeypatch.setattr(
        reading,
        "read_page",
        lambda document, index, second_text: GARBLED if index else original(document, index, second_text),
    )
    monkeypatch.setattr(SecondReader, "page_text", lambda self, index: "")
    assert parse(a_pdf("Good", "bad")).low_quality


def test_file_of_garbled_pages_only_ends_as_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "read_page", lambda document, index, second_text: GARBLED)
    monkeypatch.setattr(SecondReader, "page_text", lambda self, index: "/G12/G13/G14/G15 " * 5)
    with pytest.raises(IngestionFailed) as caught:
        parse(a_pdf("x"))
    assert caught.value.code is FailureCode.NO_TEXT


def test_second_reader_that_never_does_better_is_not_asked_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(reading, "read_page", lambda document, index, second_text: GARBLED)
    monkeypatch.setattr(SecondReader, "page_text", lambda self, index: asked.append(index) or "")  # type: ignore[func-returns-value]
    with pytest.raises(IngestionFailed):
        parse(a_pdf(*["x"] * 20))
    assert len(asked) == MAX_FAILURES


def test_page_whose_text_lacks_a_part_is_read_by_the_second_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    part = Page(tuple(plain_lines("heat oil water")), visible=12, is_incomplete=True)
    monkeypatch.setattr(reading, "read_page", lambda document, index, second_text: part)
    assert parse(a_pdf(PROSE[:80])).text == PROSE[:80]


def test_second_reader_that_lacks_what_the_first_has_read_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    part = Page(tuple(plain_lines("官報 平成")), visible=4, is_incomplete=True)
    monkeypatch.setattr(reading, "read_page", lambda document, index, second_text: part)
    assert parse(a_pdf(PROSE[:80])).text == "官報 平成"


def test_page_that_cannot_be_loaded_does_not_fail_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    original = reading.read_page
    monkeypatch.setattr(
        reading,
        "read_page",
        lambda document, index, second_text: None if index == 1 else original(document, index, second_text),
    )
    monkeypatch.setattr(SecondReader, "page_text", lambda self, index: "")
    parsed = parse(a_pdf("First page", "lost", "Third page"))
    assert [span.number for span in parsed.spans_of(SpanKind.PAGE)] == [1, 2, 3]
    assert "Third page" in parsed.text


def test_ligatures_radicals_and_hyphens_of_fonts_become_letters() -> None:
    assert tidy("e\ufb03cient ⼀⽅ dan\ufffegerous \uf0b7 x\u00a0y") == "efficient 一方 dangerous • x y"


def test_halves_of_a_long_character_become_one() -> None:
    assert tidy("a \ud835\udc4e b") == "a 𝑎 b"


@pytest.mark.parametrize(
    "text",
    [
        "\x01\x02abc" * 10,
        "\uf041\uf042" * 20,
        "/G12/G13/G45 " * 10,
        "(cid:12)(cid:7) " * 10,
        "WKLV LV WKH WHAW RI WKH SDJH " * 10,
    ],
)
def test_codes_of_fonts_look_garbled(text: str) -> None:
    assert looks_garbled(text)


@pytest.mark.parametrize(
    "text",
    [
        PROSE,
        CHINESE * 5,
        "1 234.50 | 99.80 | 17 %\n" * 20,
        "Chapter 1 ............... 5\n" * 10,
        "Ok",
        "f(x)\r\n=\r\ny\r\n" * 40,
        "Привет, это обычный русский текст. " * 5,
    ],
)
def test_language_tables_contents_and_formulas_do_not_look_garbled(text: str) -> None:
    assert not looks_garbled(text)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("Fern·ndez and RamÌrez on the durÈe of a cafÈ", "Fernández and Ramírez on the durée of a café"),
        ("킜킰톁톁킰 킜킰톁톈톂킰킱", "Масса Масштаб"),
    ],
)
def test_letters_named_by_the_wrong_encoding_get_their_right_names(wrong: str, right: str) -> None:
    assert name_rightly(wrong) == right


@pytest.mark.parametrize(
    "text", ["col·lecció", "École PÉROU Éric", "안녕하세요 반갑습니다", "naïve café", "ÜBER Überall"]
)
def test_letters_named_rightly_stay(text: str) -> None:
    assert name_rightly(text) == text


def side_by_side(place: int) -> Box:
    """Letters ten wide, side by side; the accent at the fifth place is above the second."""
    return (12, 11, 18, 8) if place == 5 else (place * 10, 7, place * 10 + 10, 0)


def test_loose_accent_returns_to_its_letter_and_leaves_its_place_empty() -> None:
    text = attach_accents("oguz ˘", side_by_side)
    assert len(text) == len("oguz ˘")
    assert tidy(text) == "oğuz"
