"""Word files in XML form: WordML of 2003, and DOCX as one flat file; both are read as the DOCX they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from xml.etree.ElementTree import Element, SubElement

from knowledge_base.adapters.parsing.docx.parts import IsContainer
from knowledge_base.adapters.parsing.docx.reader import DocxReader
from knowledge_base.adapters.parsing.format import Format, Hints, corrupt
from knowledge_base.adapters.parsing.xml_parts import Around, pieces_of, read_children
from knowledge_base.domain.parsed import ParsedDocument

_WORDML = re.compile(rb"<(?:\w+:)?wordDocument\s[^>]*office/word/2003/wordml", re.S)
_FLAT = re.compile(rb"<(?:\w+:)?package\s[^>]*office/2006/xmlPackage", re.S)
_HEAD = 8_192
_MAIN_TYPES = ("document.main+xml", "template.main+xml")
_MAIN_NAME = "/word/document.xml"
_WRAPPERS = ("part", "xmlData")
_SECTIONS = ("sect", "sub-section", "pBdrGroup")
_MARGINS = {"header": "hdr", "footer": "ftr"}
_BULLETS = "\uf0b7·"


class _Lacking:
    """Parts of which charts, diagrams and parts in other formats are not looked for."""

    def named_by(self, _element: Element, _attribute: str) -> list[Element]:
        return []

    def file_of(self, _element: Element) -> tuple[str, bytes] | None:
        return None


class FlatParts(_Lacking):
    """The parts of a DOCX that is one XML file: all but the document itself are held."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._parts = [part for _around, part in self._read(lambda element: element.tag in ("document", "body"))]
        self._parts = [part for part in self._parts if part.tag == "part" and not _is_main(part)]

    def main(self, is_container: IsContainer) -> Iterator[tuple[Around, Element]]:
        """Yield what stands in the document."""
        for around, element in self._read(is_container):
            if any(map(_is_main, (*around, element))):
                yield from ((around, child) for child in _unwrapped(element))

    def related(self, kind: str) -> list[Element]:
        """Return the parts whose type ends with a kind, such as `footnotes`."""
        found = [part for part in self._parts if part.get("contentType", "").endswith(f".{kind}+xml")]
        return [element for part in found for element in _unwrapped(part)]

    def title(self) -> str:
        """Return the title from the properties, or an empty string."""
        found = [part for part in self._parts if part.get("contentType", "").endswith("core-properties+xml")]
        return next((title.text or "" for part in found for title in part.iter("title")), "")

    def _read(self, is_container: IsContainer) -> Iterator[tuple[Around, Element]]:
        return read_children(
            pieces_of(self._content),
            lambda element: is_container(element) or _is_main(element) or element.tag == "xmlData",
        )


class WordmlParts(_Lacking):
    """The parts of a WordML file: styles stand before the text, headers and footers in it."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        head = takewhile(lambda pair: not _is_body(pair), self._read())
        self._head = {element.tag: element for _around, element in head}
        self._margins: list[Element] = []

    def main(self, _is_container: IsContainer) -> Iterator[tuple[Around, Element]]:
        """Yield what stands in the document.

        Raises:
            IngestionFailed: there is nothing.
        """
        is_empty = True
        for around, element in self._read():
            if _is_body((around, element)):
                is_empty = False
                self._margins += [margin for tag in _MARGINS.values() for margin in element.iter(tag)]
                _translate(element)
                yield around, element
        if is_empty:
            raise corrupt("its text is missing")

    def related(self, kind: str) -> list[Element]:
        """Return the styles, or the headers or footers that have been met."""
        if kind in _MARGINS:
            return [margin for margin in self._margins if margin.tag == _MARGINS[kind]]
        return [self._head[kind]] if kind in self._head else []

    def title(self) -> str:
        """Return the title from the properties, or an empty string."""
        properties = self._head.get("DocumentProperties")
        return "" if properties is None else (properties.findtext("Title") or "").strip()

    def _read(self) -> Iterator[tuple[Around, Element]]:
        return read_children(pieces_of(self._content), lambda element: element.tag in ("body", "tbl", *_SECTIONS))


def _is_main(element: Element) -> bool:
    is_main = element.get("contentType", "").endswith(_MAIN_TYPES) or element.get("name") == _MAIN_NAME
    return is_main and element.tag == "part"


def _unwrapped(element: Element) -> Iterator[Element]:
    if element.tag in _WRAPPERS:
        for child in element:
            yield from _unwrapped(child)
    else:
        yield element


def _is_body(pair: tuple[Around, Element]) -> bool:
    around, element = pair
    return element.tag == "body" or any(outer.tag == "body" for outer in around)


def _translate(body: Element) -> None:
    """Give elements that DOCX names otherwise its names, and list items the numbers that Word wrote beside them."""
    for element in list(body.iter()):
        if element.tag in _SECTIONS:
            element.tag = "sdtContent"
        elif element.tag == "annotation":
            element.tag = "del" if element.get("type") == "Word.Deletion" else "ins"
        elif element.tag == "content":
            element.tag = "smartTag"
        elif element.tag == "p":
            _write_number(element)


def _write_number(paragraph: Element) -> None:
    number = paragraph.find("pPr/listPr/t")
    properties = paragraph.find("pPr")
    if number is None or properties is None or not number.get("val", "").strip(_BULLETS):
        return
    run = Element("r")
    SubElement(run, "t").text = f"{number.get('val')} "
    paragraph.insert(list(paragraph).index(properties) + 1, run)


def _read(content: bytes, _hints: Hints) -> ParsedDocument:
    parts = WordmlParts(content) if _WORDML.search(content[:_HEAD]) else FlatParts(content)
    return DocxReader(parts).read()


def _claims(content: bytes, _hints: Hints) -> bool:
    head = content[:_HEAD]
    return bool(_WORDML.search(head) or _FLAT.search(head))


FORMAT = Format("a Word file in XML form", _claims, _read)
