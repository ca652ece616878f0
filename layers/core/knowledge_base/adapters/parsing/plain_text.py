"""Plain text of any encoding, and whatever else turns out to be text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from knowledge_base.adapters.parsing.canonical_text import clean
from knowledge_base.adapters.parsing.encodings.declared import encodings_of_page, encodings_of_type
from knowledge_base.adapters.parsing.encodings.decoding import Decoded, EncodedText, find_encoding
from knowledge_base.adapters.parsing.entities import check_entities
from knowledge_base.adapters.parsing.format import Format, Hints, corrupt, encrypted
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument

BINARY_KINDS = ("pdf", "application/pdf", "docx", "doc", "application/msword")
_ARMOR = b"-----BEGIN PGP MESSAGE-----"
_MEDIA_TYPES = {
    "application/xml": "xml xsd xsl xslt rss atom opml svg plist wsdl kml gpx docbook fb2 xmp application/xml text/xml",
    "application/yaml": "yaml yml application/yaml text/yaml application/x-yaml",
    "application/toml": "toml application/toml",
    "text/x-java-properties": "properties",
    "text/calendar": "ics text/calendar",
    "text/vcard": "vcf text/vcard",
    "text/x-diff": "diff patch text/x-diff",
    "text/x-log": "log",
    "text/x-ini": "ini cfg conf editorconfig",
}
_BY_NAME = {name: media_type for media_type, names in _MEDIA_TYPES.items() for name in names.split()}
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml\b")
_OVERSTRUCK = re.compile(".\b")
_TERMINAL = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\))")
_ESCAPED = re.compile(r"(?<!\\)((?:\\\\)*)((?:\\u[0-9a-fA-F]{4})+)")
_FOLD = re.compile(r"\n[ \t]")


def find_text(content: bytes, hints: Hints, claims: Sequence[str] = ()) -> EncodedText:
    """Return a text file with its encoding; what the sender declares counts before the claims of the text itself.

    Raises:
        IngestionFailed: the bytes are no text.
    """
    found = find_encoding(content, [*encodings_of_type(hints.declared_type), *claims])
    if found:
        return found
    if hints.say(*BINARY_KINDS) or hints.kind.startswith("application/vnd.openxmlformats"):
        raise corrupt("its content is not what its name says, and not text either")
    raise IngestionFailed(FailureCode.UNSUPPORTED, "files of this kind are not supported")


def decode_text(
    content: bytes, hints: Hints, claims: Sequence[str] = (), *, prepare: Callable[[str], str] = clean
) -> Decoded:
    """Return the clean characters of a text file (see `find_text`); `prepare` is done piece by piece."""
    found = find_text(content, hints, claims)
    return Decoded("".join(map(prepare, found.pieces())), found.encoding, found.exact)


def _read(content: bytes, hints: Hints) -> ParsedDocument:
    if content.lstrip().startswith(_ARMOR):
        raise encrypted("the text")
    media_type = _media_type(content, hints)
    if is_xml := media_type == "application/xml":
        check_entities(content)
    claims = encodings_of_page(content) if is_xml else ()
    decoded = decode_text(content, hints, claims, prepare=_PREPARE.get(media_type, _prepare))
    return ParsedDocument(decoded.text, media_type, low_quality=not decoded.exact)


def _media_type(content: bytes, hints: Hints) -> str:
    named = _BY_NAME.get(hints.extension) or _BY_NAME.get(hints.kind)
    return named or ("application/xml" if _XML.match(content[:100]) else "text/plain")


def _prepare(text: str) -> str:
    """Clean a text, also of what terminals and printers make bold or coloured by."""
    if "\x1b" in text:
        text = _TERMINAL.sub("", text)
    return clean(_OVERSTRUCK.sub("", text) if "\b" in text else text)


def _unescape(text: str) -> str:
    """Write the characters that properties of Java name by their numbers."""
    return clean(_ESCAPED.sub(_characters, text))


def _characters(match: re.Match[str]) -> str:
    units = b"".join(int(number, 16).to_bytes(2, "big") for number in match[2].split("\\u")[1:])
    return match[1] + units.decode("utf-16-be", "replace")


def _unfold(text: str) -> str:
    """Join the lines that calendars and address cards break after 75 bytes."""
    return clean(_FOLD.sub("", text))


_PREPARE = {"text/x-java-properties": _unescape, "text/calendar": _unfold, "text/vcard": _unfold}

FORMAT = Format("text", lambda _content, _hints: True, _read, ("knowledge_base.adapters.parsing.encodings.legacy",))
