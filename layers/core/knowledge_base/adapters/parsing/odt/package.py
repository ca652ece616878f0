"""OpenDocument files of any kind, packed or as one XML file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing.archives import SIGNATURE, Package
from knowledge_base.adapters.parsing.cutting import reduced
from knowledge_base.adapters.parsing.format import Hints, encrypted
from knowledge_base.adapters.parsing.xml_parts import parse_pieces, pieces_of
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed

MEDIA_TYPE = "application/vnd.oasis.opendocument."
KINDS = ("text", "spreadsheet", "presentation")
_NAMES = {"text": ("odt", "ott", "odm"), "spreadsheet": ("ods", "ots"), "presentation": ("odp", "otp")}
_KIND = re.compile(re.escape(MEDIA_TYPE).encode() + rb"(text|spreadsheet|presentation)")
_FLAT = re.compile(rb"<office:document\s[^>]*office:mimetype=[\"']" + _KIND.pattern)
_SPAN_BEGIN, _SPAN_END = b"<text:span", b"</text:span>"
_SPAN = re.compile(rb'<text:span(?: [\w:-]++="[^"<>]*+")*+>')
_HEAD = 4_096
_MIMETYPE_END = 200


class OpenDocument:
    """The parts of an OpenDocument file."""

    def __init__(self, content: bytes) -> None:
        """Open a file.

        Raises:
            IngestionFailed: it is damaged or encrypted.
        """
        self._content = content
        self._package = Package(content) if content.startswith(SIGNATURE) else None
        if self._package and b"encryption-data" in (self._package.read_optional("META-INF/manifest.xml") or b""):
            raise encrypted("the OpenDocument file")

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes of the content without its spans; of a flat file, that is all there is."""
        return _without_spans(self._package.pieces("content.xml") if self._package else pieces_of(self._content))

    def part(self, name: str) -> Element | None:
        """Return the root of a part of a packed file, or None where it is missing or damaged."""
        if self._package is None or name not in self._package:
            return None
        try:
            return parse_pieces(self._package.pieces(name))
        except IngestionFailed as failure:
            if failure.code is not FailureCode.CORRUPT:
                raise
            return None

    def title(self) -> str:
        """Return the title from the properties of a packed file, or an empty string."""
        meta = self.part("meta.xml")
        return title_of(meta) if meta is not None else ""


def _without_spans(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Editors cut a paragraph into spans at every change of look or session; their text alone is read."""

    def reduce(piece: bytes) -> bytes:
        cut = _SPAN.sub(b"", piece)
        return piece if _SPAN_BEGIN in cut else cut.replace(_SPAN_END, b"")

    return reduced(pieces, b"</text:p>", reduce)


def title_of(meta: Element) -> str:
    """Return the title among a document's properties, or an empty string."""
    return next((title.text or "" for title in meta.iter("title")), "")


def kind_of(content: bytes, hints: Hints) -> str:
    """Return which of the kinds a file is, empty for none: by its content, by its name where that says nothing."""
    if not content.startswith(SIGNATURE):
        found = _FLAT.search(content[:_HEAD])
        return found[1].decode() if found else ""
    found = _KIND.search(content[:_MIMETYPE_END])
    if found or b"content.xml" not in content:
        return found[1].decode() if found else ""
    try:
        mimetype = Package(content).read_optional("mimetype") or b""
    except IngestionFailed:
        mimetype = b""
    found = _KIND.match(mimetype)
    if found or mimetype:
        return found[1].decode() if found else ""
    return next((kind for kind in KINDS if hints.say(*_NAMES[kind], f"{MEDIA_TYPE}{kind}")), "")
