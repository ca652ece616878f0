"""OpenDocument files: texts, sheets and slides, packed or as one XML file."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing.blocks import Block, BlockWriter
from knowledge_base.adapters.parsing.format import Format, Hints
from knowledge_base.adapters.parsing.odt.package import MEDIA_TYPE, OpenDocument, kind_of, title_of
from knowledge_base.adapters.parsing.odt.sheets import read_sheets
from knowledge_base.adapters.parsing.odt.slides import read_slides
from knowledge_base.adapters.parsing.odt.text import TextWalker
from knowledge_base.adapters.parsing.xml_parts import read_children
from knowledge_base.domain.parsed import ParsedDocument

_CONTAINERS = ("body", "text", "section")
_STYLES = ("styles", "automatic-styles")
_HEAD = (*_STYLES, "master-styles", "meta")


def _is_container(element: Element) -> bool:
    return element.tag in _CONTAINERS and element.get("display") != "none"


class _TextReader:
    """Finds the blocks of a text document; what they look like stands before them, in the same part or another."""

    def __init__(self, document: OpenDocument) -> None:
        self._document = document
        self._walker = TextWalker()
        self._title = document.title()
        self._margins: list[Element] = []

    def read(self) -> ParsedDocument:
        writer = BlockWriter()
        for block in self._blocks():
            writer.add(block)
        for margin in self._margins:
            writer.add_margin(self._walker.line(margin))
        title, has_pictures = self._title or self._walker.title, self._walker.has_pictures
        return writer.finish(f"{MEDIA_TYPE}text", title=title, has_pictures=has_pictures)

    def _blocks(self) -> Iterator[Block]:
        styles = self._document.part("styles.xml")
        for part in styles if styles is not None else ():
            self._read_head(part)
        for _around, child in read_children(self._document.pieces(), _is_container):
            if child.tag in _HEAD:
                self._read_head(child)
            else:
                yield from self._walker.blocks_in([child])

    def _read_head(self, part: Element) -> None:
        if part.tag in _STYLES:
            self._walker.add_styles(part)
        elif part.tag == "meta":
            self._title = title_of(part)
        elif part.tag == "master-styles":
            self._margins = [
                margin
                for page in part.iter("master-page")
                for margin in page
                if margin.tag.startswith(("header", "footer"))
            ]


def _read_text(document: OpenDocument) -> ParsedDocument:
    return _TextReader(document).read()


_READERS = {"text": _read_text, "spreadsheet": read_sheets, "presentation": read_slides}


def _read(content: bytes, hints: Hints) -> ParsedDocument:
    return _READERS[kind_of(content, hints)](OpenDocument(content))


FORMAT = Format("an OpenDocument file", lambda content, hints: bool(kind_of(content, hints)), _read)
