"""RTF files: text in its code pages, tables and notes, without what is hidden, deleted or no text."""

from __future__ import annotations

import time

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

HEAD = (
    r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}{\f1\fcharset134 SimSun;}{\f2\fcharset128 Mincho;}"
    r"{\f3\fcharset204{\*\fname Arial;}Arial Cyr;}}{\colortbl;\red0\green0\blue0;}"
    r"{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2 \'dcberschrift 2;}{\*\cs3 Strong;}}"
)
parser = LibraryDocumentParser()


def parse(body: str | bytes, head: str = HEAD) -> ParsedDocument:
    content = body if isinstance(body, bytes) else body.encode("latin-1")
    return parser.parse(head.encode() + content + b"}", name="a.rtf")


def text_of(body: str | bytes) -> str:
    return parse(body).text


def escaped(text: str, codec: str) -> str:
    return "".join(f"\\'{byte:02x}" for byte in text.encode(codec))


def test_paragraphs_and_signs_are_read_in_order() -> None:
    assert text_of(r"One\tab two\line three\par Caf\'e9 \{x\} \emdash\~\ldblquote q\rdblquote\par") == (
        "One two\nthree\n\nCafé {x} — “q”"
    )


@pytest.mark.parametrize(
    ("font", "text", "codec"),
    [(1, "操作手册", "gb18030"), (2, "運転の前に", "cp932"), (3, "Привет", "cp1251"), (0, "“€”", "cp1252")],
)
def test_bytes_are_in_the_code_page_of_their_font(font: int, text: str, codec: str) -> None:
    assert text_of(rf"\f{font} {escaped(text, codec)}\par") == text


def test_bytes_follow_the_document_where_the_font_says_nothing() -> None:
    head = r"{\rtf1\ansi\ansicpg936\deff0{\fonttbl{\f0\fcharset0 SimSun;}}"
    assert parse(escaped("操作手册", "gbk"), head).text == "操作手册"


def test_second_byte_of_a_character_may_be_a_plain_letter_or_sign() -> None:
    shifted = "ソ表ア".encode("cp932")
    mixed = "".join(f"\\'{byte:02x}" if byte > 127 else "\\\\" if byte == 92 else chr(byte) for byte in shifted)
    assert text_of(rf"\f2 {mixed}\par") == "ソ表ア"


def test_unicode_escapes_replace_their_stand_ins() -> None:
    assert text_of(r"\uc1\u20013?\u-10179?\u-8704?{\uc2\u25991\'ce\'c4}{\uc0\u8364}5\par") == "中😀文€5"


def test_raw_utf8_is_read_where_it_is_declared() -> None:
    assert parse("操作".encode(), r"{\rtf1\ansicpg65001 ").text == "操作"


def test_hidden_and_deleted_text_is_left_out() -> None:
    assert text_of(r"It {\v secret }is {\deleted gone }here\v  no\v0 .\par") == "It is here."


def test_fields_show_their_results_only() -> None:
    field = r'{\field{\*\fldinst{HYPERLINK "http://x"}}{\fldrslt{\ul the manual}}}'
    assert text_of(rf"See {field}.\par") == "See the manual."


def test_pictures_binary_data_and_unknown_destinations_are_left_out() -> None:
    body = rb"A{\pict\wmetafile8 0102ff}{\*\unknown x{y}}{\object{\*\objdata 00}{\result B}}\bin6 }}{\x}C\par"
    assert text_of(body) == "ABC"


def test_headings_are_told_by_style_and_outline_level() -> None:
    parsed = parse(r"\pard\s1 Chapter\par\pard Words.\par\pard\s0\outlinelevel2 Deep\par")
    assert [(parsed.text[s.start : s.end], s.number) for s in parsed.spans] == [("Chapter", 1), ("Deep", 3)]


def test_table_becomes_rows_with_their_headers() -> None:
    rows = (
        r"\trowd\trhdr\cellx1\cellx2\pard\intbl Code\cell Meaning\cell\row"
        r"\trowd\clvmgf\cellx1\cellx2\pard\intbl E04\cell Low\par pressure\cell\row"
        r"\trowd\clvmrg\cellx1\cellx2\pard\intbl \cell Leak\cell\row"
    )
    parsed = parse(rf"Before\par{rows}\pard After\par")
    table = "Code | Meaning\nCode: E04 | Meaning: Low pressure\nCode: E04 | Meaning: Leak"
    assert parsed.text == f"Before\n\n{table}\n\nAfter"
    assert [parsed.text[s.start : s.end] for s in parsed.spans_of(SpanKind.TABLE)] == [table]


def test_list_numbers_notes_and_text_boxes_are_kept() -> None:
    body = (
        r"{\listtext 1.\tab}Open{\footnote {\super\chftn} Only in winter.}.\par\pard{\pntext\bullet\tab}Close.\par\pard"
        r"{\shp{\*\shpinst{\sp{\sn fFlip}{\sv 0}}{\shptxt In a box\par}}{\shprslt{\*\do}x}}End.\par"
    )
    assert text_of(body) == "1. Open[^1].\n\n[^1]: Only in winter.\n\n• Close.\n\nEnd.\n\nIn a box"


def test_headers_come_last_and_the_title_is_kept() -> None:
    parsed = parse(r"{\info{\title Hand\u20876?}{\author Ada}}{\header Top of page\par}Body.\par")
    assert parsed.text == "Body.\n\nTop of page"
    assert parsed.title == "Hand册"


@pytest.mark.parametrize("name", ["a.doc", "a.docx", "a.txt", "a"])
def test_rtf_is_recognised_whatever_its_name(name: str) -> None:
    parsed = parser.parse(rb"{\rtf1 Hello\par}", name=name)
    assert (parsed.text, parsed.media_type) == ("Hello", "application/rtf")


def test_file_that_is_cut_off_gives_what_there_is() -> None:
    assert parser.parse(rb"{\rtf1 {\b One\par {\i two", name="a.rtf").text == "One\n\ntwo"


def test_file_without_text_says_so() -> None:
    with pytest.raises(IngestionFailed) as caught:
        parse(r"{\pict 00ff}\par\par")
    assert caught.value.code is FailureCode.NO_TEXT


@pytest.mark.parametrize(
    "body", ["{" * 500_000, "}" * 500_000, r"\u20013?" * 200_000, r"\'a" * 300_000, r"{\footnote " * 50_000]
)
def test_hostile_file_is_read_in_one_pass(body: str) -> None:
    started = time.process_time()
    assert text_of(f"Words.{body}").startswith("Words.")
    assert time.process_time() - started < 10


def test_comments_and_endnotes_follow_their_paragraph() -> None:
    body = (
        r"Heat{\footnote\ftnalt {\super\chftn} At the end.} it{\*\atnid A}{\*\atnauthor Ada}"
        r"{\*\annotation{\*\atnref 1}{\chatn} Check this.}.\par"
    )
    assert text_of(body) == "Heat[^e1] it.\n\n[^e1]: At the end.\n\nComment: Check this."


def test_sign_of_optional_words_counts_only_where_a_group_begins() -> None:
    assert text_of(r"{\b0\*\cs7 The quick} brown{\*\unknown fox}\par") == "The quick brown"


def test_form_fields_show_what_they_are_filled_with() -> None:
    box = r"{\field{\*\fldinst FORMCHECKBOX{\*\formfield{\fftype1\ffres1{\*\ffname a}}}}{\fldrslt}}"
    choice = r"{\field{\*\fldinst FORMDROPDOWN{\*\formfield{\fftype2\ffres25\ffdefres1{\*\ffl oil}{\*\ffl gas}}}}}"
    assert text_of(rf"{box}Burner: {choice}\par") == "☒ Burner: gas"


def test_field_without_a_result_shows_what_its_code_makes_up() -> None:
    assert text_of(r"A {\field{\*\fldinst EQ \\f(1,2)}} cup{\field{\*\fldinst XE \"cup\"}}\par") == "A 1/2 cup"


def test_cells_stand_in_the_columns_that_their_edges_say() -> None:
    rows = (
        r"\trowd\trhdr\cellx1000\cellx3000\pard\intbl City\cell 2026\cell\row"
        r"\trowd\trhdr\clvmrg\cellx1000\cellx2000\cellx3000\pard\intbl \cell May\cell June\cell\row"
        r"\trowd\cellx1000\cellx2000\cellx3000\pard\intbl Kiel\cell 3\cell 4\cell\row"
    )
    assert text_of(rows) == "City | 2026 May | 2026 June\nCity: Kiel | 2026 May: 3 | 2026 June: 4"


def test_items_are_indented_by_their_level() -> None:
    assert text_of(r"{\listtext 1.\tab}One\par\pard\ilvl1{\listtext a)\tab}Two\par") == "1. One\n  a) Two"


def test_header_is_the_text_where_there_is_nothing_else_and_no_picture() -> None:
    assert text_of(r"{\header Letterhead\par}\par") == "Letterhead"
    with pytest.raises(IngestionFailed) as caught:
        parse(r"{\header Letterhead\par}{\pict 00}\par")
    assert caught.value.code is FailureCode.NO_TEXT


@pytest.mark.parametrize(
    ("limit", "body"),
    [("scene.MAX_DEPTH", "{" * 2_000), ("scene.MAX_SIDES", r"x{\footnote n}" * 2_000)],
)
def test_more_than_can_be_read_is_too_complex(limit: str, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"knowledge_base.adapters.parsing.rtf.{limit}", 1_000)
    with pytest.raises(IngestionFailed) as caught:
        parse(body)
    assert caught.value.code is FailureCode.TOO_COMPLEX


def test_table_of_more_cells_than_can_be_held_is_too_complex(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knowledge_base.adapters.parsing.tables.MAX_CELLS", 1_000)
    with pytest.raises(IngestionFailed) as caught:
        parse(r"a\cell b\cell\row" * 1_000)
    assert caught.value.code is FailureCode.TOO_COMPLEX


def test_words_about_looks_leave_the_text_as_it_is() -> None:
    assert (
        text_of(r"\rtlch\fcs1 \af0\afs22 \ltrch\fcs0 \insrsid123 One\fs22\cf1  two\li-720  three\par")
        == "One two three"
    )


def test_words_that_only_begin_like_those_about_looks_are_read() -> None:
    assert text_of(r"A\line B\tab C\lquote D\par") == "A\nB C‘D"


def test_optional_destination_behind_a_word_about_looks_is_left_out() -> None:
    assert text_of(r"One{\*\fs22 secret}{\*\unknown secret} two\par") == "One two"


@pytest.mark.parametrize("fallback", [0, 1, 2])
def test_runs_of_characters_are_read_with_what_stands_in_for_them(fallback: int) -> None:
    codes = "".join(f"\\u{ord(letter)} {'?' * fallback}" for letter in "操作手册")
    assert text_of(rf"\uc{fallback} {codes} end\par").startswith("操作手册")


def test_run_of_characters_of_a_symbol_font_shows_its_signs() -> None:
    assert text_of(r"\u61607 ?\u61607 ?\par") == text_of(r"\u61607\'3f\u61607\'3f\par")
