"""Small files of every kind, each with a fact of its own."""

from __future__ import annotations

import io
from collections.abc import Callable

import docx
from reportlab.pdfgen.canvas import Canvas


def fact(number: int) -> str:
    return f"The locker of engineer number {number} opens with the code {number * 7919 % 9973:04d}."


def text_file(number: int) -> bytes:
    return f"Lockers, page {number}.\n\n{fact(number)}\n".encode()


def gb18030_file(number: int) -> bytes:
    return f"储物柜说明。\n{number}号工程师的储物柜密码是{number * 7919 % 9973:04d}。\n".encode("gb18030")


def markdown_file(number: int) -> bytes:
    return f"# Lockers\n\nIntroduction.\n\n## Engineer {number}\n\n{fact(number)}\n".encode()


def docx_file(number: int) -> bytes:
    document = docx.Document()
    document.add_heading("Lockers", 1)
    document.add_paragraph(fact(number))
    return _saved(document.save)


def pdf_file(number: int, *, pages: int = 3) -> bytes:
    def save(stream: io.BytesIO) -> None:
        canvas = Canvas(stream)
        for page in range(1, pages + 1):
            canvas.drawString(72, 720, fact(number) if page == 2 else f"Page {page} is about something else.")
            canvas.showPage()
        canvas.save()

    return _saved(save)


def _saved(save: Callable[[io.BytesIO], object]) -> bytes:
    stream = io.BytesIO()
    save(stream)
    return stream.getvalue()


KINDS: tuple[tuple[str, str, Callable[[int], bytes]], ...] = (
    ("txt", "txt", text_file),
    ("zh.txt", "txt", gb18030_file),
    ("md", "md", markdown_file),
    ("docx", "docx", docx_file),
    ("pdf", "pdf", pdf_file),
)
