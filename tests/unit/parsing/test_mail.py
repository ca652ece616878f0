"""Mail: headers, the text in whatever form it comes, and the files that are attached."""

from __future__ import annotations

import time
from email.message import EmailMessage

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument, SpanKind
from tests.unit.parsing.files import a_docx, a_pdf, p

parser = LibraryDocumentParser()
HEAD = "Subject: Pump\nFrom: Ann <ann@example.org>"


def a_mail(text: str = "Hello.", **headers: str) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"] = "Ann <ann@example.org>", "bob@example.org"
    message["Subject"] = headers.get("subject", "Pump")
    message["Date"] = "Mon, 01 Jan 2024 10:00:00 +0000"
    message["Message-ID"] = "<1@example.org>"
    if text:
        message.set_content(text)
    return message


def parse(content: EmailMessage | bytes, name: str = "a.eml") -> ParsedDocument:
    return parser.parse(content if isinstance(content, bytes) else content.as_bytes(), name=name)


def test_headers_stand_above_the_text() -> None:
    parsed = parse(a_mail("First line.\nSecond line.\n"))
    assert parsed.text == (
        "Subject: Pump\nFrom: Ann <ann@example.org>\nTo: bob@example.org\nDate: Mon, 01 Jan 2024 10:00:00 +0000"
        "\n\nFirst line.\nSecond line."
    )
    assert [parsed.text[span.start : span.end] for span in parsed.spans_of(SpanKind.HEADING)] == ["Pump"]
    assert (parsed.title, parsed.media_type) == ("Pump", "message/rfc822")


@pytest.mark.parametrize("name", ["a.txt", "a.doc", "a", "a.pdf"])
def test_mail_is_told_by_its_headers_whatever_its_name(name: str) -> None:
    assert parse(a_mail(), name).media_type == "message/rfc822"


def test_letter_with_a_subject_line_is_plain_text() -> None:
    assert parse(b"Subject: rent\nFrom: Ann\n\nDear Bob", "a.txt").media_type == "text/plain"


def test_encoded_words_and_raw_bytes_in_headers_are_decoded() -> None:
    message = (
        b"Message-ID: <1>\nSubject: =?gb2312?B?suLK1A==?= =?utf-8?q?_caf=C3=A9?=\nFrom: \xe5\xbc\xa0\xe4\xb8\x89\n\nx"
    )
    assert parse(message).text.startswith("Subject: 测试 café\nFrom: 张三")


@pytest.mark.parametrize(
    ("charset", "encoding"),
    [("gb2312", "gb18030"), ("iso-2022-jp",) * 2, ("windows-1252",) * 2, ("x-unknown", "utf-8")],
)
def test_text_is_decoded_as_declared_or_as_it_is(charset: str, encoding: str) -> None:
    words = {"gb18030": "中文镕基", "iso-2022-jp": "日本語", "windows-1252": "“quoted” – €", "utf-8": "größer"}[
        encoding
    ]
    head = f"Message-ID: <1>\nFrom: a\nContent-Type: text/plain; charset={charset}\n\n".encode()
    assert parse(head + words.encode(encoding)).text.endswith(words)


def test_plain_text_is_preferred_and_html_read_where_there_is_no_other() -> None:
    both = a_mail("plain words")
    both.add_alternative("<p>rich words</p>", subtype="html")
    assert "plain words" in parse(both).text and "rich" not in parse(both).text
    rich = a_mail("")
    rich.set_content(
        "<html><head><style>p{}</style></head><body><h1>News</h1><p>a&nbsp;b<br>c</p><ul><li>one<li>two</ul></body></html>",
        subtype="html",
    )
    assert parse(rich).text.endswith("\n\nNews\n\na b\nc\n\n• one\n• two")


def test_html_tables_are_rows_and_layout_is_none() -> None:
    data = "<table><tr><th>Part</th><th>Price</th></tr><tr><td>Pump</td><td>5</td></tr></table>"
    rich = a_mail("")
    rich.set_content(f"<table><tr><td><p>Hello</p>{data}</td></tr></table>{data}", subtype="html")
    parsed = parse(rich)
    assert parsed.text.endswith("Hello\n\nPart | Price\nPart: Pump | Price: 5\n\nPart | Price\nPart: Pump | Price: 5")
    assert len(list(parsed.spans_of(SpanKind.TABLE))) == 2


def test_attached_files_are_named_and_read() -> None:
    message = a_mail()
    message.add_attachment(
        a_docx(p("Inside.", '<w:outlineLvl w:val="0"/>')), maintype="application", subtype="x", filename="合同.docx"
    )
    message.add_attachment(a_pdf("Paper words"), maintype="application", subtype="pdf", filename="b.pdf")
    message.add_attachment(b"\x89PNG\r\n\x1a\n" + b"\x00" * 50, maintype="image", subtype="png", filename="c.png")
    parsed = parse(message)
    assert "Attachment: 合同.docx\n\nInside.\n\nAttachment: b.pdf\n\nPaper words" in parsed.text
    assert parsed.text.endswith("Attachment: c.png")
    assert [parsed.text[span.start : span.end] for span in parsed.spans_of(SpanKind.HEADING)] == ["Pump", "Inside."]
    assert not list(parsed.spans_of(SpanKind.PAGE))


def test_attached_mail_is_read() -> None:
    message = a_mail("outer words")
    message.add_attachment(a_mail("inner words", subject="Inner"))
    assert "outer words\n\nSubject: Inner\n" in parse(message).text
    assert parse(message).text.endswith("inner words")


def test_mails_nested_beyond_reason_end() -> None:
    message = a_mail("deepest")
    for _level in range(20):
        outer = a_mail("words")
        outer.add_attachment(message.as_bytes(), maintype="application", subtype="x", filename="m.eml")
        message = outer
        if len(message.as_bytes()) > 300_000:
            break
    text = parse(message).text
    assert text.count("Subject:") == 4


def test_parts_nested_beyond_reason_end_in_time() -> None:
    started = time.process_time()
    head = b"Message-ID: <1>\nFrom: a\nContent-Type: multipart/mixed; boundary=b0\n\n"
    for level in range(3_000):
        head += f"--b{level}\nContent-Type: multipart/mixed; boundary=b{level + 1}\n\n".encode()
    with pytest.raises(IngestionFailed) as caught:
        parse(head)
    assert caught.value.code is FailureCode.TOO_COMPLEX
    assert time.process_time() - started < 20


def test_web_archive_is_read() -> None:
    archive = (
        b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n"
        b"--x\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<p>caf=C3=A9</p>\n--x--\n"
    )
    assert parse(archive, "a.mht").text == "café"


def test_mail_without_anything_has_no_text() -> None:
    with pytest.raises(IngestionFailed) as caught:
        parse(b"Message-ID: <1>\nContent-Type: text/plain\n\n\n")
    assert caught.value.code is FailureCode.NO_TEXT
