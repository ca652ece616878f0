"""Writes the sample documents anew: `python -m infra.local.demo.make_documents`. The results are committed."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import Any

from infra.local.demo import document_texts as texts

FOLDER = Path(__file__).parent / "documents"
DAY = datetime(2026, 6, 1, tzinfo=UTC)
CHINESE_FONT = "STSong-Light"
ENGLISH_FONT = "Helvetica"


def main() -> None:
    """Write all of them."""
    FOLDER.mkdir(exist_ok=True)
    documents = {
        "heat-pump-handbook.pdf": make_pdf(texts.HANDBOOK, "HP-45 Operator Handbook", ENGLISH_FONT),
        "差旅管理办法.pdf": make_pdf(texts.TRAVEL_POLICY, "差旅管理办法", CHINESE_FONT),
        "employee-faq.docx": make_docx(texts.EMPLOYEE_FAQ, "Employee FAQ"),
        "产品参数表.docx": make_docx(texts.DATA_SHEET, "产品参数表"),
        "gateway-release-notes.md": texts.RELEASE_NOTES.encode(),
        "冷库夜间值守须知.txt": texts.NIGHT_DUTY.encode("gb18030"),
    }
    for name, content in documents.items():
        (FOLDER / name).write_bytes(content)
        print(f"{len(content):7} {name}")


def read_blocks(markup: str) -> Iterator[tuple[str, list[str]]]:
    """Yield kind and lines of each block: a heading's marks, `|`, `-`, `===`, or an empty kind for a paragraph."""
    lines = (line for line in markup.strip().splitlines() if line)
    for (kind, number), members in groupby(enumerate(lines), lambda numbered: _kind(*numbered)):
        del number
        yield kind, [line.removeprefix(kind).strip() for _place, line in members]


def _kind(place: int, line: str) -> tuple[str, int]:
    """Table rows and items form one block, as do the lines of an English paragraph; headings stand alone."""
    first = line.split(" ", 1)[0]
    if first.startswith("#"):
        return first, place
    if first in ("|", "-", "==="):
        return first, 0
    return "", place if line[0] > "\x7f" else 0


def make_pdf(markup: str, title: str, font: str) -> bytes:
    """Return a PDF file; the same words always give the same bytes."""
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.platypus import SimpleDocTemplate

    if font == CHINESE_FONT:
        pdfmetrics.registerFont(UnicodeCIDFont(CHINESE_FONT))
    target = BytesIO()
    template = SimpleDocTemplate(target, pagesize=A4, title=title, author="Nordlicht", invariant=1, topMargin=48)
    template.build([_flowable(kind, lines, font) for kind, lines in read_blocks(markup)])
    return target.getvalue()


def _flowable(kind: str, lines: list[str], font: str) -> Any:
    from reportlab.platypus import PageBreak, Paragraph

    if kind == "===":
        return PageBreak()
    if kind == "|":
        return _pdf_table(lines, font)
    return Paragraph(" ".join(lines), _paragraph_style(kind, font))


def _paragraph_style(kind: str, font: str) -> Any:
    from reportlab.lib.styles import ParagraphStyle

    size = {"#": 17, "##": 13}.get(kind, 10)
    wrap = "CJK" if font == CHINESE_FONT else None
    return ParagraphStyle(kind, fontName=font, fontSize=size, leading=size * 1.5, spaceAfter=size * 0.6, wordWrap=wrap)


def _pdf_table(rows: list[str], font: str) -> Any:
    from reportlab.lib.colors import grey
    from reportlab.platypus import Table

    look = [("GRID", (0, 0), (-1, -1), 0.5, grey), ("FONT", (0, 0), (-1, -1), font, 9)]
    return Table([_cells(row) for row in rows], style=look, repeatRows=1, spaceAfter=8, hAlign="LEFT")


def make_docx(markup: str, title: str) -> bytes:
    """Return a DOCX file; the same words always give the same bytes."""
    from docx import Document

    document = Document()
    properties = document.core_properties
    properties.title, properties.author = title, "Nordlicht"
    properties.created = properties.modified = DAY
    for kind, lines in read_blocks(markup):
        _add_block(document, kind, lines)
    target = BytesIO()
    document.save(target)
    return _with_one_date(target.getvalue())


def _add_block(document: Any, kind: str, lines: list[str]) -> None:
    if kind.startswith("#"):
        document.add_heading(lines[0], len(kind) - 1)
    elif kind == "|":
        _add_table(document, [_cells(line) for line in lines])
    elif kind == "-":
        for line in lines:
            document.add_paragraph(line, style="List Bullet")
    else:
        document.add_paragraph(" ".join(lines))


def _add_table(document: Any, rows: list[list[str]]) -> None:
    table = document.add_table(rows=0, cols=len(rows[0]), style="Table Grid")
    for place, row in enumerate(rows):
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.paragraphs[0].add_run(text).bold = place == 0


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("| ").split("|")]


def _with_one_date(content: bytes) -> bytes:
    """Pack a ZIP file again with a fixed date for every member."""
    target = BytesIO()
    with zipfile.ZipFile(BytesIO(content)) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in source.namelist():
            packed.writestr(zipfile.ZipInfo(name, DAY.timetuple()[:6]), source.read(name), zipfile.ZIP_DEFLATED)
    return target.getvalue()


if __name__ == "__main__":
    main()
