"""HTML pages: the main text with its structure, in the right characters, without what surrounds it."""

from __future__ import annotations

import time

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

parser = LibraryDocumentParser()


def parse(page: str | bytes, declared_type: str = "") -> ParsedDocument:
    content = page.encode() if isinstance(page, str) else page
    return parser.parse(content, name="page.html", declared_type=declared_type)


def text_of(body: str) -> str:
    return parse(f"<!DOCTYPE html><html><body>{body}</body></html>").text


def spans_of(parsed: ParsedDocument, kind: SpanKind) -> list[str]:
    return [parsed.text[span.start : span.end] for span in parsed.spans_of(kind)]


def test_headings_paragraphs_and_links_are_read_in_order() -> None:
    words = "<h1>Start</h1><p>Read <a href='/m'>the\n manual</a>.<br>Then go.</p><h3>Stop</h3>"
    page = f"<title>Hand &amp; book</title>{words}"
    parsed = parse(f"<html>{page}</html>")
    assert parsed.text == "Start\n\nRead the manual.\nThen go.\n\nStop"
    assert [(span.number, span.kind) for span in parsed.spans] == [(1, SpanKind.HEADING), (3, SpanKind.HEADING)]
    assert parsed.title == "Hand & book"
    assert parsed.media_type == "text/html"


def test_scripts_styles_and_what_is_hidden_are_left_out() -> None:
    hidden = (
        "<script>let a=1</script><style>p{}</style><p hidden>a</p><p style='display: none'>b</p><template>c</template>"
    )
    assert text_of(f"<p>Seen.</p>{hidden}<noscript>d</noscript><!-- e -->") == "Seen."


def test_navigation_and_footer_are_left_out() -> None:
    page = (
        "<nav><a href=/>Home</a></nav><div class='site-menu menu'><a>One</a><a>Two</a></div>"
        "<div role=banner>Shop</div><p>The text.</p><ul class=breadcrumb><li><a>x</a></ul>"
        "<div id=footer>Imprint</div><footer>© 2026</footer>"
    )
    assert text_of(page) == "The text."


def test_main_element_is_taken_for_the_text_when_it_holds_a_good_part_of_it() -> None:
    prose = "The heat pump starts by itself as soon as the oil is warm enough. " * 5
    assert text_of(f"<div>Offers</div><main><p>{prose}</p></main><div>Ads</div>") == prose.strip()


def test_empty_main_element_does_not_hide_the_text() -> None:
    assert text_of("<main></main><p>All of the text is here.</p>") == "All of the text is here."


def test_footer_of_an_article_and_header_with_a_heading_are_text() -> None:
    page = "<header><h1>Title</h1></header><article><p>Words.</p><footer>By Ada</footer></article>"
    assert text_of(page) == "Title\n\nWords.\n\nBy Ada"


def test_menu_that_is_text_rather_than_links_stays() -> None:
    assert text_of("<div class=menu><p>Soup, 4.50</p><p>Bread, 2.00</p></div>") == "Soup, 4.50\n\nBread, 2.00"


def test_page_that_looks_like_navigation_all_through_is_read_whole() -> None:
    assert text_of("<nav><p>Only this.</p></nav>") == "Only this."


def test_lists_keep_numbers_and_depth() -> None:
    page = "<ol start=3><li>Open<ul><li>left</li><li>right</li></ul></li><li>Close</li></ol><ol type=a><li>x</ol>"
    assert text_of(page) == "3. Open\n  • left\n  • right\n4. Close\na. x"


def test_table_rows_carry_their_headers() -> None:
    page = "<table><tr><th>Code<th>Meaning<tr><td>E04<td><p>Low</p><p>pressure</p></table>"
    parsed = parse(f"<html>{page}</html>")
    assert parsed.text == "Code | Meaning\nCode: E04 | Meaning: Low pressure"
    assert spans_of(parsed, SpanKind.TABLE) == [parsed.text]


def test_merged_cells_and_two_rows_of_headers_name_every_value() -> None:
    head = "<thead><tr><th rowspan=2>Region<th colspan=2>Sales<tr><th>Q1<th>Q2</thead>"
    body = "<tr><td rowspan=2>North<td>1<td>2<tr><td>3<td>4"
    assert text_of(f"<table>{head}<tbody>{body}</table>").split("\n") == [
        "Region | Sales Q1 | Sales Q2",
        "Region: North | Sales Q1: 1 | Sales Q2: 2",
        "Region: North | Sales Q1: 3 | Sales Q2: 4",
    ]


def test_table_that_only_places_text_gives_paragraphs() -> None:
    inner = "<table><tr><th>a<th>b<tr><td>1<td>2</table>"
    assert (
        text_of(f"<table><tr><td><h2>News</h2><td><p>Words.</p>{inner}</table>")
        == "News\n\nWords.\n\na | b\na: 1 | b: 2"
    )


def test_preformatted_text_keeps_its_lines_and_is_code() -> None:
    parsed = parse("<html><pre>\nif a:\n    b()\n</pre><p>x</p></html>")
    assert spans_of(parsed, SpanKind.CODE) == ["if a:\n    b()"]


def test_lines_broken_between_ideographs_join_without_a_space() -> None:
    assert text_of("<p>操作\n  手册 and\nmore</p>") == "操作手册 and more"


def test_ruby_readings_and_typed_values_are_treated_as_seen() -> None:
    assert (
        text_of("<p><ruby>漢<rt>かん</rt></ruby> <input value='typed'><input type=hidden value=no></p>") == "漢 typed"
    )


CHINESE = "<html><head>{}<title>t</title></head><body><p>操作手册：启动之前请检查油位。</p></body></html>"


@pytest.mark.parametrize(
    ("meta", "codec"),
    [
        ("<meta charset=gb2312>", "gb18030"),
        ("<meta http-equiv=Content-Type content='text/html; charset=GBK'>", "gbk"),
        ("<meta charset=utf-8>", "gb18030"),
        ("<meta charset=iso-8859-1>", "utf-8"),
        ("<meta charset=nonsense>", "gb18030"),
        ("<meta charset=base64>", "utf-8"),
        ("<meta charset=utf-16>", "utf-8"),
        ("<meta charset=utf-8>", "utf-16"),
        ("", "utf-16-le"),
        ("", "utf-8-sig"),
        ("<!-- <meta charset=big5> --><meta charset=gbk>", "gbk"),
    ],
)
def test_characters_are_right_whatever_the_page_claims(meta: str, codec: str) -> None:
    parsed = parse(CHINESE.format(meta).encode(codec))
    assert parsed.text == "操作手册：启动之前请检查油位。"
    assert not parsed.low_quality


def test_declared_encoding_is_heard_and_narrow_claims_are_read_as_browsers_do() -> None:
    assert parse("<html><p>عربي</p></html>".encode("iso-8859-6"), "text/html; charset=iso-8859-6").text == "عربي"
    assert parse("<html><meta charset=iso-8859-1><p>“10 €”</p></html>".encode("cp1252")).text == "“10 €”"


@pytest.mark.parametrize("name", ["a.doc", "a.docx", "a.txt", "a"])
def test_page_is_recognised_whatever_its_name(name: str) -> None:
    content = b"<?xml version='1.0'?>\n<!-- x -->\n<html xmlns:o='urn:x'><body><p>Hello<o:p></o:p></p></body></html>"
    assert parser.parse(content, name=name).text == "Hello"


def test_part_of_a_page_is_told_by_its_name() -> None:
    assert parse("<p>part of a page</p>").text == "part of a page"


@pytest.mark.parametrize("body", ["", "<img src=a.png>", "<script>render()</script><noscript>Turn it on</noscript>"])
def test_page_without_text_says_so(body: str) -> None:
    with pytest.raises(IngestionFailed) as caught:
        text_of(body)
    assert caught.value.code is FailureCode.NO_TEXT


@pytest.mark.parametrize("opening", ["<div>", "<b>", "<table><tr><td>x"])
def test_page_that_nests_without_end_is_refused_at_once(opening: str) -> None:
    started = time.process_time()
    with pytest.raises(IngestionFailed) as caught:
        parse("<html>" + opening * 100_000 + "x")
    assert caught.value.code is FailureCode.TOO_COMPLEX
    assert time.process_time() - started < 5


def test_deep_but_readable_nesting_is_read() -> None:
    assert text_of("<div>" * 3_000 + "deep" + "</div>" * 3_000) == "deep"


def test_hostile_spans_of_cells_do_not_swell() -> None:
    row = "<tr>" + "<td colspan=99999 rowspan=99999>a" * 50
    assert len(text_of(f"<table>{row * 100}</table>")) < 2_000_000


def test_endless_comments_before_the_page_cost_no_time() -> None:
    started = time.process_time()
    assert parse("<!--->" * 3_000 + "Words.").text == "Words."
    assert time.process_time() - started < 5


def test_stressed_words_stay_in_their_sentence() -> None:
    assert text_of("<p>Turn <b>it</b> on<i>ly</i> <em>now</em>, <b>then <i>stop</i></b><i></i>.</p>") == (
        "Turn it only now, then stop."
    )


def test_marks_in_what_is_shown_as_typed_stay() -> None:
    assert "<b>bold</b>" in text_of("<p>Type</p><textarea><b>bold</b></textarea>")
