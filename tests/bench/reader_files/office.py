"""Documents, presentations and workbooks, written by the libraries that most programs write them with."""

from __future__ import annotations

import random
from collections.abc import Callable
from io import BytesIO
from typing import Any

import docx
import pptx
import xlsxwriter
from docx.shared import Pt
from odf import opendocument, style, table
from odf import text as odf_text
from pptx.util import Inches

from tests.bench.reader_facets import Facet
from tests.bench.reader_files.languages import CHINESE
from tests.bench.reader_files.made import Made, Section, facets_of, named_values, sections, tables, text_of

RUN_LENGTH = 60
"""Editors cut a paragraph into runs, at every change of language, spelling mark or session."""


def docx_plain(seed: int) -> Made:
    """Headings and paragraphs of several runs."""
    return _docx(f"plain-{seed}.docx", sections(seed, 60))


def docx_chinese(seed: int) -> Made:
    """The same in Chinese."""
    return _docx(f"chinese-{seed}.docx", sections(seed, 60, language=CHINESE))


def docx_tables(seed: int) -> Made:
    """Tables with a header row."""
    return _docx(f"tables-{seed}.docx", tables(seed, 8))


def odt(seed: int) -> Made:
    """Headings, paragraphs of several spans, and a table in each fourth section."""
    parts = _mixed(seed)
    document = opendocument.OpenDocumentText()
    heading = style.Style(name="Heading1", family="paragraph")
    bold = style.Style(name="Bold", family="text")
    document.styles.addElement(heading)
    document.automaticstyles.addElement(bold)
    for part in parts:
        document.text.addElement(odf_text.H(outlinelevel=1, stylename=heading, text=part.title))
        for paragraph in part.paragraphs:
            document.text.addElement(odt_paragraph(paragraph, bold))
        if part.rows:
            document.text.addElement(odt_table(part.rows))
    return Made(f"mixed-{seed}.odt", _saved(document.write), text_of(parts), facets=facets_of(parts))


def pptx_slides(seed: int) -> Made:
    """Slides with a title and bullets, and a table on each fourth one."""
    parts = _mixed(seed, paragraphs=3)
    show = pptx.Presentation()
    for part in parts:
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = part.title
        body = slide.placeholders[1].text_frame
        body.text = part.paragraphs[0]
        for paragraph in part.paragraphs[1:]:
            body.add_paragraph().text = paragraph
        if part.rows:
            fill_slide_table(slide, part.rows)
    pages = (Facet("pages", part.title, str(number)) for number, part in enumerate(parts, start=1))
    return Made(f"slides-{seed}.pptx", _saved(show.save), text_of(parts), facets=(*facets_of(parts), *pages))


def xlsx(seed: int) -> Made:
    """Three sheets of words and numbers below names in bold."""
    target = BytesIO()
    book = xlsxwriter.Workbook(target, {"in_memory": True})
    bold = book.add_format({"bold": True})
    chance, known, facets = random.Random(seed), [], []
    for part in tables(seed, 3, rows=1_500):
        sheet = book.add_worksheet(part.title[:31])
        rows = [part.rows[0], *((*row[:2], chance.randrange(9_999), *row[3:]) for row in part.rows[1:])]
        for place, row in enumerate(rows):
            sheet.write_row(place, 0, row, None if place else bold)
        known += [part.title[:31], *(" ".join(map(str, row)) for row in rows)]
        facets += named_values([[str(cell) for cell in row] for row in rows])
    book.close()
    return Made(f"sheets-{seed}.xlsx", target.getvalue(), "\n".join(known), facets=tuple(facets))


def _mixed(seed: int, *, paragraphs: int = 4) -> tuple[Section, ...]:
    texts, grids = sections(seed, 40, paragraphs=paragraphs), tables(seed, 40, rows=12)
    return tuple(
        Section(text.title, text.paragraphs, grid.rows if place % 4 == 3 else ())
        for place, (text, grid) in enumerate(zip(texts, grids, strict=True))
    )


def _docx(name: str, parts: tuple[Section, ...]) -> Made:
    document = docx.Document()
    for part in parts:
        document.add_heading(part.title, 1)
        for paragraph in part.paragraphs:
            fill_paragraph(document.add_paragraph(), paragraph)
        if part.rows:
            add_docx_table(document, part.rows)
    return Made(name, _saved(document.save), text_of(parts), facets=facets_of(parts))


def fill_paragraph(paragraph: Any, text: str) -> None:
    """Write a paragraph in several runs."""
    for place, start in enumerate(range(0, len(text), RUN_LENGTH)):
        run = paragraph.add_run(text[start : start + RUN_LENGTH])
        run.font.size, run.font.name, run.bold = Pt(11), "Calibri", place % 3 == 1


def add_docx_table(document: Any, rows: tuple[tuple[str, ...], ...]) -> None:
    """Append a table with its names in bold."""
    grid = document.add_table(len(rows), len(rows[0]))
    grid.style = "Table Grid"
    for cells, row in zip((row.cells for row in grid.rows), rows, strict=True):
        for cell, text in zip(cells, row, strict=True):
            cell.text = text
    for cell in grid.rows[0].cells:
        cell.paragraphs[0].runs[0].bold = True


def odt_paragraph(text: str, bold: Any) -> Any:
    """Return a paragraph of several spans."""
    paragraph = odf_text.P()
    for place, start in enumerate(range(0, len(text), RUN_LENGTH)):
        piece = text[start : start + RUN_LENGTH]
        if place % 3 == 1:
            paragraph.addElement(odf_text.Span(stylename=bold, text=piece))
        else:
            paragraph.addText(piece)
    return paragraph


def odt_table(rows: tuple[tuple[str, ...], ...]) -> Any:
    """Return a table."""
    grid = table.Table()
    grid.addElement(table.TableColumn(numbercolumnsrepeated=len(rows[0])))
    head = table.TableHeaderRows()
    grid.addElement(head)
    for row in rows:
        line = table.TableRow()
        for text in row:
            cell = table.TableCell(valuetype="string")
            cell.addElement(odf_text.P(text=text))
            line.addElement(cell)
        (grid if row is not rows[0] else head).addElement(line)
    return grid


def fill_slide_table(slide: Any, rows: tuple[tuple[str, ...], ...]) -> None:
    """Put a table on a slide."""
    frame = slide.shapes.add_table(len(rows), len(rows[0]), Inches(0.5), Inches(5), Inches(9), Inches(2))
    for place, row in enumerate(rows):
        for column, text in enumerate(row):
            frame.table.cell(place, column).text = text


def _saved(save: Callable[[BytesIO], object]) -> bytes:
    target = BytesIO()
    save(target)
    return target.getvalue()
