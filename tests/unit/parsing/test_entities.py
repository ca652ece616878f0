"""Entities that would swell to gigabytes are refused in every format in XML form; harmless ones are left alone."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from tests.unit.parsing.files import OFFICE, a_zip, part, relations

parser = LibraryDocumentParser()
LAUGHS = '<!ENTITY a "ha ha ha ">' + "".join(
    f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
LONG = f'<!ENTITY i "{"ha" * 50_000}">'


def a_docx_with(prolog: str, text: str) -> bytes:
    document = part("document", f"<w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body>")
    head, _, rest = document.partition("<w:document")
    return a_zip(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": relations(("r1", "officeDocument", "word/document.xml")),
            "word/document.xml": f"{head}{prolog}<w:document{rest}",
        }
    )


def an_odt_with(prolog: str, text: str) -> bytes:
    names = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text"))
    body = f"<office:body><office:text><text:p>{text}</text:p></office:text></office:body>"
    return a_zip(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": f"{prolog}<office:document-content {names}>{body}</office:document-content>",
        }
    )


def an_epub_with(prolog: str, text: str) -> bytes:
    return a_zip(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>',
            "a.opf": '<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="a"/></spine></package>',
            "a.xhtml": f"{prolog}<html><body><p>{text}</p></body></html>",
        }
    )


def a_workbook_with(prolog: str, text: str) -> bytes:
    rows = "".join(f'<row r="{n}"><c r="A{n}" t="inlineStr"><is><t>plain</t></is></c></row>' for n in range(1, 2000))
    last = f'<row r="2000"><c r="A2000" t="inlineStr"><is><t>{text}</t></is></c></row>'
    return a_zip(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": relations(("r1", "officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": f'<workbook xmlns:r="{OFFICE}"><sheets><sheet name="a" r:id="r1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": relations(("r1", "worksheet", "worksheets/sheet1.xml")),
            "xl/worksheets/sheet1.xml": f"{prolog}<worksheet><sheetData>{rows}{last}</sheetData></worksheet>",
        }
    )


def an_svg_with(prolog: str, text: str) -> bytes:
    return f"<?xml version='1.0'?>{prolog}<svg><text>{text}</text></svg>".encode()


def a_page_with(prolog: str, text: str) -> bytes:
    return f"{prolog}<html><body><p>{text}</p></body></html>".encode()


MAKERS = {
    "a.docx": a_docx_with,
    "a.odt": an_odt_with,
    "a.xlsx": a_workbook_with,
    "a.epub": an_epub_with,
    "a.svg": an_svg_with,
    "a.xml": an_svg_with,
    "a.html": a_page_with,
}


@pytest.mark.parametrize(("name", "make"), MAKERS.items(), ids=MAKERS)
@pytest.mark.parametrize(
    ("declared", "text"), [(LAUGHS, "&i;"), (LONG, "&i;" * 1_000)], ids=["nested", "long and often"]
)
def test_entities_that_swell_are_too_complex(
    name: str, make: Callable[[str, str], bytes], declared: str, text: str
) -> None:
    began = time.process_time()
    with pytest.raises(IngestionFailed) as caught:
        parser.parse(make(f"<!DOCTYPE x [{declared}]>", text), name=name)
    assert caught.value.code is FailureCode.TOO_COMPLEX
    assert time.process_time() - began < 2


@pytest.mark.parametrize(("name", "make"), MAKERS.items(), ids=MAKERS)
def test_entities_that_do_not_swell_are_no_reason_to_refuse_a_file(
    name: str, make: Callable[[str, str], bytes]
) -> None:
    text = "Words that are written out. " * 10
    content = make('<!DOCTYPE x [<!ENTITY nbsp "&#160;"><!ENTITY firm "Example &amp; Sons">]>', text)
    assert "Words that are written out." in parser.parse(content, name=name).text


def test_declarations_of_a_page_are_no_text_of_it() -> None:
    page = a_page_with('<!DOCTYPE html [<!ENTITY firm "Example">]>', "Words.")
    assert parser.parse(page, name="a.html").text == "Words."
