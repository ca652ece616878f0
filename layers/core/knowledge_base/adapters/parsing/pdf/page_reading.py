"""Reading a loaded page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from knowledge_base.adapters.parsing.blocks import join_surrogates
from knowledge_base.adapters.parsing.ocr.picture import DOTS_PER_INCH, MAX_PIXELS, Picture
from knowledge_base.adapters.parsing.pdf.accents import attach_accents
from knowledge_base.adapters.parsing.pdf.annotations import CHECKED, Notes, draw_notes, missing_lines, read_notes
from knowledge_base.adapters.parsing.pdf.characters import count_unreadable, count_visible, looks_garbled
from knowledge_base.adapters.parsing.pdf.document import PdfiumDocument
from knowledge_base.adapters.parsing.pdf.entries import place_entries
from knowledge_base.adapters.parsing.pdf.letters import Letters
from knowledge_base.adapters.parsing.pdf.lines import Line, LineReader
from knowledge_base.adapters.parsing.pdf.misnamed_glyphs import name_rightly
from knowledge_base.adapters.parsing.pdf.page import Page
from knowledge_base.adapters.parsing.pdf.ruled_tables import take_tables
from knowledge_base.adapters.parsing.pdf.rules import find_grids
from knowledge_base.adapters.parsing.pdf.tables import Table, find_tables
from knowledge_base.adapters.parsing.pdf.unnamed_glyphs import has_unnamed, name_glyph_numbers, name_ligatures

POINTS_PER_INCH = 72
_MOST_UNNAMED, _LETTERS_OF_WORDS = 2, 2
_FEWEST_JUMPS = 2
_MOST_OBJECTS = 500


def read_page(document: PdfiumDocument, index: int, second_text: Callable[[], str]) -> Page | None:
    """Return what PDFium reads of a page, None where it cannot load it.

    `second_text` returns what the second reader makes of the page.
    """
    try:
        with document.page(index) as page:
            notes = read_notes(page)
            found = _read(page, notes, second_text)
            if not notes.are_drawn or not draw_notes(page):
                return found
        with document.page(index) as page:
            drawn = _read(page, Notes(), second_text)
    except (pypdfium2.PdfiumError, UnicodeDecodeError, ValueError):
        return None
    return _with_drawings(found, drawn)


def _with_drawings(page: Page, drawn: Page) -> Page:
    """Return a page with the lines that it lacks where its notes are not drawn.

    The page with all drawn is of no use itself: stamps and the like lie over the text, and would break its lines.
    """
    text = "".join(part.text for part in page.parts)
    return replace(page, notes=(*page.notes, *missing_lines((part.text for part in drawn.parts), text)))


def _read(page: Any, notes: Notes, second_text: Callable[[], str]) -> Page:
    textpage = page.get_textpage()
    try:
        letters = Letters(textpage)
        text = _named(letters, second_text)
        reader = LineReader(letters, attach_accents(text, letters.ink))
        raw = text if text.isascii() else join_surrogates(text)
        comments = (f"Comment: {comment}" for comment in missing_lines(notes.comments, raw))
        return Page(
            tuple(_parts(page, reader, letters, notes)),
            (*missing_lines(notes.choices, raw), *comments),
            visible=count_visible(raw) + sum(len(entry.text) for entry in notes.entries if entry.text != CHECKED),
            unreadable=count_unreadable(raw),
            is_garbled=looks_garbled(raw),
            is_incomplete=_lacks_letters(page, letters),
            is_blank=not pdfium.FPDFPage_CountObjects(page),
        )
    finally:
        textpage.close()


def _parts(page: Any, reader: LineReader, letters: Letters, notes: Notes) -> list[Line | Table]:
    lines = place_entries(reader.lines(), notes.entries)
    parts: list[Line | Table] = list(lines)
    if _may_have_grid(lines):
        grids = find_grids(page, Counter(line.turn for line in lines).most_common(1)[0][0])
        parts = take_tables(lines, grids, reader.words, letters.is_bold)
    return find_tables(parts, letters.is_bold)


def _may_have_grid(lines: Sequence[Line]) -> bool:
    """Whether it is worth a look at what is drawn: rows of cells, or lines that jump up to the next cell of a row."""
    rows = sum(bool(line.cells) for line in lines)
    jumps = sum(line.first >= before.first and bool(line.size) for before, line in pairwise(lines))
    return rows + jumps >= _FEWEST_JUMPS


def _named(letters: Letters, second_text: Callable[[], str]) -> str:
    text = name_rightly(letters.text)
    if not has_unnamed(text):
        return text
    if looks_garbled(text):
        text = name_glyph_numbers(text, letters.font_at)
    return name_ligatures(text, second_text, letters.width_at)


def _lacks_letters(page: Any, letters: Letters) -> bool:
    """Whether most of the texts that are drawn on a page have no letters: PDFium leaves out what it cannot name.

    Texts of blanks have none either, but then the others are words, not single letters.
    """
    known = sum(letters.count_pieces([(0, -1)]))
    count = pdfium.FPDFPage_CountObjects(page)
    if count <= _MOST_UNNAMED * known:
        return False
    objects = (pdfium.FPDFPage_GetObject(page, place) for place in range(min(count, _MOST_OBJECTS)))
    texts = sum(pdfium.FPDFPageObj_GetType(found) == pdfium.FPDF_PAGEOBJ_TEXT for found in objects)
    return bool(texts > _MOST_UNNAMED * known and count_visible(letters.text) < _LETTERS_OF_WORDS * texts)


def draw_page(document: PdfiumDocument, index: int) -> Picture | None:
    """Return the picture of a page, None where it cannot be drawn."""
    try:
        with document.page(index) as page:
            width, height = page.get_size()
            scale = min(DOTS_PER_INCH / POINTS_PER_INCH, (MAX_PIXELS / max(1.0, width * height)) ** 0.5)
            bitmap = page.render(scale=scale, grayscale=True, may_draw_forms=False)
            picture = Picture(
                bytes(bitmap.buffer), bitmap.width, bitmap.height, bitmap.stride, int(scale * POINTS_PER_INCH)
            )
            bitmap.close()
    except (pypdfium2.PdfiumError, ValueError):
        return None
    return picture
