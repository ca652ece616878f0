"""Reports as pages: PDF with running heads, notes, links and fields, web pages, slides, and workbooks with comments."""

from __future__ import annotations

import html
from datetime import date, timedelta
from io import BytesIO
from typing import Any

import pptx
import xlsxwriter
from pptx.util import Inches

from tests.bench.reader_facets import Facet
from tests.bench.reader_files import markup, pdf
from tests.bench.reader_files.made import Made, named_values
from tests.bench.reader_files.office import fill_slide_table
from tests.bench.reader_files.report import Chapter, chapters, facets_of_chapters

_DECORATION = ("Confidential circular Zephyr", "Quarterly folio Borealis")


def pdf_report(seed: int) -> Made:
    """A report with a running head and foot, numbered steps, ruled tables, notes at the foot of pages, and fields."""
    parts = chapters(seed)
    page = pdf.Page("Helvetica", 10)
    pages: list[Facet] = []
    for part in parts:
        _draw_chapter(page, part)
        pages.append(Facet("pages", part.section.title, str(page.number)))
        page.turn()
    facets = (*facets_of_chapters(parts, "note", "link", "entry"), *pages)
    text = "\n\n".join(part.text("note") for part in parts)
    return Made(f"report-{seed}.pdf", page.content(), text, unwanted=" ".join(_DECORATION * len(parts)), facets=facets)


def html_report(seed: int) -> Made:
    """A page with navigation, steps, tables, links, what is not shown, and a form with what was typed."""
    parts = chapters(seed)
    page = markup.page(parts[0].section.title, "\n".join(map(_html_chapter, parts)))
    facets = facets_of_chapters(parts, "link", "hidden", "entry")
    text = "\n\n".join(part.text() for part in parts)
    return Made(f"report-{seed}.html", page.encode(), text, unwanted=markup.DECORATION, facets=facets)


def pptx_report(seed: int) -> Made:
    """Slides with bullets, a table, a free text box and what the speaker says."""
    parts = chapters(seed)
    show = pptx.Presentation()
    for part in parts:
        _add_slide(show, part)
    target = BytesIO()
    show.save(target)
    pages = (Facet("pages", part.section.title, str(number)) for number, part in enumerate(parts, start=1))
    without_steps = (found for found in facets_of_chapters(parts, "note", "box") if found.kind != "list numbers")
    text = "\n\n".join(part.text() for part in parts)
    return Made(f"report-{seed}.pptx", target.getvalue(), text, facets=(*without_steps, *pages))


def xlsx_report(seed: int) -> Made:
    """Sheets with a title above the table, dates and amounts as people see them, links and comments."""
    target = BytesIO()
    book = xlsxwriter.Workbook(target, {"in_memory": True})
    looks = {name: book.add_format({"num_format": form}) for name, form in (("date", "yyyy-mm-dd"), ("share", "0.0%"))}
    looks["bold"] = book.add_format({"bold": True})
    known: list[str] = []
    facets: list[Facet] = []
    for part in chapters(seed):
        rows = _fill_sheet(book, part, looks)
        known += [part.section.title[:31], part.section.paragraphs[0], *map(" ".join, rows)]
        facets += [*named_values(rows), Facet("comments", part.comment), Facet("link texts", part.link)]
        facets.append(Facet("link targets", part.link, part.target))
    book.close()
    return Made(f"report-{seed}.xlsx", target.getvalue(), "\n".join(known), facets=tuple(facets))


def _draw_chapter(page: pdf.Page, part: Chapter) -> None:
    """A chapter takes a page."""
    head, foot = _DECORATION
    page.canvas.setFont(page.font, 8)
    page.canvas.drawString(pdf.LEFT, pdf.TOP + 24, f"{head} {page.number}")
    page.canvas.drawString(pdf.LEFT, 20, f"{foot} {page.number}")
    page.line(part.section.title, size=15)
    for text in (*part.section.paragraphs, *(f"{place}. {step}" for place, step in enumerate(part.steps, start=1))):
        page.height -= 5
        page.wrapped(text)
    page.line(part.link)
    page.canvas.linkURL(part.target, (pdf.LEFT, page.height - 2, pdf.LEFT + 100, page.height + 10))
    field = {"x": pdf.LEFT, "y": page.height - 24, "width": 200, "height": 16, "borderWidth": 0}
    page.canvas.acroForm.textfield(name=f"field{page.number}", value=part.entry, **field)
    page.height -= 30
    for row in part.section.rows:
        pdf.draw_row(page, row, is_header=row is part.section.rows[0])
    page.canvas.setFont(page.font, 8)
    page.canvas.drawString(pdf.LEFT, 40, part.note)


def _html_chapter(part: Chapter) -> str:
    items = "".join(f"<li>{html.escape(step)}</li>" for step in part.steps)
    return (
        f"{markup.html_section(part.section, f'<ol>{items}</ol>')}"
        f'<p>For more <a href="{part.target}">{part.link}</a>.</p><p hidden>{html.escape(part.hidden)}</p>'
        f'<form><label>Remark <input type="text" value="{part.entry}"></label></form>'
    )


def _add_slide(show: Any, part: Chapter) -> None:
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = part.section.title
    body = slide.placeholders[1].text_frame
    texts = (*part.section.paragraphs, *part.steps)
    body.text = texts[0]
    for text in texts[1:]:
        body.add_paragraph().text = text
    fill_slide_table(slide, part.section.rows)
    slide.shapes.add_textbox(Inches(1), Inches(7), Inches(4), Inches(1)).text_frame.text = part.box
    slide.notes_slide.notes_text_frame.text = part.note


def _fill_sheet(book: Any, part: Chapter, looks: dict[str, Any]) -> list[list[str]]:
    """Write a sheet and return its rows as they are shown."""
    sheet = book.add_worksheet(part.section.title[:31])
    sheet.write(0, 0, part.section.paragraphs[0])
    sheet.write_row(2, 0, [*part.section.rows[0], "Due", "Share"], looks["bold"])
    shown = [[*part.section.rows[0], "Due", "Share"]]
    for place, row in enumerate(part.section.rows[1:] * 20):
        key, day, share = f"{row[0]}y{place}", date(2024, 1, 1) + timedelta(days=place), place / 1000
        sheet.write_row(place + 3, 0, [key, *row[1:]])
        sheet.write_datetime(place + 3, len(row), day, looks["date"])
        sheet.write_number(place + 3, len(row) + 1, share, looks["share"])
        shown.append([key, *row[1:], day.isoformat(), f"{share:.1%}"])
    sheet.write_comment(3, 1, part.comment)
    sheet.write_url(1, 0, part.target, string=part.link)
    return shown
