"""The characters of a DOCX paragraph, without what a reader of the final document would not see."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing.canonical_text import clean
from knowledge_base.adapters.parsing.docx.unread import PLAIN
from knowledge_base.adapters.parsing.field_codes import (
    BEGIN,
    CHECKED,
    CODE_BEGIN,
    CODE_END,
    END,
    SEPARATOR,
    UNCHECKED,
    form_value,
    shown_text,
)
from knowledge_base.adapters.parsing.symbol_fonts import from_symbol_font

_SIGNS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_UNSEEN = frozenset(
    (
        "del",
        "moveFrom",
        "delText",
        "delInstrText",
        "rPr",
        "pPr",
        "rt",
        "annotationRef",
        "sectPr",
        "tblPr",
        "trPr",
        "tcPr",
        "sdtPr",
        "sdtEndPr",
        "smartTagPr",
        "customXmlPr",
        "fldData",
    )
)
_FIELD_MARKS = {"begin": BEGIN, "separate": SEPARATOR, "end": END}
_GRAPHICS = frozenset(("chart", "relIds"))
_PICTURES = frozenset(("drawing", "pict", "object"))
_WORDS = frozenset(("t", PLAIN))
_TELLING = frozenset(("t", PLAIN, "textpath", *_GRAPHICS))
_TABS = re.compile(r" ?\t[ \t]*")
_NOTES = {"footnoteReference": "footnotes", "endnoteReference": "endnotes", "commentReference": "comments"}


@dataclass(slots=True)
class Found:
    """A paragraph's pieces of text, and what hangs on it: text boxes, charts and diagrams, references to notes."""

    pieces: list[str] = field(default_factory=list)
    boxes: list[Element] = field(default_factory=list)
    word_art: list[str] = field(default_factory=list)
    graphics: list[Element] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    has_pictures: bool = False

    def text(self) -> str:
        """Return the paragraph's text."""
        return as_shown("".join(self.pieces))


class NoteMarks:
    """Numbers notes in the order of their references, as Word does: `[^1]`, and `[^e1]` for endnotes."""

    def __init__(self, known: Collection[tuple[str, str]]) -> None:
        self._known = known
        self._marks: dict[tuple[str, str], str] = {}
        self._counts = {"footnotes": 0, "endnotes": 0}

    def mark(self, note: tuple[str, str]) -> str:
        """Return the mark of a note, the same for each reference to it; empty where there is no such note."""
        if note not in self._known or note[0] not in self._counts:
            return ""
        if note not in self._marks:
            self._counts[note[0]] += 1
            prefix = "e" if note[0] == "endnotes" else ""
            self._marks[note] = f"[^{prefix}{self._counts[note[0]]}]"
        return self._marks[note]


def as_shown(text: str) -> str:
    """Return a paragraph's characters without what its fields compute from, and without needless spaces."""
    if text.isprintable():
        return text.strip()
    text = clean(shown_text(text))
    return "\n".join(_TABS.sub(" ", line).strip() for line in text.split("\n")).strip("\n")


def read_paragraph(paragraph: Element, marks: NoteMarks) -> Found:
    """Return a paragraph's text with marks where notes hang, and what else hangs on it."""
    found = Found()
    _read(paragraph, found, marks)
    return found


def preferred(alternatives: Element) -> Element:
    """Return the one of several renderings of the same content that holds text, or the first."""
    for choice in alternatives:
        if any(element.tag in _TELLING for element in choice.iter()):
            return choice
    return next(iter(alternatives), alternatives)


def flag(element: Element | None) -> bool:
    """Whether a property is set and not switched off."""
    return element is not None and element.get("val", "1") not in ("0", "false", "off")


def _read(element: Element, found: Found, marks: NoteMarks) -> None:
    for child in element:
        tag = child.tag
        if tag in _WORDS:
            found.pieces.append(child.text or "")
        elif tag == "r":
            if not _is_hidden(child):
                _read(child, found, marks)
        elif tag in _SIGNS:
            found.pieces.append(_SIGNS[tag])
        elif tag not in _UNSEEN:
            _read_special(child, found, marks)


def _read_special(element: Element, found: Found, marks: NoteMarks) -> None:
    tag = element.tag
    if tag in _NOTES:
        note = (_NOTES[tag], element.get("id", ""))
        found.notes.append(note)
        found.pieces.append(marks.mark(note))
    elif tag == "AlternateContent":
        _read(preferred(element), found, marks)
    elif tag in _GRAPHICS:
        found.graphics.append(element)
    elif text := _special_text(element):
        found.pieces.append(text)
    elif tag == "txbxContent":
        found.boxes.append(element)
    elif tag == "textpath":
        found.word_art.append(element.get("string", ""))
    else:
        found.has_pictures = found.has_pictures or tag in _PICTURES
        _read(element, found, marks)


def _special_text(element: Element) -> str:
    """Return the text of elements that stand for characters, and the marks of fields."""
    if element.tag == "sym":
        return from_symbol_font(element.get("char", ""), element.get("font", ""))
    if element.tag == "instrText":
        return f"{CODE_BEGIN}{element.text or ''}{CODE_END}"
    if element.tag == "fldChar":
        return _FIELD_MARKS.get(element.get("fldCharType", ""), "") + _form_value(element.find("ffData"))
    return ""


def _form_value(form: Element | None) -> str:
    """Return the code for what a check box or a list of a form shows."""
    if form is None:
        return ""
    box, choices = form.find("checkBox"), form.find("ddList")
    if box is not None:
        state = box.find("checked")
        is_checked = flag(state if state is not None else box.find("default"))
        return form_value(CHECKED if is_checked else UNCHECKED)
    return form_value(_chosen(choices)) if choices is not None else ""


def _chosen(choices: Element) -> str:
    entries = [entry.get("val", "") for entry in choices.findall("listEntry")]
    result = next((found for name in ("result", "default") if (found := choices.find(name)) is not None), None)
    place = result.get("val", "0") if result is not None else "0"
    return entries[int(place)] if place.isdecimal() and int(place) < len(entries) else ""


def _is_hidden(run: Element) -> bool:
    properties = run.find("rPr")
    return properties is not None and flag(properties.find("vanish"))
