"""XML of office packages: read without entities, and without namespaces in the names.

Transitional and strict Office files differ in their namespaces only, so the local names are enough.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from knowledge_base.adapters.parsing.entities import Entities
from knowledge_base.adapters.parsing.format import corrupt
from knowledge_base.adapters.parsing.xml_names import NAMES, POINTER, is_unusual
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.settings import MEGABYTE

PIECE = 65_536
MAX_TREE = 250 * MEGABYTE
"""How much memory the elements that stand at one time may take."""
MAX_TAG = 4 * MEGABYTE
"""How long a single tag may be: expat begins anew with it at each piece."""
MAX_DEPTH, MAX_NAMES = 50_000, 50_000
_ELEMENT_BYTES, _ATTRIBUTE_BYTES = 190, 250
"""What elements and attributes take, measured on documents of word processors."""
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r"))
_BAD_REFERENCE = re.compile(rb"&#(?:x0*(?:[0-8bcef]|1[0-9a-f])|0*(?:[0-8]|1[124-9]|2\d|3[01]));", re.I)
_LONGEST_REFERENCE = 16
_DEEPEST_CONTAINER = 50
_POINTERS = ("/officeDocument/2006/relationships", "/officeDocument/relationships")

Around = tuple[Element, ...]
"""The containers around an element, outermost first."""


def parse_xml(data: bytes) -> Element:
    """Return the root element of an XML part; names are local names, entities stay unread.

    Raises:
        IngestionFailed: it is not well-formed, or has more elements than can be held.
    """
    return parse_pieces(pieces_of(data))


def parse_pieces(pieces: Iterable[bytes]) -> Element:
    """Return the root element of an XML part that comes piece by piece.

    Raises:
        IngestionFailed: it is not well-formed, or has more elements than can be held.
    """
    tree = _Tree()
    for _piece in tree.grow(pieces):
        pass
    return tree.root()


def read_children(pieces: Iterable[bytes], is_container: Callable[[Element], bool]) -> Iterator[tuple[Around, Element]]:
    """Yield what stands in an XML part's root and in the containers inside it, in order, with the containers around it.

    What is complete is yielded and forgotten while the part is being read, so it is never held as a whole. A container
    that ends is yielded as well, with what has not been taken out of it; one that was short enough is still whole.

    Raises:
        IngestionFailed: it is not well-formed, or a single element is more than can be held.
    """
    tree = _Tree()
    for _piece in tree.grow(pieces):
        yield from tree.take(is_container)
    yield from tree.take(is_container, is_end=True)


def feed(parser: expat.XMLParserType, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Feed a parser, and yield each piece that it has taken; entities are neither expanded nor fetched.

    Raises:
        IngestionFailed: it is not well-formed, too much of it is a single tag, or its entities would swell.
    """
    parser.buffer_text = True
    entities = Entities()
    parser.DefaultHandler = entities.refer
    parser.EntityDeclHandler = lambda name, _kind, value, *_where: entities.declare(name, value or "")
    open_tag = 0
    try:
        for piece in _legal(pieces):
            open_tag = _open_tag(piece, open_tag)
            parser.Parse(piece, False)
            yield piece
        parser.Parse(b"", True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise corrupt("a part of it is not well-formed") from error


def pieces_of(data: bytes) -> Iterator[bytes]:
    """Yield bytes piece by piece."""
    return (data[start : start + PIECE] for start in range(0, len(data), PIECE))


class _Tree:
    """An element tree that grows piece by piece, and from which complete branches can be taken."""

    def __init__(self) -> None:
        self._builder = TreeBuilder()
        self._names = dict(NAMES)
        self._parser = expat.ParserCreate(None, None, self._names)
        self._parser.StartElementHandler = self._start_root
        self._parser.EndElementHandler = self._builder.end
        self._parser.CharacterDataHandler = self._builder.data
        self._root: Element | None = None
        self._known = len(self._names)
        self._size = self._last_size = self._depth = 0

    def grow(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        for piece in feed(self._parser, pieces):
            self._measure(piece)
            if len(self._names) > self._known:
                self._learn_names()
            yield piece

    def _measure(self, piece: bytes) -> None:
        closed = piece.count(b"</")
        elements = piece.count(b"<") - closed
        self._depth += elements - closed - piece.count(b"/>")
        self._last_size = 2 * len(piece) + _ELEMENT_BYTES * elements + _ATTRIBUTE_BYTES * piece.count(b"=")
        self._size += self._last_size
        if self._size > MAX_TREE or self._depth > MAX_DEPTH or len(self._names) > MAX_NAMES:
            raise IngestionFailed(FailureCode.TOO_COMPLEX, "a part of the file has too many elements to be read")

    def root(self) -> Element:
        """Return the root when everything has been read."""
        return self._builder.close()

    def take(
        self, is_container: Callable[[Element], bool], *, is_end: bool = False
    ) -> Iterator[tuple[Around, Element]]:
        """Yield the complete children of the containers that are still open, and remove them."""
        around: Around = ()
        parent = self._root
        while parent is not None and len(parent):
            around = (*around, parent)
            last = parent[-1]
            is_open = len(around) < _DEEPEST_CONTAINER and is_container(last)
            complete = parent[:] if is_end and not is_open else parent[:-1]
            del parent[: len(complete)]
            if complete:
                self._size = self._last_size
            yield from ((around, child) for child in complete)
            parent = last if is_open else None

    def _start_root(self, name: str, attributes: dict[str, Any]) -> None:
        self._root = self._builder.start(name, attributes)
        self._parser.StartElementHandler = self._builder.start

    def _learn_names(self) -> None:
        """Drop the prefixes that are not the usual ones, from what is there and from what will come."""
        new = list(islice(reversed(self._names), len(self._names) - self._known))
        self._known = len(self._names)
        unusual = {name: name.rpartition(":") for name in new if name and is_unusual(name)}
        if not unusual or self._root is None:
            return
        pointers = _prefixes_of_pointers(self._root)
        changed = {
            name: f"{POINTER}:{local}" if prefix in pointers else local for name, (prefix, _, local) in unusual.items()
        }
        self._names |= changed
        for element in self._root.iter():
            element.tag = changed.get(element.tag, element.tag)
            if not changed.keys().isdisjoint(element.attrib):
                element.attrib = {changed.get(name, name): value for name, value in element.attrib.items()}


def _prefixes_of_pointers(root: Element) -> set[str]:
    """Return the prefixes that stand for the namespace of attributes that point to other parts."""
    return {
        name.removeprefix("xmlns:")
        for element in root.iter()
        for name, value in element.attrib.items()
        if name.startswith("xmlns:") and value.endswith(_POINTERS)
    }


def _open_tag(piece: bytes, before: int) -> int:
    """Return how long the tag is that is open at the end of a piece, and was so long before it; 0 for none."""
    start, end = piece.rfind(b"<"), piece.rfind(b">")
    length = len(piece) - start if start > end else before + len(piece) if before and end < 0 else 0
    if length > MAX_TAG:
        raise IngestionFailed(FailureCode.TOO_COMPLEX, "a part of the file has too many elements to be read")
    return length


def _legal(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Leave out the control characters that careless writers leave in."""
    rest, is_wide = b"", None
    for piece in pieces:
        if is_wide is None:
            is_wide = b"\x00" in piece[:4]
        if is_wide:
            yield piece
            continue
        text = rest + piece.translate(None, _CONTROLS)
        cut = text.rfind(b"&", -_LONGEST_REFERENCE)
        split = cut if cut >= 0 and b";" not in text[cut:] else len(text)
        text, rest = text[:split], text[split:]
        yield _BAD_REFERENCE.sub(b"", text) if b"&#" in text else text
    yield rest
