"""Reports as word processors write them: with lists, notes, comments, text boxes, changes, headers and footers."""

from __future__ import annotations

from io import BytesIO
from typing import Any
from xml.sax.saxutils import escape

import docx
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from odf import draw, office, opendocument, style
from odf import text as odf_text

from tests.bench.reader_files.made import Made
from tests.bench.reader_files.office import add_docx_table, fill_paragraph, odt_paragraph, odt_table
from tests.bench.reader_files.report import Chapter, chapters, facets_of_chapters

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_NAMESPACES = (
    f'xmlns:w="{_WORD}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    ' xmlns:v="urn:schemas-microsoft-com:vml"'
)
_HEAD, _FOOT = "Internal circular Zephyr", "Quarterly folio Borealis"
_HANGING = ("note", "comment", "box", "link")


def docx_report(seed: int) -> Made:
    """A report by Word."""
    parts = chapters(seed)
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = _HEAD
    document.sections[0].footer.paragraphs[0].text = _FOOT
    lists = [_new_list(document) for _ in parts]
    for number, part in enumerate(parts, start=2):
        _add_chapter(document, part, number, lists[number - 2])
    _add_footnotes(document, parts)
    target = BytesIO()
    document.save(target)
    facets = facets_of_chapters(parts, *_HANGING, "deleted", "hidden")
    return Made(f"report-{seed}.docx", target.getvalue(), _text(parts), facets=facets)


def odt_report(seed: int) -> Made:
    """A report by LibreOffice."""
    parts = chapters(seed)
    document = opendocument.OpenDocumentText()
    document.styles.addElement(style.Style(name="Heading1", family="paragraph"))
    bold = style.Style(name="Bold", family="text")
    document.automaticstyles.addElement(bold)
    document.automaticstyles.addElement(_numbered_list())
    _add_margins(document)
    for part in parts:
        _add_odt_chapter(document, part, bold)
    target = BytesIO()
    document.write(target)
    return Made(f"report-{seed}.odt", target.getvalue(), _text(parts), facets=facets_of_chapters(parts, *_HANGING))


def _text(parts: tuple[Chapter, ...]) -> str:
    """Where a reader puts what hangs on a paragraph is its own choice: the facets ask for that."""
    return "\n\n".join(part.text() for part in parts)


def _add_chapter(document: Any, part: Chapter, number: int, list_id: int) -> None:
    document.add_heading(part.section.title, 1)
    first, second, third, fourth = (document.add_paragraph() for _ in range(4))
    for paragraph, text in zip((first, second, third, fourth), part.section.paragraphs, strict=True):
        fill_paragraph(paragraph, text)
    _append(first, f'<w:r><w:footnoteReference w:id="{number}"/></w:r>')
    document.add_comment(second.runs[0], text=part.comment, author="A. Reader")
    _append(
        third, f'<w:del w:id="{number}" w:author="x"><w:r><w:delText>{escape(part.deleted)}</w:delText></w:r></w:del>'
    )
    link = document.part.relate_to(part.target, RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
    _append(third, f'<w:hyperlink r:id="{link}"><w:r><w:t xml:space="preserve"> {part.link}</w:t></w:r></w:hyperlink>')
    fourth.add_run(part.hidden).font.hidden = True
    box = f"<w:txbxContent><w:p><w:r><w:t>{escape(part.box)}</w:t></w:r></w:p></w:txbxContent>"
    _append(fourth, f"<w:r><w:pict><v:shape><v:textbox>{box}</v:textbox></v:shape></w:pict></w:r>")
    for step in part.steps:
        _append(document.add_paragraph(step).paragraph_format._element, "", list_id)
    add_docx_table(document, part.section.rows)


def _append(paragraph: Any, xml: str, list_id: int = 0) -> None:
    """Append elements to a paragraph, or make it an item of a list."""
    element = getattr(paragraph, "_p", paragraph)
    if list_id:
        properties = element.get_or_add_pPr()
        numbering = f'<w:numPr {_NAMESPACES}><w:ilvl w:val="0"/><w:numId w:val="{list_id}"/></w:numPr>'
        properties.append(parse_xml(numbering))
        return
    for child in parse_xml(f"<w:p {_NAMESPACES}>{xml}</w:p>"):
        element.append(child)


def _new_list(document: Any) -> int:
    """Return the id of a list of its own, which counts from 1."""
    numbering = document.part.numbering_part.element
    taken = [int(found.get(f"{{{_WORD}}}numId")) for found in numbering.findall(f"{{{_WORD}}}num")]
    list_id = max(taken, default=0) + 1
    level = '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
    family = parse_xml(f'<w:abstractNum {_NAMESPACES} w:abstractNumId="{900 + list_id}">{level}</w:abstractNum>')
    numbering.insert(0, family)
    numbering.append(
        parse_xml(f'<w:num {_NAMESPACES} w:numId="{list_id}"><w:abstractNumId w:val="{900 + list_id}"/></w:num>')
    )
    return list_id


def _add_footnotes(document: Any, parts: tuple[Chapter, ...]) -> None:
    notes = "".join(
        f'<w:footnote w:id="{number}"><w:p><w:r><w:footnoteRef/></w:r>'
        f'<w:r><w:t xml:space="preserve"> {escape(part.note)}</w:t></w:r></w:p></w:footnote>'
        for number, part in enumerate(parts, start=2)
    )
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    content = f'<?xml version="1.0" encoding="UTF-8"?><w:footnotes {_NAMESPACES}>{notes}</w:footnotes>'
    part = Part(PackURI("/word/footnotes.xml"), kind, content.encode(), document.part.package)
    document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)


def _add_odt_chapter(document: Any, part: Chapter, bold: Any) -> None:
    body = document.text
    body.addElement(odf_text.H(outlinelevel=1, stylename="Heading1", text=part.section.title))
    first, second, third, fourth = (odt_paragraph(text, bold) for text in part.section.paragraphs)
    note = odf_text.Note(noteclass="footnote", id=f"ftn{part.note.split()[1]}")
    note.addElement(odf_text.NoteCitation(text="1"))
    note_body = odf_text.NoteBody()
    note_body.addElement(odf_text.P(text=part.note))
    note.addElement(note_body)
    first.addElement(note)
    comment = office.Annotation()
    comment.addElement(odf_text.P(text=part.comment))
    second.addElement(comment)
    link = odf_text.A(type="simple", href=part.target, text=part.link)
    third.addText(" ")
    third.addElement(link)
    frame = draw.Frame(anchortype="paragraph", width="5cm", height="2cm")
    box = draw.TextBox()
    box.addElement(odf_text.P(text=part.box))
    frame.addElement(box)
    fourth.addElement(frame)
    for paragraph in (first, second, third, fourth):
        body.addElement(paragraph)
    steps = odf_text.List(stylename="Numbers")
    for step in part.steps:
        item = odf_text.ListItem()
        item.addElement(odf_text.P(text=step))
        steps.addElement(item)
    body.addElement(steps)
    body.addElement(odt_table(part.section.rows))


def _numbered_list() -> Any:
    form = odf_text.ListStyle(name="Numbers")
    form.addElement(odf_text.ListLevelStyleNumber(level="1", numformat="1", numsuffix="."))
    return form


def _add_margins(document: Any) -> None:
    layout = style.PageLayout(name="Page")
    document.automaticstyles.addElement(layout)
    page = style.MasterPage(name="Standard", pagelayoutname="Page")
    for part, words in ((style.Header(), _HEAD), (style.Footer(), _FOOT)):
        part.addElement(odf_text.P(text=words))
        page.addElement(part)
    document.masterstyles.addElement(page)
