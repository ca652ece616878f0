"""OpenDocument texts: structure, numbers, notes and boxes, packed or flat."""

from __future__ import annotations

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument, SpanKind
from tests.unit.parsing.files import a_zip

KIND = "application/vnd.oasis.opendocument.text"
SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "table", "style", "draw", "meta", "manifest")
)
NUMBERED = (
    '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1" '
    'style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")"/>'
    "</text:list-style>"
)
parser = LibraryDocumentParser()


def an_odt(body: str, *, automatic: str = "", styles: str = "", **members: str) -> bytes:
    content = (
        f"<office:document-content {SPACES}><office:automatic-styles>{automatic}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    parts = {"mimetype": KIND, "content.xml": content}
    if styles:
        parts["styles.xml"] = f"<office:document-styles {SPACES}>{styles}</office:document-styles>"
    return a_zip({**parts, **members})


def parse(content: bytes, name: str = "a.odt") -> ParsedDocument:
    return parser.parse(content, name=name)


def text_of(body: str, **options: str) -> str:
    return parse(an_odt(body, **options)).text


def p(text: str) -> str:
    return f"<text:p>{text}</text:p>"


def test_headings_and_paragraphs_are_read_in_order() -> None:
    words = p('Turn<text:tab/>it<text:s text:c="3"/>on.')
    parsed = parse(an_odt(f'<text:h text:outline-level="2">启动</text:h>{words}'))
    assert parsed.text == "启动\n\nTurn it on."
    assert [(span.kind, span.number) for span in parsed.spans] == [(SpanKind.HEADING, 2)]
    assert parsed.media_type == KIND


def test_headings_carry_the_numbers_of_their_outline() -> None:
    outline = (
        '<text:outline-style style:name="Outline"><text:outline-level-style text:level="1" style:num-format="1"/>'
        '<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>'
    )
    body = '<text:h text:outline-level="1">A</text:h><text:h text:outline-level="2">B</text:h>'
    assert text_of(body, styles=f"<office:styles>{outline}</office:styles>") == "1 A\n\n1.1 B"


def test_lists_keep_numbers_and_depth() -> None:
    items = "".join(f"<text:list-item>{p(text)}</text:list-item>" for text in ("left", "right"))
    inner = f"<text:list>{items}</text:list>"
    first = f'<text:list text:style-name="L1"><text:list-item>{p("Open")}{inner}</text:list-item></text:list>'
    second = (
        '<text:list text:style-name="L1" text:continue-numbering="true">'
        f"<text:list-item>{p('Close')}</text:list-item></text:list>"
    )
    assert text_of(first + second, automatic=NUMBERED) == "1. Open\n  a) left\n  b) right\n2. Close"


def row(*cells: str) -> str:
    inner = "".join(f"<table:table-cell>{p(cell)}</table:table-cell>" for cell in cells)
    return f"<table:table-row>{inner}</table:table-row>"


def test_table_becomes_rows_with_their_headers() -> None:
    head = f"<table:table-header-rows>{row('Code', 'Meaning')}</table:table-header-rows>"
    parsed = parse(an_odt(f"{p('Before')}<table:table>{head}{row('E04', 'Pressure')}</table:table>{p('After')}"))
    assert parsed.text == "Before\n\nCode | Meaning\nCode: E04 | Meaning: Pressure\n\nAfter"
    assert [span.kind for span in parsed.spans] == [SpanKind.TABLE]


def test_notes_boxes_and_links_are_kept_and_comments_and_deletions_left_out() -> None:
    note = (
        '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation>'
        f"<text:note-body>{p('Only in winter.')}</text:note-body></text:note>"
    )
    box = f"<draw:frame><draw:text-box>{p('In a box')}</draw:text-box></draw:frame>"
    deleted = f"<text:tracked-changes><text:changed-region>{p('gone')}</text:changed-region></text:tracked-changes>"
    body = p(f"Heat{note} <text:a>here</text:a>{box}<office:annotation>{p('comment')}</office:annotation>.")
    assert text_of(deleted + body) == "Heat[^1] here.\n\nIn a box\n\n[^1]: Only in winter."


def test_headers_come_last_and_the_title_is_kept() -> None:
    header = f"<style:header>{p('Top')}</style:header>"
    master = f"<office:master-styles><style:master-page>{header}</style:master-page></office:master-styles>"
    body = f'<text:p text:style-name="P1">Handbook</text:p>{p("Words.")}'
    titled = '<style:style style:name="P1" style:parent-style-name="Title"/>'
    parsed = parse(an_odt(body, automatic=titled, styles=master))
    assert parsed.text == "Handbook\n\nWords.\n\nTop"
    assert parsed.title == "Handbook"


@pytest.mark.parametrize("name", ["a.doc", "a.docx", "a.zip", "a"])
def test_text_document_is_recognised_whatever_its_name(name: str) -> None:
    assert parse(an_odt(p("Hello")), name).text == "Hello"


def test_flat_file_is_read_too() -> None:
    flat = (
        f'<?xml version="1.0"?><office:document {SPACES} office:mimetype="{KIND}"><office:body><office:text>'
        f"{p('Flat.')}</office:text></office:body></office:document>"
    )
    assert parse(flat.encode(), "a.doc").text == "Flat."


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (an_odt(p("")), FailureCode.NO_TEXT),
        (a_zip({"mimetype": KIND, "content.xml.bak": "x"}), FailureCode.CORRUPT),
        (a_zip({"mimetype": KIND, "content.xml": "<office:x"}), FailureCode.CORRUPT),
        (an_odt(p("a"))[:150], FailureCode.CORRUPT),
        (
            a_zip({"mimetype": KIND, "content.xml": "x", "META-INF/manifest.xml": "<manifest:encryption-data/>"}),
            FailureCode.ENCRYPTED,
        ),
    ],
)
def test_unreadable_file_fails_with_its_reason(content: bytes, code: FailureCode) -> None:
    with pytest.raises(IngestionFailed) as caught:
        parse(content)
    assert caught.value.code is code


def test_hostile_repetitions_do_not_swell() -> None:
    cell = f'<table:table-cell table:number-columns-repeated="999999999">{p("x")}</table:table-cell>'
    spaces = p('a<text:s text:c="999999999"/>b')
    assert len(text_of(f"<table:table><table:table-row>{cell}{cell}</table:table-row></table:table>{spaces}")) < 5_000


def test_entities_are_not_expanded() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>' + (
        f"<office:document-content {SPACES}><office:body><office:text>{p('Words. &b;')}</office:text></office:body>"
        "</office:document-content>"
    )
    assert parse(a_zip({"mimetype": KIND, "content.xml": bomb})).text == "Words."
