"""Elements that stand for text: images, fields of forms, formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from knowledge_base.adapters.parsing.html.images import text_of_image
from knowledge_base.adapters.parsing.html.vocabulary import words

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

BREAK = "\x1d"
"""A line break inside of a paragraph, while its text is collected."""
_TYPED = frozenset(("", "text", "email", "tel", "url", "number", "date", "datetime-local", "month", "time", "week"))
_TICKED = words("checkbox radio")
_TEX = 'annotation[encoding="application/x-tex"]'


def text_instead_of(node: LexborNode) -> str | None:
    """Return the text that an element stands for; None for elements whose own content is read."""
    read = _READERS.get(node.tag or "")
    return read(node) if read else None


def _line_break(_node: LexborNode) -> str:
    return BREAK


def _image(node: LexborNode) -> str:
    text = text_of_image(node)
    return f"{BREAK}{text}{BREAK}" if text else ""


def _field(node: LexborNode) -> str:
    """What somebody has typed or ticked."""
    kind = (node.attributes.get("type") or "").lower()
    if kind in _TICKED:
        return "☒ " if "checked" in node.attributes else ""
    return f" {node.attributes.get('value') or ''} " if kind in _TYPED else ""


def _formula(node: LexborNode) -> str | None:
    """The source of a formula, if it is given; its signs alone lose fractions and exponents."""
    source = node.attributes.get("alttext")
    annotation = None if source else node.css_first(_TEX)
    source = annotation.text() if annotation is not None else source
    return f" {' '.join(source.split())} " if source else None


_READERS = {"br": _line_break, "img": _image, "input": _field, "math": _formula}
