"""Word files in XML form: WordML of 2003, and DOCX as one flat file; both are read as the DOCX they stand for."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO
from xml.etree.ElementTree import Element, SubElement, tostring

from knowledge_base.adapters.parsing.docx import reader as docx
from knowledge_base.adapters.parsing.format import Format, Hints, corrupt
from knowledge_base.adapters.parsing.xml_parts import parse_xml
from knowledge_base.domain.parsed import ParsedDocument

_START = re.compile(
    rb"<(?:\w+:)?(?:wordDocument|package)\s[^>]*(?:office/word/2003/wordml|office/2006/xmlPackage)", re.S
)
_HEAD = 8_192
_RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = "word/document.xml"


def _read(content: bytes, hints: Hints) -> ParsedDocument:
    root = parse_xml(content)
    parts = _flat_parts(root) if root.tag == "package" else _wordml_parts(root)
    target = BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, tostring(part))
    return docx.FORMAT.read(target.getvalue(), hints)


def _flat_parts(root: Element) -> dict[str, Element]:
    parts = {}
    for part in root.iter("part"):
        data = part.find("xmlData")
        if data is not None and len(data):
            parts[part.get("name", "").lstrip("/")] = data[0]
    return parts


def _wordml_parts(root: Element) -> dict[str, Element]:
    body = root.find("body")
    if body is None:
        raise corrupt("its text is missing")
    margins = [margin for kind in ("hdr", "ftr") for margin in body.iter(kind)]
    _translate(body)
    document = Element("document")
    document.append(body)
    parts = {_MAIN: document}
    entries = [("styles", root.find("styles")), *(("header", margin) for margin in margins)]
    relations = Element("Relationships")
    for place, (kind, part) in enumerate(entries):
        if part is not None:
            name = f"{kind}{place}.xml"
            parts[f"word/{name}"] = part
            SubElement(relations, "Relationship", Id=f"r{place}", Type=f"{_RELATIONSHIPS}/{kind}", Target=name)
    return {**parts, "word/_rels/document.xml.rels": relations}


def _translate(body: Element) -> None:
    """Give elements that DOCX names otherwise its names, and list items the numbers that Word wrote beside them."""
    for element in body.iter():
        if element.tag in ("sect", "sub-section", "pBdrGroup"):
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
    if number is None or properties is None or not number.get("val", "").strip("\uf0b7·"):
        return
    run = Element("r")
    SubElement(run, "t").text = f"{number.get('val')} "
    paragraph.insert(list(paragraph).index(properties) + 1, run)


FORMAT = Format("a Word file in XML form", lambda content, _hints: bool(_START.search(content[:_HEAD])), _read)
