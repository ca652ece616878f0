"""What is filled into the forms of a PDF page, and what people have written onto it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from ctypes import POINTER, cast, create_string_buffer
from dataclasses import dataclass, field
from typing import Any

import pypdfium2.raw as pdfium

from knowledge_base.adapters.parsing.canonical_text import clean
from knowledge_base.adapters.parsing.pdf.letters import Box

MOST = 2_000
"""How many annotations of a page are looked at."""
CHECKED = "☒"

_MOST_OPTIONS = 200
_PASSWORD = 1 << 13
_HIDDEN = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
_CHOSEN = (pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX)
_FILLED_IN = (pdfium.FPDF_FORMFIELD_TEXTFIELD, *_CHOSEN)
_CHECKED = (pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON)
_REMARKS = {
    pdfium.FPDF_ANNOT_TEXT,
    pdfium.FPDF_ANNOT_LINE,
    pdfium.FPDF_ANNOT_SQUARE,
    pdfium.FPDF_ANNOT_CIRCLE,
    pdfium.FPDF_ANNOT_POLYGON,
    pdfium.FPDF_ANNOT_POLYLINE,
    pdfium.FPDF_ANNOT_HIGHLIGHT,
    pdfium.FPDF_ANNOT_UNDERLINE,
    pdfium.FPDF_ANNOT_SQUIGGLY,
    pdfium.FPDF_ANNOT_STRIKEOUT,
    pdfium.FPDF_ANNOT_STAMP,
    pdfium.FPDF_ANNOT_CARET,
    pdfium.FPDF_ANNOT_INK,
}
_SHOWN = {pdfium.FPDF_ANNOT_WIDGET, pdfium.FPDF_ANNOT_FREETEXT, pdfium.FPDF_ANNOT_STAMP}
_SHOWS_TEXT = ("Tj", "TJ", "Do")


@dataclass(frozen=True, slots=True)
class Entry:
    """A text that a viewer shows on the page: the value of a form field, or a free text; and its box."""

    text: str
    box: Box


@dataclass(slots=True)
class Notes:
    """What stands on a page but not in its content: entries, choices of lists, and comments.

    `are_drawn` says that a viewer may show text that is nowhere but in what it draws, as stamps and buttons have.
    """

    entries: list[Entry] = field(default_factory=list)
    choices: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    are_drawn: bool = False


def read_notes(page: Any) -> Notes:
    """Return the notes of a page, those that are hidden left out."""
    notes = Notes()
    are_secret = False
    for place in range(min(MOST, pdfium.FPDFPage_GetAnnotCount(page))):
        annotation = pdfium.FPDFPage_GetAnnot(page, place)
        kind = pdfium.FPDFAnnot_GetSubtype(annotation)
        if kind in _REMARKS | _SHOWN and not pdfium.FPDFAnnot_GetFlags(annotation) & _HIDDEN:
            _read(annotation, kind, page.formenv, notes)
            are_secret = are_secret or _is_secret(annotation, kind, page.formenv)
        pdfium.FPDFPage_CloseAnnot(annotation)
    notes.are_drawn = notes.are_drawn and not are_secret
    return notes


def draw_notes(page: Any) -> bool:
    """Make what a viewer draws of notes part of the page's content; it can be read once the page is loaded anew."""
    return bool(pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY) == pdfium.FLATTEN_SUCCESS)


def missing_lines(lines: Iterable[str], text: str) -> list[str]:
    """Return the lines that a text lacks, each once."""
    wanted = dict.fromkeys(lines)
    flat = _without_spaces(text) if wanted else ""
    return [line for line in wanted if _without_spaces(line) not in flat]


def _read(annotation: Any, kind: int, form: Any, notes: Notes) -> None:
    value = ""
    if kind == pdfium.FPDF_ANNOT_WIDGET:
        value = _field_value(annotation, form) if form else ""
        notes.choices += _choices(annotation, form) if form else []
    elif kind == pdfium.FPDF_ANNOT_FREETEXT:
        value = _contents(annotation)
    elif _contents(annotation):
        notes.comments.append(_contents(annotation))
    if value:
        notes.entries.append(Entry(value, _box(annotation)))
    elif kind in _SHOWN:
        notes.are_drawn = notes.are_drawn or _shows_text(annotation)


def _field_value(annotation: Any, form: Any) -> str:
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in _CHECKED:
        return CHECKED if pdfium.FPDFAnnot_IsChecked(form, annotation) else ""
    if kind not in _FILLED_IN or _is_secret(annotation, pdfium.FPDF_ANNOT_WIDGET, form):
        return ""
    chosen = [text for text, is_chosen in _options(annotation, form, kind) if is_chosen]
    value = _string(lambda buffer, size: pdfium.FPDFAnnot_GetFormFieldValue(form, annotation, buffer, size))
    return ", ".join(chosen) or value


def _is_secret(annotation: Any, kind: int, form: Any) -> bool:
    """Whether an annotation is a field for a password, which a viewer shows as stars."""
    is_field = kind == pdfium.FPDF_ANNOT_WIDGET and form
    return bool(is_field and pdfium.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD)


def _choices(annotation: Any, form: Any) -> list[str]:
    """Return what an open list shows to choose from."""
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)
    is_open = kind == pdfium.FPDF_FORMFIELD_LISTBOX
    return [text for text, _is_chosen in _options(annotation, form, kind)] if is_open else []


def _options(annotation: Any, form: Any, kind: int) -> Iterator[tuple[str, bool]]:
    """Yield what there is to choose from, and whether it is chosen; a field's value is often a code for it."""
    count = pdfium.FPDFAnnot_GetOptionCount(form, annotation) if kind in _CHOSEN else 0
    for place in range(min(_MOST_OPTIONS, count)):
        text = _option(annotation, form, place)
        if text:
            yield text, bool(pdfium.FPDFAnnot_IsOptionSelected(form, annotation, place))


def _option(annotation: Any, form: Any, place: int) -> str:
    return _string(lambda buffer, size: pdfium.FPDFAnnot_GetOptionLabel(form, annotation, place, buffer, size))


def _contents(annotation: Any) -> str:
    return _string(lambda buffer, size: pdfium.FPDFAnnot_GetStringValue(annotation, b"Contents", buffer, size))


def _shows_text(annotation: Any) -> bool:
    mode = pdfium.FPDF_ANNOT_APPEARANCEMODE_NORMAL
    drawing = _string(lambda buffer, size: pdfium.FPDFAnnot_GetAP(annotation, mode, buffer, size))
    return any(operator in drawing for operator in _SHOWS_TEXT)


def _box(annotation: Any) -> Box:
    rect = pdfium.FS_RECTF()
    pdfium.FPDFAnnot_GetRect(annotation, rect)
    return rect.left, max(rect.top, rect.bottom), rect.right, min(rect.top, rect.bottom)


def _string(read: Callable[[Any, int], int]) -> str:
    """Return a text that PDFium writes in UTF-16 into a buffer, whose size it tells when asked without one."""
    size = read(None, 0)
    if not size:
        return ""
    buffer = create_string_buffer(size)
    read(cast(buffer, POINTER(pdfium.FPDF_WCHAR)), size)
    text = buffer.raw.decode("utf-16-le", "replace").partition("\0")[0]
    return " ".join(clean(text).split())


def _without_spaces(text: str) -> str:
    return "".join(text.split())
