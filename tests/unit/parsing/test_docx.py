"""DOCX files: everything a reader sees, in reading order, and no part that takes the file down."""

from __future__ import annotations

from io import BytesIO

import docx
import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.adapters.parsing.list_numbers import format_number
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument, SpanKind
from tests.unit.parsing.files import STRICT_W, a_docx, a_zip, p, part, relations

parser = LibraryDocumentParser()

NUMBERING = part(
    "numbering",
    '<w:abstractNum w:abstractNumId="7">'
    '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="chineseCounting"/><w:lvlText w:val="第%1条"/></w:lvl>'
    '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/><w:isLgl/></w:lvl>'
    '<w:lvl w:ilvl="2"><w:numFmt w:val="bullet"/><w:lvlText w:val="\uf0b7"/></w:lvl></w:abstractNum>'
    '<w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num>'
    '<w:num w:numId="4"><w:abstractNumId w:val="7"/>'
    '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>',
)
FOOTNOTES = part(
    "footnotes",
    f'<w:footnote w:id="-1" w:type="separator">{p("separator")}</w:footnote>'
    f'<w:footnote w:id="2">{p("Only in winter.")}</w:footnote>',
)
HEADING_STYLES = part(
    "styles",
    '<w:style w:styleId="a1"><w:name w:val="heading 2"/></w:style>'
    '<w:style w:styleId="own"><w:name w:val="Chapter"/><w:basedOn w:val="a1"/></w:style>'
    '<w:style w:styleId="loop"><w:name w:val="Loop"/><w:basedOn w:val="loop"/></w:style>',
)
TEXT_BOX = f"<wps:txbx><w:txbxContent>{p('Inside the box')}</w:txbxContent></wps:txbx>"


def parse(content: bytes) -> ParsedDocument:
    return parser.parse(content, name="a.docx")


def text_of(body: str, **parts: str) -> str:
    return parse(a_docx(body, **parts)).text


def failure_code(content: bytes) -> FailureCode:
    with pytest.raises(IngestionFailed) as caught:
        parse(content)
    return caught.value.code


def item(text: str, level: int = 0, list_id: int = 3) -> str:
    return p(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/></w:numPr>')


def row(*cells: str, properties: str = "", bold: bool = False) -> str:
    look = "<w:rPr><w:b/></w:rPr>" if bold else ""
    inner = "".join(f"<w:tc><w:p><w:r>{look}<w:t>{cell}</w:t></w:r></w:p></w:tc>" for cell in cells)
    return f"<w:tr><w:trPr>{properties}</w:trPr>{inner}</w:tr>"


def test_document_made_by_word_processor_is_read_in_order() -> None:
    document = docx.Document()
    document.core_properties.title = "Handbook"
    document.add_heading("Handbook", 0)
    document.add_heading("Starting", 1)
    document.add_paragraph("Turn it on.")
    table = document.add_table(rows=0, cols=2)
    for name, value in (("Code", "Meaning"), ("E04", "Pressure"), ("E11", "Sensor")):
        cells = table.add_row().cells
        cells[0].paragraphs[0].add_run(name).bold = name == "Code"
        cells[1].paragraphs[0].add_run(value).bold = name == "Code"
    document.add_paragraph("After the table.")
    target = BytesIO()
    document.save(target)

    parsed = parse(target.getvalue())

    assert parsed.title == "Handbook"
    assert parsed.text == (
        "Handbook\n\nStarting\n\nTurn it on.\n\n"
        "Code | Meaning\nCode: E04 | Meaning: Pressure\nCode: E11 | Meaning: Sensor\n\nAfter the table."
    )
    headings = [(span.number, parsed.text[span.start : span.end]) for span in parsed.spans_of(SpanKind.HEADING)]
    assert headings == [(1, "Handbook"), (1, "Starting")]
    tables = [parsed.text[span.start : span.end] for span in parsed.spans_of(SpanKind.TABLE)]
    assert [table.split("\n")[0] for table in tables] == ["Code | Meaning"]


def test_heading_level_comes_from_style_or_outline_whatever_their_names() -> None:
    body = (
        p("A", '<w:pStyle w:val="own"/>')
        + p("B", '<w:outlineLvl w:val="0"/>')
        + p("C", '<w:outlineLvl w:val="9"/>')
        + p("D", '<w:pStyle w:val="loop"/>')
    )
    parsed = parse(a_docx(body, styles=HEADING_STYLES))
    assert [(span.number, parsed.text[span.start : span.end]) for span in parsed.spans_of(SpanKind.HEADING)] == [
        (2, "A"),
        (1, "B"),
    ]


def test_list_numbers_are_those_that_word_shows() -> None:
    body = item("总则") + item("范围", 1) + item("对象", 1) + item("点", 2) + item("审批") + item("国内", 1)
    assert text_of(body + item("附则", list_id=4), numbering=NUMBERING) == (
        "第一条 总则\n  1.1 范围\n  1.2 对象\n    • 点\n第二条 审批\n  2.1 国内\n第五条 附则"
    )


@pytest.mark.parametrize(
    ("number", "form", "written"),
    [
        (28, "lowerLetter", "bb"),
        (4, "upperRoman", "IV"),
        (1949, "lowerRoman", "mcmxlix"),
        (10, "chineseCounting", "十"),
        (21, "chineseCounting", "二十一"),
        (105, "japaneseCounting", "一百零五"),
        (3, "decimalEnclosedCircle", "③"),
        (12, "decimalEnclosedCircle", "⑫"),
        (22, "ordinal", "22nd"),
        (11, "ordinal", "11th"),
        (3, "ideographTraditional", "丙"),
        (13, "ideographZodiac", "子"),
        (12, "chineseLegalSimplified", "壹拾贰"),
        (2, "russianUpper", "Б"),
        (3, "unknownForm", "3"),
        (0, "lowerRoman", "0"),
    ],
)
def test_number_is_written_in_its_format(number: int, form: str, written: str) -> None:
    assert format_number(number, form) == written


def test_tracked_changes_are_read_as_if_accepted() -> None:
    body = (
        "<w:p><w:r><w:t>stays </w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom>"
        "<w:moveTo><w:r><w:t> here</w:t></w:r></w:moveTo></w:p>"
    )
    assert text_of(body) == "stays new here"


def test_links_fields_controls_and_ruby_keep_their_visible_text() -> None:
    body = (
        '<w:p><w:hyperlink r:id="missing"><w:r><w:t>link</w:t></w:r></w:hyperlink>'
        '<w:r><w:t xml:space="preserve"> </w:t>'
        "<w:instrText>PAGE</w:instrText></w:r><w:fldSimple><w:r><w:t>field</w:t></w:r></w:fldSimple>"
        "<w:sdt><w:sdtPr/><w:sdtContent><w:r><w:tab/><w:t>control</w:t><w:br/></w:r></w:sdtContent></w:sdt>"
        "<w:r><w:ruby><w:rt><w:r><w:t>とうきょう</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>東京</w:t></w:r></w:rubyBase>"
        "</w:ruby></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r></w:p>"
    )
    assert text_of(body) == "link field control\n東京"


def test_footnote_stands_after_the_paragraph_that_refers_to_it() -> None:
    body = (
        '<w:p><w:r><w:t>Drain the unit.</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
        + p("Next.")
        + '<w:p><w:r><w:t>Lost</w:t></w:r><w:r><w:footnoteReference w:id="99"/></w:r></w:p>'
    )
    assert text_of(body, footnotes=FOOTNOTES) == "Drain the unit.[^1]\n\n[^1]: Only in winter.\n\nNext.\n\nLost"


def test_text_box_is_read_once_though_it_is_stored_twice() -> None:
    fallback = f"<v:textbox><w:txbxContent>{p('Inside the box')}</w:txbxContent></v:textbox>"
    body = (
        f"<w:p><w:r><w:t>Before</w:t><mc:AlternateContent><mc:Choice>{TEXT_BOX}</mc:Choice>"
        f"<mc:Fallback>{fallback}</mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    assert text_of(body) == "Before\n\nInside the box"


def test_header_row_names_the_values_below_it() -> None:
    table = row("Task", "Every", properties="<w:tblHeader/>") + row("Clean", "3 months") + row("Check", "")
    assert text_of(f"<w:tbl>{table}</w:tbl>") == "Task | Every\nTask: Clean | Every: 3 months\nTask: Check"


def test_table_of_names_and_values_has_no_header() -> None:
    table = row("Model", "HP-45") + row("Weight", "410 kg")
    assert text_of(f"<w:tbl>{table}</w:tbl>") == "Model | HP-45\nWeight | 410 kg"


def test_merged_cells_repeat_downwards_and_not_sideways() -> None:
    top = '<w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr>' + p("North") + "</w:tc>"
    below = "<w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc>"
    wide = '<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>' + p("Total") + "</w:tc>"
    table = (
        f"<w:tr>{top}<w:tc>{p('Kiel')}</w:tc></w:tr><w:tr>{below}<w:tc>{p('Husum')}</w:tc></w:tr><w:tr>{wide}</w:tr>"
    )
    assert text_of(f"<w:tbl>{table}</w:tbl>") == "North | Kiel\nNorth | Husum\nTotal"


def test_table_inside_a_cell_is_not_lost() -> None:
    inner = f"<w:tbl>{row('in', 'ner')}</w:tbl>"
    table = f"<w:tr><w:tc>{p('outer')}{inner}<w:p/></w:tc><w:tc>{p('right')}</w:tc></w:tr>"
    assert text_of(f"<w:tbl>{table}</w:tbl>") == "outer in, ner | right"


def test_table_that_only_places_paragraphs_is_read_as_paragraphs() -> None:
    table = f"<w:tr><w:tc>{p('One')}{p('Two')}</w:tc></w:tr>"
    assert text_of(f"<w:tbl>{table}</w:tbl>") == "One\n\nTwo"


def test_headers_and_footers_come_last_and_once() -> None:
    header = part("hdr", p("Confidential"))
    assert text_of(p("Body"), header=header, footer=part("ftr", p("Page 3")) + "") == "Body\n\nConfidential\n\nPage 3"
    assert text_of(p("Confidential body"), header=header) == "Confidential body"


def test_damaged_or_missing_side_parts_do_not_fail_the_file() -> None:
    parsed = text_of(p("Body", '<w:pStyle w:val="x"/>'), styles="<broken", numbering="", footnotes="\x00")
    assert parsed == "Body"


def test_bad_relationships_do_not_fail_the_file() -> None:
    extra = (
        '<Relationship Id="e" Type="x/image" Target="http://[bad" TargetMode="External"/>'
        '<Relationship Id="n" Type="x/footnotes" Target="../../../NULL"/><Relationship/>'
    )
    content = a_zip(
        {
            "_rels/.rels": relations(("r", "officeDocument", "/word/document.xml")),
            "word/document.xml": part("document", f"<w:body>{p('Body')}</w:body>"),
            "word/_rels/document.xml.rels": relations(extra=extra),
        }
    )
    assert parse(content).text == "Body"


@pytest.mark.parametrize("main", ["word/document2.xml", "content/main.xml", "word/Document.XML"])
def test_main_part_is_found_by_its_relationship(main: str) -> None:
    content = a_docx(p("Body"), main=main)
    assert parse(content).text == "Body"


def test_strict_file_and_backslash_names_are_read() -> None:
    assert parse(a_docx(p("Body"), namespace=STRICT_W)).text == "Body"
    members = {"word\\document.xml": part("document", f"<w:body>{p('Body')}</w:body>")}
    assert parse(a_zip(members)).text == "Body"


def test_control_characters_are_dropped() -> None:
    assert text_of(p("a\x0bb&#x1;c")) == "abc"


PICTURE = "<w:p><w:r><w:drawing/></w:r></w:p>"


@pytest.mark.parametrize(("body", "header"), [("", ""), ("<w:p/>", p("- 7 -")), (PICTURE, p("Letterhead"))])
def test_document_of_pictures_or_nothing_has_no_text(body: str, header: str) -> None:
    assert failure_code(a_docx(body, header=part("hdr", header))) is FailureCode.NO_TEXT


def test_document_whose_only_words_are_in_its_header_is_read() -> None:
    assert text_of("<w:p/>", header=part("hdr", p("Letterhead"))) == "Letterhead"


def test_entities_are_neither_expanded_nor_fetched() -> None:
    document = part("document", f"<w:body>{p('before &inner; &outer; after')}</w:body>")
    doctype = '<!DOCTYPE x [<!ENTITY inner "boom"><!ENTITY outer SYSTEM "file:///etc/passwd">]>'
    text = parse(a_zip({"word/document.xml": doctype + document})).text
    assert text.split() == ["before", "after"]


def test_entities_are_not_expanded() -> None:
    document = part("document", f"<w:body>{p('before &e; after')}</w:body>")
    content = a_zip({"word/document.xml": '<!DOCTYPE x [<!ENTITY e "boom">]>' + document})
    assert parse(content).text.split() == ["before", "after"]


def test_archive_that_unpacks_to_too_much_is_refused() -> None:
    assert failure_code(a_docx(p("x" * 210_000_000))) is FailureCode.TOO_COMPLEX


def test_archive_with_too_many_members_is_refused() -> None:
    members: dict[str, str | bytes] = {f"word/{number}.xml": "" for number in range(10_001)}
    assert failure_code(a_zip(members)) is FailureCode.TOO_COMPLEX


def test_member_that_lies_about_its_size_is_not_inflated_further() -> None:
    content = bytearray(a_zip({"word/document.xml": part("document", f"<w:body>{p('x' * 3_000_000)}</w:body>")}))
    central = content.rindex(b"PK\x01\x02")
    content[central + 24 : central + 28] = (1_000).to_bytes(4, "little")
    assert failure_code(bytes(content)) is FailureCode.CORRUPT


def test_flipped_bytes_in_the_main_part_are_corrupt() -> None:
    content = bytearray(a_docx("".join(p(f"paragraph {number}") for number in range(500))))
    place = content.index(b"word/document.xml") + 200
    content[place : place + 40] = bytes(255 - byte for byte in content[place : place + 40])
    assert failure_code(bytes(content)) is FailureCode.CORRUPT


@pytest.mark.parametrize("gap", [slice(400, None), slice(0, 400), slice(60, 300), slice(-300, -200)], ids=str)
def test_file_that_lacks_a_piece_is_damaged_and_nothing_worse(gap: slice) -> None:
    content = bytearray(a_docx(p("Body")))
    del content[gap]
    assert failure_code(b"PK\x03\x04" + bytes(content)) in (FailureCode.CORRUPT, FailureCode.UNSUPPORTED)


def test_encrypted_member_is_encrypted() -> None:
    content = bytearray(a_zip({"word/document.xml": "<x/>"}))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + offset] |= 1
    assert failure_code(bytes(content)) is FailureCode.ENCRYPTED


def test_deeply_nested_document_ends_with_a_failure() -> None:
    depth = 20_000
    nested = "<w:sdt><w:sdtContent>" * depth + p("deep") + "</w:sdtContent></w:sdt>" * depth
    assert failure_code(a_docx(nested)) is FailureCode.TOO_COMPLEX


COMMENTS = part("comments", f'<w:comment w:id="5">{p("Ask the")}{p("plumber.")}</w:comment>')
REFERENCE = '<w:p><w:r><w:t>Drain it.</w:t></w:r><w:r><w:commentReference w:id="5"/></w:r></w:p>'


def field(code: str, result: str = "", form: str = "") -> str:
    begin = f'<w:r><w:fldChar w:fldCharType="begin">{form}</w:fldChar></w:r>'
    shown = f'<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>{result}</w:t></w:r>' if result else ""
    return f'{begin}<w:r><w:instrText>{code}</w:instrText></w:r>{shown}<w:r><w:fldChar w:fldCharType="end"/></w:r>'


def with_chunk(name: str, content: str | bytes) -> bytes:
    body = '<w:p><w:r><w:t>Before</w:t></w:r></w:p><w:altChunk r:id="c"/>' + p("After")
    return a_zip(
        {
            "_rels/.rels": relations(("r1", "officeDocument", "word/document.xml")),
            "word/document.xml": part("document", f"<w:body>{body}</w:body>"),
            "word/_rels/document.xml.rels": relations(("c", "aFChunk", name)),
            f"word/{name}": content,
        }
    )


def test_comment_follows_the_paragraph_that_it_hangs_on() -> None:
    assert text_of(REFERENCE + p("Next."), comments=COMMENTS) == "Drain it.\n\nComment: Ask the plumber.\n\nNext."


def test_comment_in_a_table_follows_the_table() -> None:
    table = f"<w:tbl><w:tr><w:tc>{REFERENCE}</w:tc><w:tc>{p('monthly')}</w:tc></w:tr></w:tbl>"
    assert text_of(table, comments=COMMENTS) == "Drain it. | monthly\n\nComment: Ask the plumber."


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("chunk.htm", "<html><body><h1>Inside</h1><p>of it</p></body></html>"),
        ("chunk.rtf", r"{\rtf1 Inside\par of it\par}"),
        ("chunk.txt", "Inside\n\nof it"),
        ("chunk.docx", a_docx(p("Inside") + p("of it"))),
    ],
)
def test_part_in_another_format_stands_in_its_place(name: str, content: str | bytes) -> None:
    assert parse(with_chunk(name, content)).text == "Before\n\nInside\n\nof it\n\nAfter"


def test_part_in_another_format_that_cannot_be_read_is_left_out() -> None:
    assert parse(with_chunk("chunk.docx", b"PK\x03\x04 no package")).text == "Before\n\nAfter"


def test_document_that_holds_itself_again_and_again_ends() -> None:
    content = a_docx(p("innermost"))
    for _ in range(10):
        content = with_chunk("chunk.docx", content)
    assert parse(content).text.startswith("Before\n\nBefore")


def test_charts_and_diagrams_are_read_as_text() -> None:
    drawing = "http://schemas.openxmlformats.org/drawingml/2006"
    points = "".join(f'<c:pt idx="{place}"><c:v>{value}</c:v></c:pt>' for place, value in enumerate((0.1, 0.25)))
    names = '<c:pt idx="0"><c:v>May</c:v></c:pt><c:pt idx="1"><c:v>June</c:v></c:pt>'
    chart = (
        f'<c:chartSpace xmlns:c="{drawing}/chart" xmlns:a="{drawing}/main"><c:chart><c:title><c:tx><c:rich><a:p><a:r>'
        "<a:t>Losses</a:t></a:r></a:p></c:rich></c:tx></c:title><c:ser><c:tx><c:v>North</c:v></c:tx>"
        f"<c:cat>{names}</c:cat><c:val><c:formatCode>0.0%</c:formatCode>{points}</c:val></c:ser></c:chart></c:chartSpace>"
    )
    node = "<dgm:pt><dgm:t><a:p><a:r><a:t>{}</a:t></a:r></a:p></dgm:t></dgm:pt>"
    diagram = (
        f'<dgm:dataModel xmlns:dgm="{drawing}/diagram" xmlns:a="{drawing}/main">'
        f'{node.format("Plan")}{node.format("Build")}<dgm:pt type="pres"/></dgm:dataModel>'
    )
    body = (
        f'<w:p><w:r><w:drawing><c:chart xmlns:c="{drawing}/chart" r:id="r0"/></w:drawing></w:r></w:p>'
        f'<w:p><w:r><w:drawing><dgm:relIds xmlns:dgm="{drawing}/diagram" r:dm="r1"/></w:drawing></w:r></w:p>'
    )
    assert text_of(body, chart=chart, diagramData=diagram) == "Losses\nNorth: May: 10.0% | June: 25.0%\n\nPlan\nBuild"


def test_form_fields_show_what_they_are_filled_with() -> None:
    checked = "<w:ffData><w:checkBox><w:default w:val='0'/><w:checked/></w:checkBox></w:ffData>"
    empty = "<w:ffData><w:checkBox><w:default w:val='0'/></w:checkBox></w:ffData>"
    entries = "<w:listEntry w:val='oil'/><w:listEntry w:val='gas'/>"
    chosen = f"<w:ffData><w:ddList><w:result w:val='1'/>{entries}</w:ddList></w:ffData>"
    body = f"<w:p>{field('FORMCHECKBOX', form=checked)}<w:r><w:t>yes</w:t></w:r>{field('FORMCHECKBOX', form=empty)}"
    body += f"<w:r><w:t>no</w:t></w:r></w:p><w:p>{field('FORMDROPDOWN', form=chosen)}</w:p>"
    assert text_of(body) == "☒ yes☐ no\n\ngas"


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        (r"EQ \* jc2 \* &quot;Font:MS Mincho&quot; \* hps11 \o\ad(\s\up 10(とうきょう),東京)", "東京"),
        (r"EQ \f(1,2)", "1/2"),
        (r"SYMBOL 183 \f Symbol \s 10", "•"),
        ("MACROBUTTON NoMacro [Name]", "[Name]"),
        (r"HYPERLINK &quot;http://x&quot;", ""),
    ],
)
def test_field_without_a_result_shows_what_its_code_makes_up(code: str, shown: str) -> None:
    assert text_of(f"<w:p><w:r><w:t>(</w:t></w:r>{field(code)}<w:r><w:t>)</w:t></w:r></w:p>") == f"({shown})"


def test_field_inside_the_code_of_another_is_not_shown() -> None:
    inner = field("MERGEFIELD sex", "f")
    outer = field(f"IF </w:instrText></w:r>{inner}<w:r><w:instrText> = f Mrs Mr", "Mrs")
    assert text_of(f"<w:p><w:r><w:t>Dear </w:t></w:r>{outer}</w:p>") == "Dear Mrs"


def test_field_that_never_ends_takes_no_text_away() -> None:
    begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r>'
    assert text_of(f"<w:p>{begin}<w:r><w:t>Words</w:t></w:r></w:p>" + p("More")) == "Words\n\nMore"


def test_word_art_is_read() -> None:
    assert text_of('<w:p><w:r><w:pict><v:textpath string="Grand Opening"/></w:pict></w:r></w:p>') == "Grand Opening"


def test_several_header_rows_name_the_columns_together() -> None:
    top = row("", "2026", properties="<w:tblHeader/>").replace("<w:tc>", "<w:tc><w:tcPr/>", 1)
    top = top.replace("<w:tc><w:p><w:r><w:t>2026", '<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p><w:r><w:t>2026')
    table = top + row("City", "May", "June", properties="<w:tblHeader/>") + row("Kiel", "3", "4")
    assert text_of(f"<w:tbl>{table}</w:tbl>") == (
        "City | 2026 May | 2026 June\nCity: Kiel | 2026 May: 3 | 2026 June: 4"
    )


def test_title_above_a_table_stands_for_itself() -> None:
    table = row("Sales of the year", "") + row("City", "Heat pumps", "Total") + row("Kiel", "3", "4")
    assert text_of(f"<w:tbl>{table}</w:tbl>") == (
        "Sales of the year\nCity | Heat pumps | Total\nCity: Kiel | Heat pumps: 3 | Total: 4"
    )


def test_long_cell_that_spans_rows_is_not_repeated() -> None:
    long = "word " * 30
    top = f'<w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr>{p(long)}</w:tc>'
    below = "<w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc>"
    table = f"<w:tr><w:tc>{p('a')}</w:tc>{top}</w:tr><w:tr><w:tc>{p('b')}</w:tc>{below}</w:tr>"
    assert text_of(f"<w:tbl>{table}</w:tbl>") == f"a | {long.strip()}\nb"


def test_list_that_points_to_the_numbers_of_a_style_has_them() -> None:
    numbering = part(
        "numbering",
        '<w:abstractNum w:abstractNumId="1"><w:numStyleLink w:val="Legal"/></w:abstractNum>'
        '<w:abstractNum w:abstractNumId="2"><w:styleLink w:val="Legal"/><w:lvl w:ilvl="0">'
        '<w:numFmt w:val="upperRoman"/><w:lvlText w:val="(%1)"/></w:lvl></w:abstractNum>'
        '<w:num w:numId="3"><w:abstractNumId w:val="1"/></w:num>',
    )
    assert text_of(item("Scope") + item("Terms"), numbering=numbering) == "(I) Scope\n(II) Terms"


def test_table_that_is_read_in_many_pieces_stays_one_table() -> None:
    rows = row("Code", "Meaning", properties="<w:tblHeader/>") + "".join(row(f"E{n}", f"m{n}") for n in range(3000))
    parsed = parse(a_docx(p("Before") + f"<w:tbl>{rows}</w:tbl>" + p("After")))
    assert parsed.text.endswith("Code: E2999 | Meaning: m2999\n\nAfter")
    assert parsed.text.count("Code: E") == 3000
    assert len(list(parsed.spans_of(SpanKind.TABLE))) == 1


def test_names_with_unusual_prefixes_are_read() -> None:
    document = part("document", f"<w:body>{REFERENCE}</w:body>").replace("w:", "ns0:").replace("xmlns:ns0:", "xmlns:w:")
    document = document.replace("xmlns:w=", "xmlns:ns0=", 1)
    content = a_zip(
        {
            "_rels/.rels": relations(("r1", "officeDocument", "word/document.xml")),
            "word/document.xml": document,
            "word/_rels/document.xml.rels": relations(("c", "comments", "comments.xml")),
            "word/comments.xml": COMMENTS,
        }
    )
    assert parse(content).text == "Drain it.\n\nComment: Ask the plumber."


@pytest.mark.parametrize("kind", ["template", "macroEnabled"])
def test_templates_and_documents_with_macros_are_read_by_their_content_type(kind: str) -> None:
    types = {
        "template": "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
        "macroEnabled": "application/vnd.ms-word.document.macroEnabled.main+xml",
    }
    listed = f'<Types><Override PartName="/odd/place.xml" ContentType="{types[kind]}"/></Types>'
    members = {"[Content_Types].xml": listed, "odd/place.xml": part("document", f"<w:body>{p('Body')}</w:body>")}
    assert parser.parse(a_zip(members), name="a.bin").text == "Body"


LOOKS = '<w:rPr><w:rFonts w:ascii="Calibri"/><w:b w:val="0"/><w:sz w:val="22"/></w:rPr>'


def run(text: str, looks: str = LOOKS) -> str:
    return f'<w:r w:rsidR="00AB12CD">{looks}<w:t xml:space="preserve">{text}</w:t></w:r>'


def test_runs_that_only_looks_part_are_one_text() -> None:
    body = f"<w:p>{run('Pres')}<w:proofErr w:type='x'/>{run('sure')}{run(' rises')}</w:p>"
    assert text_of(body) == "Pressure rises"


def test_looks_that_matter_are_read_among_those_that_do_not() -> None:
    hidden = run("unseen", '<w:rPr><w:rFonts w:ascii="A"/><w:vanish/><w:sz w:val="2"/></w:rPr>')
    bold = '<w:rPr><w:sz w:val="22"/><w:b/></w:rPr>'
    cells = [[run("Name", bold), run("Place", bold)], [run("Ann"), run("Rome")], [run("Bob"), run("Bonn")]]
    rows = "".join(
        "<w:tr>" + "".join(f"<w:tc><w:tcPr><w:tcW w:w='9'/></w:tcPr><w:p>{c}</w:p></w:tc>" for c in row) + "</w:tr>"
        for row in cells
    )
    text = text_of(f"<w:p>{run('Seen')}{hidden}</w:p><w:tbl>{rows}</w:tbl>")
    assert text == "Seen\n\nName | Place\nName: Ann | Place: Rome\nName: Bob | Place: Bonn"


def test_run_behind_a_hidden_one_is_seen() -> None:
    hidden = run("unseen", "<w:rPr><w:vanish/></w:rPr>")
    assert text_of(f"<w:p>{hidden}{run('Seen')}{hidden}{run(' too')}</w:p>") == "Seen too"


def test_looks_in_a_comment_or_a_section_of_characters_are_left_alone() -> None:
    body = f"<w:p><w:r><w:t><![CDATA[{LOOKS}]]></w:t></w:r></w:p>"
    assert text_of(body) == LOOKS


def test_styles_of_paragraphs_are_read_among_those_of_tables() -> None:
    other = '<w:style w:type="table" w:styleId="T{0}"><w:name w:val="heading {0}"/></w:style>'
    own = '<w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 2"/></w:style>'
    styles = other.format(1) + other.format(2) + own + other.format(3)
    body = f'<w:p><w:pPr><w:pStyle w:val="H"/></w:pPr>{run("Valves")}</w:p><w:p>{run("Text")}</w:p>'
    parsed = parse(a_docx(body, styles=part("styles", styles)))
    assert [(span.kind, span.number) for span in parsed.spans] == [(SpanKind.HEADING, 2)]


@pytest.mark.parametrize("look", ["", "<w:rPr><w:sz w:val='9'/></w:rPr>", '<w:rPr><w:sz w:val="9"/></w:rPr>'])
@pytest.mark.parametrize("space", ["", ' xml:space="preserve"'])
def test_paragraph_is_the_same_however_its_runs_look(look: str, space: str) -> None:
    runs = "".join(f"<w:r>{look}<w:t{space}>{piece}</w:t></w:r>" for piece in ("A &lt;b&gt; ", "&amp; c", " é"))
    assert text_of(f'<w:p w:rsidR="00A1"><w:pPr><w:jc w:val="left"/></w:pPr>{runs}</w:p>') == "A <b> & c é"


def test_hidden_run_beside_plain_ones_hides_only_itself() -> None:
    hidden = "<w:r><w:rPr><w:sz/><w:vanish/></w:rPr><w:t>secret</w:t></w:r>"
    plain = "<w:r><w:t>seen</w:t></w:r>"
    assert text_of(f"<w:p>{plain}{hidden}{plain}</w:p>") == "seenseen"


def test_style_counts_beside_other_properties_of_a_paragraph() -> None:
    head = p("Plans", '<w:spacing w:after="0"/><w:pStyle w:val="own"/><w:jc w:val="left"/>')
    parsed = parse(a_docx(head + p("Level", '<w:outlineLvl w:val="2"/>'), styles=HEADING_STYLES))
    assert [(span.start, span.number) for span in parsed.spans_of(SpanKind.HEADING)] == [(0, 2), (7, 3)]


def test_names_of_other_parts_of_a_style_are_not_its_own() -> None:
    style = '<w:rPr><w:rFonts w:ascii="x"/></w:rPr><w:pPr><w:spacing/><w:outlineLvl w:val="0"/></w:pPr>'
    table = '<w:style w:type="table" w:styleId="own"><w:name w:val="heading 7"/></w:style>'
    styles = part(
        "styles", f'<w:style w:type="paragraph" w:styleId="big"><w:name w:val="Big"/>{style}</w:style>{table}'
    )
    parsed = parse(a_docx(p("Top", '<w:pStyle w:val="big"/>') + p("Body", '<w:pStyle w:val="own"/>'), styles=styles))
    assert [(span.start, span.number) for span in parsed.spans_of(SpanKind.HEADING)] == [(0, 1)]


def test_cell_of_a_bold_and_a_plain_paragraph_is_no_name() -> None:
    bold = "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Kiel</w:t></w:r></w:p>"
    cells = "".join(f"<w:tc>{bold}{p(text)}</w:tc>" for text in ("a", "b"))
    text = text_of(f"<w:tbl><w:tr>{cells}</w:tr>{row('Lyon', 'Oslo')}</w:tbl>")
    assert text == "Kiel a | Kiel b\nLyon | Oslo"
