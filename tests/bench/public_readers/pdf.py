"""Readers of PDF files."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from tests.bench.public_readers.reader import PAGE_END, Read


def pypdf() -> Read:
    from pypdf import PdfReader

    return lambda _path, content: PAGE_END.join(page.extract_text() for page in PdfReader(BytesIO(content)).pages)


def pypdfium2() -> Read:
    from pypdfium2 import PdfDocument

    def read(_path: Path, content: bytes) -> str:
        document = PdfDocument(content)
        try:
            return PAGE_END.join(page.get_textpage().get_text_range() for page in document)
        finally:
            document.close()

    return read


def pymupdf() -> Read:
    import pymupdf

    def read(_path: Path, content: bytes) -> str:
        with pymupdf.open(stream=content, filetype="pdf") as document:
            return PAGE_END.join(page.get_text() for page in document)

    return read


def pdf_oxide() -> Read:
    from pdf_oxide import PdfDocument

    def read(_path: Path, content: bytes) -> str:
        document = PdfDocument.from_bytes(content)
        return PAGE_END.join(document.extract_text(place) for place in range(document.page_count()))

    return read


def pdf_oxide_as_markdown() -> Read:
    from pdf_oxide import PdfDocument

    def read(_path: Path, content: bytes) -> str:
        document = PdfDocument.from_bytes(content)
        return PAGE_END.join(document.to_markdown(place) for place in range(document.page_count()))

    return read


def pymupdf4llm() -> Read:
    import pymupdf
    from pymupdf4llm import to_markdown

    def read(_path: Path, content: bytes) -> str:
        with pymupdf.open(stream=content, filetype="pdf") as document:
            return PAGE_END.join(page["text"] for page in to_markdown(document, page_chunks=True))

    return read


def liteparse() -> Read:
    from liteparse import LiteParse

    parser = LiteParse(ocr_enabled=False, output_format="text", quiet=True)
    return lambda _path, content: str(parser.parse(content).text)
