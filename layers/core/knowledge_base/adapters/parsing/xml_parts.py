"""XML of office packages: read without entities, and without namespaces in the names.

Transitional and strict Office files differ in their namespaces only, so the local names are enough.
"""

from __future__ import annotations

import re
from typing import Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser
from xml.parsers import expat

from knowledge_base.adapters.parsing.format import corrupt

_DOCTYPE = re.compile(rb"<\x00?!\x00?D\x00?O\x00?C\x00?T", re.I)
_ILLEGAL = re.compile(
    rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|&#(?:x0*(?:[0-8bcef]|1[0-9a-f])|0*(?:[0-8]|1[124-9]|2\d|3[01]));", re.I
)
_PIECE = 65_536


def parse_xml(data: bytes) -> Element:
    """Return the root element of an XML part; names are local names, entities stay unread.

    Raises:
        IngestionFailed: it is not well-formed.
    """
    try:
        root = _parse(data)
    except (ParseError, expat.ExpatError, LookupError, ValueError):
        root = _parse_repaired(data)
    _drop_namespaces(root)
    return root


def _parse_repaired(data: bytes) -> Element:
    """Try once more without the control characters that careless writers leave in."""
    try:
        return _parse(_ILLEGAL.sub(b"", data))
    except (ParseError, expat.ExpatError, LookupError, ValueError) as error:
        raise corrupt("a part of it is not well-formed") from error


def _parse(data: bytes) -> Element:
    if _DOCTYPE.search(data):
        return _parse_without_entities(data)
    parser = XMLParser()  # noqa: S314 - without a document type there are no entities
    for start in range(0, len(data), _PIECE):
        parser.feed(data[start : start + _PIECE])
    root: Element = parser.close()
    return root


def _parse_without_entities(data: bytes) -> Element:
    """Parse a part with a document type: with a default handler, expat neither expands nor fetches entities."""
    builder = TreeBuilder()
    parser = expat.ParserCreate(namespace_separator="}")

    def start(name: str, attributes: dict[str, Any]) -> None:
        builder.start(name, attributes)

    parser.StartElementHandler = start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.DefaultHandler = lambda _data: None
    parser.Parse(data, True)
    return builder.close()


def _drop_namespaces(root: Element) -> None:
    for element in root.iter():
        element.tag = _local(element.tag)
        if element.attrib:
            element.attrib = {_local(name): value for name, value in element.attrib.items()}


def _local(name: str) -> str:
    return name[name.rfind("}") + 1 :]
