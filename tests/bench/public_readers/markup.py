"""Readers of books, pages, mails, and texts in any encoding."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from tests.bench.public_readers.reader import Read


def ebooklib() -> Read:
    from bs4 import BeautifulSoup
    from ebooklib import ITEM_DOCUMENT, epub

    def read(_path: Path, content: bytes) -> str:
        chapters = epub.read_epub(BytesIO(content)).get_items_of_type(ITEM_DOCUMENT)
        return "\n".join(BeautifulSoup(chapter.get_content(), "lxml").get_text("\n") for chapter in chapters)

    return read


def trafilatura() -> Read:
    from trafilatura import extract

    return lambda _path, content: extract(content) or ""


def trafilatura_as_markdown() -> Read:
    from trafilatura import extract

    return lambda _path, content: extract(content, output_format="markdown", include_links=True) or ""


def resiliparse() -> Read:
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    return lambda _path, content: str(
        extract_plain_text(bytes_to_str(content, detect_encoding(content)), main_content=True)
    )


def inscriptis() -> Read:
    from inscriptis import get_text

    return lambda _path, content: str(get_text(content.decode(errors="replace")))


def charset_normalizer() -> Read:
    from charset_normalizer import from_bytes

    return lambda _path, content: str(from_bytes(content).best() or "")


def chardet() -> Read:
    import chardet

    return lambda _path, content: content.decode(chardet.detect(content)["encoding"] or "utf-8", "replace")


def mail_parser() -> Read:
    import mailparser

    def read(_path: Path, content: bytes) -> str:
        mail = mailparser.parse_from_bytes(content)
        return "\n".join((mail.subject or "", *mail.text_plain))

    return read


def fast_mail_parser() -> Read:
    from fast_mail_parser import parse_email

    def read(_path: Path, content: bytes) -> str:
        mail = parse_email(content)
        return "\n".join((mail.subject or "", *mail.text_plain))

    return read
