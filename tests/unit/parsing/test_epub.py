"""EPUB files: chapters in the order of the spine."""

from __future__ import annotations

from typing import Any

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument, SpanKind
from tests.unit.parsing.files import a_zip

parser = LibraryDocumentParser()
CONTAINER = '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'


def a_page(body: str) -> str:
    return f'<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>{body}</body></html>'


def a_book(pages: dict[str, str], *, spine: list[str] | None = None, items: str = "", **members: str) -> bytes:
    listed = "".join(f'<item id="{n}" href="text/{n}.xhtml" media-type="application/xhtml+xml"/>' for n in pages)
    order = "".join(f'<itemref idref="{name}"/>' for name in spine or pages)
    contents = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata><dc:title>Our book</dc:title></metadata><manifest>{listed}{items}</manifest>"
        f"<spine>{order}</spine></package>"
    )
    return a_zip(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": CONTAINER,
            "OPS/book.opf": contents,
            **{f"OPS/text/{name}.xhtml": a_page(body) for name, body in pages.items()},
            **members,
        }
    )


def parse(content: bytes, name: str = "a.epub") -> ParsedDocument:
    return parser.parse(content, name=name)


def failure_code(content: bytes) -> FailureCode:
    with pytest.raises(IngestionFailed) as caught:
        parse(content)
    return caught.value.code


def test_chapters_follow_the_spine_and_are_headings() -> None:
    parsed = parse(
        a_book({"a": "<h1>Second</h1><p>b</p>", "b": "<h2>First</h2><p>a &nbsp;&eacute;</p>"}, spine=["b", "a"])
    )
    assert parsed.text == "First\n\na é\n\nSecond\n\nb"
    headings = [(parsed.text[span.start : span.end], span.number) for span in parsed.spans_of(SpanKind.HEADING)]
    assert headings == [("First", 2), ("Second", 1)]
    assert parsed.title == "Our book"


def test_chapter_without_heading_takes_its_name_from_the_table_of_contents() -> None:
    contents = (
        '<ncx><navMap><navPoint><navLabel><text>Chapter one</text></navLabel><content src="text/a.xhtml#x"/></navPoint>'
        '<navPoint><navLabel><text>Two</text></navLabel><content src="text/b.xhtml"/></navPoint></navMap></ncx>'
    )
    items = '<item id="toc" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    members: dict[str, Any] = {"OPS/toc.ncx": contents}
    book = a_book({"a": "<p>words</p>", "b": "<p>Two</p><p>more</p>"}, items=items, **members)
    parsed = parse(book)
    assert parsed.text == "Chapter one\n\nwords\n\nTwo\n\nmore"
    assert len(list(parsed.spans_of(SpanKind.HEADING))) == 2


def test_lists_tables_code_and_unclosed_tags_are_read() -> None:
    body = (
        "<ol start='3'><li>three<ul><li>deep</li></ul></li><li>four</li></ol><pre>a\n  b</pre><p>not closed<p>next"
        "<ruby>漢<rt>かん</rt></ruby><script>x</script><table><tr><td>only</td></tr></table>"
    )
    assert parse(a_book({"a": body})).text == "3. three\n  • deep\n4. four\n\na\n  b\n\nnot closed\n\nnext漢\n\nonly"


@pytest.mark.parametrize("name", ["a.docx", "a.zip", "a.txt", ""])
def test_book_is_read_as_what_it_is_whatever_its_name(name: str) -> None:
    assert parse(a_book({"a": "<p>words</p>"}), name).text == "words"


def test_missing_chapter_leaves_the_others() -> None:
    items = '<item id="gone" href="gone.xhtml" media-type="application/xhtml+xml"/>'
    assert parse(a_book({"a": "<p>words</p>"}, items=items, spine=["gone", "a", "unknown"])).text == "words"


def test_protected_book_is_encrypted_but_hidden_fonts_are_no_protection() -> None:
    def listed(algorithm: str) -> dict[str, Any]:
        method = f'<EncryptionMethod Algorithm="{algorithm}"/>'
        data = '<CipherData><CipherReference URI="OPS/text/a.xhtml"/></CipherData>'
        entry = f"<encryption><EncryptedData>{method}{data}</EncryptedData></encryption>"
        return {"META-INF/encryption.xml": entry}

    pages = {"a": "<p>words</p>"}
    assert failure_code(a_book(pages, **listed("http://www.w3.org/2001/04/xmlenc#aes128-cbc"))) is FailureCode.ENCRYPTED
    assert parse(a_book(pages, **listed("http://www.idpf.org/2008/embedding"))).text == "words"


def test_book_of_pictures_has_no_text_and_half_a_book_is_corrupt() -> None:
    assert failure_code(a_book({"a": "<img src='x.png'/>"})) is FailureCode.NO_TEXT
    whole = a_book({"a": "<p>words</p>"})
    assert failure_code(whole[: len(whole) // 2]) is FailureCode.CORRUPT


def test_tables_nested_beyond_reason_are_too_complex() -> None:
    assert failure_code(a_book({"a": "<table><tr><td>" * 20_000 + "<p>deep</p>"})) is FailureCode.TOO_COMPLEX


def test_elements_closed_at_once_end_there() -> None:
    body = "<a id='x'/><h1>One</h1><div/><p>words<br/>more</p><script src='x'/><i/><p>last</p>"
    parsed = parse(a_book({"a": body}))
    assert parsed.text == "One\n\nwords\nmore\n\nlast"
    assert [(span.start, span.end) for span in parsed.spans_of(SpanKind.HEADING)] == [(0, 3)]
