"""The slides of OpenDocument presentations: a page for each, with its title, texts, tables, notes and comments."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing.blocks import Block, BlockWriter
from knowledge_base.adapters.parsing.odt.package import MEDIA_TYPE, OpenDocument, title_of
from knowledge_base.adapters.parsing.odt.text import TextWalker
from knowledge_base.adapters.parsing.pptx.reader import NO_TEXT
from knowledge_base.adapters.parsing.xml_parts import read_children
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

_CONTAINERS = ("body", "presentation")
_UNREAD = ("date-time", "page-number", "header")


def read_slides(document: OpenDocument) -> ParsedDocument:
    """Return the text of a presentation.

    Raises:
        IngestionFailed: it is damaged, too complex, or has no text.
    """
    writer, walker, title, number = BlockWriter(), TextWalker(), document.title(), 0
    for _around, child in read_children(document.pieces(), lambda element: element.tag in _CONTAINERS):
        if child.tag in ("styles", "automatic-styles"):
            walker.add_styles(child)
        elif child.tag == "meta":
            title = title_of(child)
        for page in _pages_in(child):
            number += 1
            writer.add_page(_blocks_of(page, walker), number)
    return writer.finish(f"{MEDIA_TYPE}presentation", title=title or walker.title, lack=NO_TEXT)


def _pages_in(element: Element) -> Iterator[Element]:
    if element.tag == "page":
        yield element
    elif element.tag in _CONTAINERS:
        for child in element:
            yield from _pages_in(child)


def _blocks_of(page: Element, walker: TextWalker) -> Iterator[Block]:
    """The title comes first, the notes last."""
    titles = [shape for shape in page if shape.get("class") == "title"]
    for shape in titles:
        text = walker.line(shape)
        walker.title = walker.title or text
        yield Block(text, SpanKind.HEADING, 1)
    others = [shape for shape in page if shape not in titles and shape.get("class") not in _UNREAD]
    yield from walker.blocks_in(others)
    for notes in page.iter("notes"):
        text = walker.line(shape for shape in notes if shape.get("class") == "notes")
        yield Block(f"Notes: {text}" if text else "")
