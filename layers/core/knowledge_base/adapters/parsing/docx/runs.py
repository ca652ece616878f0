"""The characters of a DOCX paragraph, without what a reader of the final document would not see."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing.canonical_text import clean
from knowledge_base.adapters.parsing.symbol_fonts import from_symbol_font

_SIGNS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011"}
_UNSEEN = frozenset(
    (
        "del",
        "moveFrom",
        "delText",
        "delInstrText",
        "instrText",
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
        "fldData",
    )
)
_TABS = re.compile(r" ?\t[ \t]*")
_NOTES = {"footnoteReference": "footnotes", "endnoteReference": "endnotes"}


@dataclass(slots=True)
class Found:
    """What hangs on a paragraph besides its text: text boxes, and references to notes."""

    boxes: list[Element] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)


def paragraph_text(paragraph: Element, found: Found, marks: NoteMarks) -> str:
    """Return a paragraph's text with marks where notes hang; collect text boxes and notes."""
    text = "".join(_characters(paragraph, found, marks))
    return "\n".join(_TABS.sub(" ", line).strip() for line in clean(text).split("\n")).strip("\n")


class NoteMarks:
    """Numbers notes in the order of their references, as Word does: `[^1]`, and `[^e1]` for endnotes."""

    def __init__(self, known: Collection[tuple[str, str]]) -> None:
        self._known = known
        self._marks: dict[tuple[str, str], str] = {}
        self._counts = {"footnotes": 0, "endnotes": 0}

    def mark(self, note: tuple[str, str]) -> str:
        """Return the mark of a note, the same for each reference to it; empty where there is no such note."""
        if note not in self._known:
            return ""
        if note not in self._marks:
            self._counts[note[0]] += 1
            prefix = "e" if note[0] == "endnotes" else ""
            self._marks[note] = f"[^{prefix}{self._counts[note[0]]}]"
        return self._marks[note]


def _characters(element: Element, found: Found, marks: NoteMarks) -> Iterator[str]:
    for child in element:
        tag = child.tag
        if tag == "t":
            yield child.text or ""
        elif tag in _SIGNS:
            yield _SIGNS[tag]
        elif tag not in _UNSEEN:
            yield from _special(child, found, marks)


def _special(element: Element, found: Found, marks: NoteMarks) -> Iterator[str]:
    tag = element.tag
    if tag == "r" and _is_hidden(element):
        return
    if tag == "sym":
        yield from_symbol_font(element.get("char", ""), element.get("font", ""))
    elif tag == "txbxContent":
        found.boxes.append(element)
    elif tag in _NOTES:
        note = (_NOTES[tag], element.get("id", ""))
        found.notes.append(note)
        yield marks.mark(note)
    elif tag == "AlternateContent":
        yield from _characters(preferred(element), found, marks)
    else:
        yield from _characters(element, found, marks)


def preferred(alternatives: Element) -> Element:
    """Return the one of several renderings of the same content that holds text."""
    for choice in alternatives:
        if next(choice.iter("t"), None) is not None:
            return choice
    return Element("none")


def _is_hidden(run: Element) -> bool:
    hidden = run.find("rPr/vanish")
    return hidden is not None and hidden.get("val", "1") not in ("0", "false", "off")
