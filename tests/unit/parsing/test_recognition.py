"""What a file is, is told by its content first, then by its name and declared type."""

from __future__ import annotations

import contextlib
import time

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import Span, SpanKind
from tests.unit.parsing.files import a_docx, a_pdf, a_zip, p

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 504
parser = LibraryDocumentParser()


def failure_of(content: bytes, name: str = "file", declared_type: str = "") -> IngestionFailed:
    with pytest.raises(IngestionFailed) as caught:
        parser.parse(content, name=name, declared_type=declared_type)
    return caught.value


@pytest.mark.parametrize("name", ["a.pdf", "a.docx", "a.doc", "a.txt", "a", "a.html", "合同.PDF"])
def test_pdf_is_read_as_pdf_whatever_its_name(name: str) -> None:
    assert parser.parse(a_pdf("Hello"), name=name).media_type == "application/pdf"


@pytest.mark.parametrize("name", ["a.docx", "a.doc", "a.pdf", "a.zip", "a.txt", ""])
def test_docx_is_read_as_docx_whatever_its_name(name: str) -> None:
    parsed = parser.parse(a_docx(p("Hello")), name=name, declared_type="application/msword")
    assert parsed.text == "Hello"


@pytest.mark.parametrize("name", ["a.pdf", "a.docx", "a.doc"])
def test_text_under_an_office_name_is_read_as_text(name: str) -> None:
    assert parser.parse("只是文字。".encode(), name=name).text == "只是文字。"


@pytest.mark.parametrize(
    ("name", "declared_type", "media_type"),
    [
        ("a.md", "", "text/markdown"),
        ("a.txt", "markdown", "text/markdown"),
        ("a", "text/markdown; charset=utf-8", "text/markdown"),
        ("a.py", "", "text/x-python"),
        ("a.txt", "code/rust", "text/x-rust"),
        ("a.GO", "", "text/x-go"),
        ("page.html", "code/html", "text/x-html"),
        ("a.txt", "", "text/plain"),
        ("notes.2026", "", "text/plain"),
        ("data.csv", "", "text/csv"),
    ],
)
def test_text_is_told_apart_by_name_and_declared_type(name: str, declared_type: str, media_type: str) -> None:
    content = b"<html># not a heading in code</html>" if "html" in name else b"some words"
    assert parser.parse(content, name=name, declared_type=declared_type).media_type == media_type


def test_source_code_is_kept_as_it_is_and_marked_as_code() -> None:
    code = "def start():\n\treturn {'a': [1]}  # 启动\n"
    parsed = parser.parse(code.encode(), name="a.py")
    assert parsed.text == code
    assert parsed.spans == (Span(SpanKind.CODE, 0, len(code)),)


@pytest.mark.parametrize("content", [b"", b"   \r\n\t ", b"\n" * 1000])
def test_file_without_content_is_empty(content: bytes) -> None:
    assert failure_of(content, "a.txt").code is FailureCode.EMPTY


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("  \n\t\n\u200b\ufeff ".encode(), "a.txt"),
        ("\u200b\u200b\ufeff\u00ad".encode(), "a.md"),
        ("<html><body><p>\u200b&#8203;&nbsp;</p></body></html>".encode(), "a.html"),
        (a_docx("<w:p><w:r><w:t>\u200b\ufeff</w:t></w:r></w:p>"), "a.docx"),
    ],
)
def test_file_in_which_nothing_shows_has_no_text(content: bytes, name: str) -> None:
    assert failure_of(content, name).code in (FailureCode.NO_TEXT, FailureCode.EMPTY)


def test_file_over_the_limit_is_too_large() -> None:
    with pytest.raises(IngestionFailed) as caught:
        LibraryDocumentParser(max_size=10).parse(b"x" * 11, name="a.txt")
    assert caught.value.code is FailureCode.TOO_LARGE


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        (OLE, "a.xls", "old Office"),
        (b'<?xml version="1.0"?><?mso-application progid="Word.Document"?><w:wordDocument/>', "a.doc", "XML"),
        (a_zip({"Index/Document.iwa": "x"}), "a.pages", "iWork"),
        (a_zip({"readme.txt": "x"}), "a.docx.zip", "archive"),
        (b"\x7fELF" + b"\x00" * 60, "a.txt", "program"),
    ],
)
def test_known_but_unsupported_file_is_refused_in_plain_words(content: bytes, name: str, words: str) -> None:
    failure = failure_of(content, name)
    assert failure.code is FailureCode.UNSUPPORTED
    assert words in failure.message


def test_archive_of_gigabytes_is_refused_for_its_size_before_anything_is_unpacked() -> None:
    content = a_zip({f"{number}.txt": b"0" * 50_000_000 for number in range(5)})
    assert failure_of(content, "a.zip").code is FailureCode.TOO_COMPLEX


def test_image_has_no_text_as_long_as_none_is_recognised_in_pictures() -> None:
    failure = failure_of(b"\x89PNG\r\n\x1a\n" + b"\x00" * 50, "a.pdf")
    assert failure.code is FailureCode.NO_TEXT
    assert "image" in failure.message


def test_mail_named_as_a_word_file_is_read_as_mail() -> None:
    assert "the words" in parser.parse(b"MIME-Version: 1.0\r\nSubject: s\r\n\r\nthe words", name="a.doc").text


def test_encrypted_office_file_is_told_apart_from_an_old_one() -> None:
    content = OLE + "EncryptedPackage".encode("utf-16-le") + b"\x00" * 100
    assert failure_of(content, "a.docx").code is FailureCode.ENCRYPTED


def test_noise_named_as_pdf_is_corrupt_and_otherwise_unsupported() -> None:
    noise = bytes(range(256)) * 20
    assert failure_of(noise, "a.pdf").code is FailureCode.CORRUPT
    assert failure_of(noise, "a.xyz").code is FailureCode.UNSUPPORTED


@pytest.mark.parametrize(
    "text", ["BM is an abbreviation.", "MZ", "ID3 tags are metadata.", "PK is a label", "%PDF- starts a PDF"]
)
def test_words_that_look_like_a_signature_are_text(text: str) -> None:
    if text.startswith("%PDF-"):
        text = f"A {text}"
    assert parser.parse(text.encode(), name="a.txt").text == text


def test_text_of_invisible_characters_only_has_no_text() -> None:
    assert failure_of("\ufeff\x07\x08".encode(), "a.txt").code is FailureCode.NO_TEXT


@pytest.mark.parametrize("name", ["../../etc/passwd", "a\x00b.txt", "\ud800.txt", "." * 500, "a/b\\c.txt"])
def test_name_is_data_and_never_harms(name: str) -> None:
    assert parser.parse(b"words", name=name).text == "words"


def test_thousands_of_comments_are_looked_through_in_no_time() -> None:
    content = b"<!--->" * 5000 + b" plain words"
    begin = time.process_time()
    with contextlib.suppress(IngestionFailed):
        parser.parse(content, name="a.txt")
    assert time.process_time() - begin < 2
