"""PPTX files: a page for each slide, in the order in which people read it."""

from __future__ import annotations

import zipfile
from io import BytesIO
from typing import Any

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.adapters.parsing.pptx.order import Box, reading_order
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument, SpanKind
from tests.unit.parsing.files import a_zip, relations

P = "http://schemas.openxmlformats.org/presentationml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMES = f'xmlns:p="{P}" xmlns:a="{A}" xmlns:r="{R}"'
parser = LibraryDocumentParser()


def para(text: str, properties: str = "") -> str:
    return f"<a:p>{properties}<a:r><a:t>{text}</a:t></a:r></a:p>"


def place(left: int, top: int, width: int = 100, height: int = 20, tag: str = "a:xfrm") -> str:
    return f'<{tag}><a:off x="{left}" y="{top}"/><a:ext cx="{width}" cy="{height}"/></{tag}>'


def shape(*texts: str, role: str = "", index: str = "", at: str = "") -> str:
    holder = f'<p:nvPr><p:ph type="{role}" idx="{index}"/></p:nvPr>' if role or index else "<p:nvPr/>"
    body = "".join(text if text.startswith("<") else para(text) for text in texts)
    return f"<p:sp><p:nvSpPr>{holder}</p:nvSpPr><p:spPr>{at}</p:spPr><p:txBody>{body}</p:txBody></p:sp>"


def frame(inner: str) -> str:
    graphic = f"<a:graphic><a:graphicData>{inner}</a:graphicData></a:graphic>"
    return f"<p:graphicFrame>{place(0, 0, tag='p:xfrm')}{graphic}</p:graphicFrame>"


def a_slide(*shapes: str, tag: str = "sld", more: str = "") -> str:
    return f"<p:{tag} {NAMES} {more}><p:cSld><p:spTree>{''.join(shapes)}</p:spTree></p:cSld></p:{tag}>"


def a_presentation(*slides: str, order: list[int] | None = None, **parts: str) -> bytes:
    """A presentation; `parts` belong to the first slide, by the kind of their relationship."""
    numbers = range(len(slides)) if order is None else order
    listed = "".join(f'<p:sldId id="{256 + number}" r:id="s{number}"/>' for number in numbers)
    return a_zip(
        {
            "_rels/.rels": relations(("r1", "officeDocument", "ppt/presentation.xml")),
            "ppt/presentation.xml": f"<p:presentation {NAMES}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>",
            "ppt/_rels/presentation.xml.rels": relations(
                *((f"s{number}", "slide", f"slides/slide{number}.xml") for number in range(len(slides)))
            ),
            **{f"ppt/slides/slide{number}.xml": slide for number, slide in enumerate(slides)},
            "ppt/slides/_rels/slide0.xml.rels": relations(*((kind, kind, f"../{kind}.xml") for kind in parts)),
            **{f"ppt/{kind}.xml": content for kind, content in parts.items()},
        }
    )


def parse(content: bytes, name: str = "a.pptx") -> ParsedDocument:
    return parser.parse(content, name=name)


def text_of(*shapes: str, **parts: Any) -> str:
    return parse(a_presentation(a_slide(*shapes), **parts)).text


def failure_code(content: bytes) -> FailureCode:
    with pytest.raises(IngestionFailed) as caught:
        parse(content)
    return caught.value.code


def test_slides_are_pages_in_the_order_of_the_presentation() -> None:
    slides = [a_slide(shape(f"Title {n}", role="title"), shape(f"words {n}")) for n in range(2)]
    parsed = parse(a_presentation(*slides, a_slide(), order=[1, 2, 0]))
    assert parsed.text == "Title 1\n\nwords 1\n\nTitle 0\n\nwords 0"
    pages = [(parsed.text[span.start : span.end], span.number) for span in parsed.spans_of(SpanKind.PAGE)]
    assert pages == [("Title 1\n\nwords 1", 1), ("Title 0\n\nwords 0", 3)]
    headings = [parsed.text[span.start : span.end] for span in parsed.spans_of(SpanKind.HEADING)]
    assert headings == ["Title 1", "Title 0"]
    assert parsed.title == "Title 1"


def test_hidden_slides_are_read_and_counted() -> None:
    parsed = parse(a_presentation(a_slide(shape("hidden"), more='show="0"'), a_slide(shape("words"))))
    assert parsed.text == "hidden\n\nwords"
    assert [span.number for span in parsed.spans_of(SpanKind.PAGE)] == [1, 2]


def test_title_comes_first_wherever_it_stands_in_the_file() -> None:
    assert text_of(shape("words"), shape("Title", role="ctrTitle")) == "Title\n\nwords"


def test_shapes_are_read_from_the_top_even_if_drawn_from_the_bottom() -> None:
    assert text_of(shape("low", at=place(0, 500)), shape("high", at=place(0, 100))) == "high\n\nlow"


def test_place_of_a_placeholder_comes_from_its_layout() -> None:
    layout = a_slide(
        shape("", role="body", index="1", at=place(0, 500)),
        shape("", role="body", index="2", at=place(0, 50)),
        tag="sldLayout",
    )
    text = text_of(shape("low", role="body", index="1"), shape("high", role="body", index="2"), slideLayout=layout)
    assert text == "high\n\nlow"


def test_grouped_shapes_are_read_where_the_group_lies() -> None:
    inside = '<a:chOff x="0" y="9000"/><a:chExt cx="100" cy="50"/>'
    inner = f'<a:xfrm><a:off x="0" y="0"/><a:ext cx="100" cy="50"/>{inside}</a:xfrm>'
    group = f"<p:grpSp><p:grpSpPr>{inner}</p:grpSpPr>{shape('inside', at=place(0, 9000))}</p:grpSp>"
    assert text_of(shape("below", at=place(0, 300)), f"<p:grpSp>{group}</p:grpSp>") == "inside\n\nbelow"


@pytest.mark.parametrize(
    ("boxes", "order"),
    [
        # two columns as their author drew them: the left one first
        ([(0, 0), (0, 100), (200, 0), (200, 100)], [0, 1, 2, 3]),
        # a grid drawn row by row
        ([(0, 0), (200, 0), (0, 100), (200, 100)], [0, 1, 2, 3]),
        # columns above a line of its own, in no order
        ([(0, 300), (200, 0), (0, 0)], [2, 1, 0]),
    ],
)
def test_columns_and_rows_are_told_apart(boxes: list[tuple[int, int]], order: list[int]) -> None:
    wide = [Box(left, top, 300 if top == 300 else 100, 50) for left, top in boxes]
    assert reading_order(wide) == order


def test_table_rows_keep_the_names_of_their_columns() -> None:
    def row(*cells: str) -> str:
        return f"<a:tr>{''.join(cells)}</a:tr>"

    def cell(text: str, merged: str = "") -> str:
        return f"<a:tc {merged}><a:txBody>{para(text)}</a:txBody></a:tc>"

    table = row(cell("Area"), cell("Code"), cell("Cause"))
    table += row(cell("North", 'rowSpan="2"'), cell("E1"), cell("pressure"))
    table += row(cell("", 'vMerge="1"'), cell("E2", 'gridSpan="2"'), cell("", 'hMerge="1"'))
    parsed = parse(a_presentation(a_slide(frame(f'<a:tbl><a:tblPr firstRow="1"/>{table}</a:tbl>'))))
    assert parsed.text == "Area | Code | Cause\nArea: North | Code: E1 | Cause: pressure\nArea: North | Code: E2"
    assert [(span.start, span.end) for span in parsed.spans_of(SpanKind.TABLE)] == [(0, len(parsed.text))]


def test_lists_keep_their_numbers_levels_and_breaks() -> None:
    number = '<a:pPr><a:buAutoNum type="alphaLcParenR" startAt="2"/></a:pPr>'
    bullet = '<a:pPr lvl="1"><a:buChar char="•"/></a:pPr>'
    broken = "<a:p><a:r><a:t>two</a:t></a:r><a:br/><a:fld><a:t>lines</a:t></a:fld></a:p>"
    text = text_of(shape(para("one", number), para("deep", bullet), para("two", number), broken))
    assert text == "b) one\n  • deep\nc) two\ntwo\nlines"


def test_notes_and_comments_follow_their_slide() -> None:
    notes = a_slide(shape("say this", role="body"), shape("7", role="sldNum"), tag="notes")
    comments = f"<p:cmLst {NAMES}><p:cm><p:text>check it</p:text></p:cm></p:cmLst>"
    assert (
        text_of(shape("words"), notesSlide=notes, comments=comments) == "words\n\nNotes: say this\n\nComment: check it"
    )


def test_charts_and_diagrams_give_their_texts() -> None:
    series = (
        "<c:ser><c:tx><c:strRef><c:strCache><c:pt><c:v>Sales</c:v></c:pt></c:strCache></c:strRef></c:tx>"
        '<c:cat><c:pt idx="0"><c:v>Q1</c:v></c:pt><c:pt idx="1"><c:v>Q2</c:v></c:pt></c:cat>'
        '<c:val><c:pt idx="0"><c:v>5</c:v></c:pt><c:pt idx="1"><c:v>7</c:v></c:pt></c:val></c:ser>'
    )
    title = f"<c:title><c:tx><c:rich>{para('Our year')}</c:rich></c:tx></c:title>"
    chart = (
        f'<c:chartSpace xmlns:c="c" {NAMES}><c:chart>{title}<c:plotArea>{series}</c:plotArea></c:chart></c:chartSpace>'
    )
    node = f"<d:pt><d:t>{para('Plan')}</d:t></d:pt><d:pt type='pres'><d:t>{para('unseen')}</d:t></d:pt>"
    diagram = f'<d:dataModel xmlns:d="d" {NAMES}><d:ptLst>{node}</d:ptLst></d:dataModel>'
    frames = frame('<c:chart xmlns:c="c" r:id="chart"/>') + frame('<d:relIds xmlns:d="d" r:dm="diagramData"/>')
    assert text_of(frames, chart=chart, diagramData=diagram) == "Our year\nSales: Q1: 5 | Q2: 7\n\nPlan"


def test_numbers_and_dates_of_slides_are_left_out_and_footers_stand_once() -> None:
    slide = a_slide(shape("words"), shape("ACME", role="ftr"), shape("12", role="sldNum"), shape("May", role="dt"))
    assert parse(a_presentation(slide, slide)).text == "words\n\nACME\n\nwords"


@pytest.mark.parametrize("name", ["a.docx", "a.pdf", "a.zip", "a.txt", ""])
def test_presentation_is_read_as_what_it_is_whatever_its_name(name: str) -> None:
    assert parse(a_presentation(a_slide(shape("words"))), name).text == "words"


def test_presentation_of_pictures_has_no_text() -> None:
    assert failure_code(a_presentation(a_slide("<p:pic/>"), a_slide(shape("3", role="sldNum")))) is FailureCode.NO_TEXT


def test_damaged_slide_leaves_the_others() -> None:
    assert parse(a_presentation("<p:sld", a_slide(shape("words")))).text == "words"
    whole = a_presentation(a_slide(shape("words")))
    assert failure_code(whole[: len(whole) // 2]) is FailureCode.CORRUPT


def test_groups_nested_beyond_reason_are_too_complex() -> None:
    groups = "<p:grpSp>" * 5_000 + shape("deep") + "</p:grpSp>" * 5_000
    assert failure_code(a_presentation(a_slide(groups))) is FailureCode.TOO_COMPLEX


def test_more_parts_than_can_be_read_are_too_complex() -> None:
    slides = {f"ppt/slides/slide{number}.xml": "" for number in range(10_001)}
    assert failure_code(a_zip({"ppt/presentation.xml": "<x/>", **slides})) is FailureCode.TOO_COMPLEX


def test_slides_that_cannot_be_read_make_the_file_corrupt() -> None:
    assert failure_code(a_presentation("<broken", "")) is FailureCode.CORRUPT


def test_slide_is_found_though_its_number_stands_behind_its_pointer() -> None:
    content = a_presentation(a_slide(shape("Words")))
    with zipfile.ZipFile(BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    main = members["ppt/presentation.xml"].replace(b'id="256" r:id="s0"', b'r:id="s0" id="256"')
    assert parse(a_zip({**members, "ppt/presentation.xml": main})).text == "Words"
