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
    for name in ("office", "text", "table", "style", "draw", "meta", "manifest", "presentation")
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


def failure_code(content: bytes) -> FailureCode:
    with pytest.raises(IngestionFailed) as caught:
        parse(content)
    return caught.value.code


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


def test_notes_boxes_comments_and_links_are_kept_and_deletions_left_out() -> None:
    note = (
        '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation>'
        f"<text:note-body>{p('Only in winter.')}</text:note-body></text:note>"
    )
    box = f"<draw:frame><draw:text-box>{p('In a box')}</draw:text-box></draw:frame>"
    deleted = f"<text:tracked-changes><text:changed-region>{p('gone')}</text:changed-region></text:tracked-changes>"
    body = p(f"Heat{note} <text:a>here</text:a>{box}<office:annotation>{p('comment')}</office:annotation>.")
    assert text_of(deleted + body) == "Heat[^1] here.\n\nIn a box\n\n[^1]: Only in winter.\n\nComment: comment"


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


def an_opendocument_file(kind: str, body: str, **members: str) -> bytes:
    content = f"<office:document-content {SPACES}><office:body><office:{kind}>{body}</office:{kind}></office:body>"
    parts = {
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "content.xml": content + "</office:document-content>",
    }
    return a_zip({**parts, **members})


def cells(*texts: str, repeated: int = 1) -> str:
    inner = "".join(f"<table:table-cell>{p(text)}</table:table-cell>" for text in texts)
    return f'<table:table-row table:number-rows-repeated="{repeated}">{inner}</table:table-row>'


def test_merged_cells_repeat_downwards_and_not_sideways() -> None:
    tall = f'<table:table-cell table:number-rows-spanned="2">{p("North")}</table:table-cell>'
    wide = (
        f'<table:table-cell table:number-columns-spanned="2">{p("Total")}</table:table-cell><table:covered-table-cell/>'
    )
    covered = "<table:covered-table-cell/>"
    rows = [
        f"{tall}<table:table-cell>{p('Kiel')}</table:table-cell>",
        f"{covered}<table:table-cell>{p('Husum')}</table:table-cell>",
        wide,
    ]
    table = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    assert text_of(f"<table:table>{table}</table:table>") == "North | Kiel\nNorth | Husum\nTotal"


def test_document_of_many_pieces_is_read_whole_and_in_order() -> None:
    section = "".join(p(f"paragraph {number}") for number in range(5_000))
    text = text_of(f"<text:section>{section}</text:section>{p('End')}")
    assert text.split("\n\n") == [*(f"paragraph {number}" for number in range(5_000)), "End"]


def test_hidden_section_is_left_out() -> None:
    assert text_of(f'<text:section text:display="none">{p("gone")}</text:section>{p("stays")}') == "stays"


def test_sheets_are_read_row_by_row_with_their_names() -> None:
    comment = f"<office:annotation>{p('Ask the plumber.')}</office:annotation>"
    sheet = (
        f'<table:table table:name="Sales">{cells("City", "Total")}'
        f"<table:table-row><table:table-cell>{comment}{p('Kiel')}</table:table-cell>"
        '<table:table-cell office:value-type="float" office:value="3"/></table:table-row>'
        '<table:table-row table:number-rows-repeated="1048574">'
        '<table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>'
        '<table:table table:name="Empty"><table:table-row/></table:table>'
    )
    parsed = parse(an_opendocument_file("spreadsheet", sheet), "a.ods")
    assert parsed.text == "Sales\n\nCity | Total\nCity: Kiel | Total: 3\n\nComment on A2: Ask the plumber."
    assert parsed.media_type == "application/vnd.oasis.opendocument.spreadsheet"
    assert len(list(parsed.spans_of(SpanKind.TABLE))) == 1


def test_sheet_of_many_pieces_is_one_sheet() -> None:
    sheet = "".join(cells(f"E{number}", "x") for number in range(5_000))
    text = parse(an_opendocument_file("spreadsheet", f'<table:table table:name="S">{sheet}</table:table>')).text
    assert text.startswith("S\n\nE0 | x\nE1 | x\n")
    assert text.endswith("E4999 | x")
    assert text.count("S\n") == 1


@pytest.mark.parametrize(
    "sheet",
    [
        '<table:table-row><table:table-cell table:number-columns-repeated="1000000000"><text:p>x</text:p>'
        "</table:table-cell></table:table-row>",
        cells("some words", repeated=1_000_000_000),
    ],
)
def test_cells_repeated_beyond_reason_are_too_complex(sheet: str) -> None:
    assert (
        failure_code(an_opendocument_file("spreadsheet", f"<table:table>{sheet}</table:table>"))
        is FailureCode.TOO_COMPLEX
    )


def test_slides_are_pages_with_titles_and_notes() -> None:
    frame = '<draw:frame presentation:class="{}"><draw:text-box>{}</draw:text-box></draw:frame>'
    notes = f"<presentation:notes>{frame.format('notes', p('Smile.'))}</presentation:notes>"
    first = f"<draw:page>{frame.format('outline', p('Words'))}{frame.format('title', p('Heat'))}{notes}</draw:page>"
    second = f"<draw:page>{frame.format('', p('More'))}</draw:page>"
    parsed = parse(an_opendocument_file("presentation", first + second), "a.odp")
    assert parsed.text == "Heat\n\nWords\n\nNotes: Smile.\n\nMore"
    assert [(span.number, parsed.text[span.start : span.end][:4]) for span in parsed.spans_of(SpanKind.PAGE)] == [
        (1, "Heat"),
        (2, "More"),
    ]
    assert parsed.title == "Heat"


def test_spans_however_nested_leave_their_words() -> None:
    span = '<text:span text:style-name="T1">'
    body = f"<text:p>Turn {span}it {span}o</text:span>nly</text:span> now<text:span/>.</text:p><text:p>End</text:p>"
    assert parse(an_odt(body)).text == "Turn it only now.\n\nEnd"
