"""Files that are recognised but not supported: refused at once, in words that say what they are."""

from __future__ import annotations

import re
from collections.abc import Callable

from knowledge_base.adapters.parsing.format import Format, Hints, encrypted
from knowledge_base.adapters.parsing.source_code import language_of
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument

_SIGNATURES = {
    "an RTF file": (rb"{\rt",),
    "an archive": (
        b"PK\x03\x04",
        b"PK\x05\x06",
        b"\x1f\x8b",
        b"7z\xbc\xaf\x27\x1c",
        b"Rar!\x1a",
        b"BZh",
        b"\xfd7zXZ",
        b"(\xb5/\xfd",
    ),
    "an image": (b"\x89PNG", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"II*\x00", b"MM\x00*", b"BM", b"\x00\x00\x01\x00"),
    "an audio or video file": (b"ID3", b"OggS\x00", b"fLaC\x00", b"\x1aE\xdf\xa3", b"\x00\x00\x01\xba"),
    "a program": (b"\x7fELF", b"MZ", b"\xca\xfe\xba\xbe", b"\x00asm"),
    "a database": (b"SQLite format 3\x00",),
    "a PostScript file": (b"%!PS",),
}
_SHORT = 3
_PACKAGES = {
    "an Excel workbook": b"xl/workbook",
    "a PowerPoint presentation": b"ppt/presentation",
    "an EPUB book": b"mimetypeapplication/epub",
    "an OpenDocument file": b"mimetypeapplication/vnd.oasis",
}
_ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:(?><\?xml[^>]*>|<!--.*?-->)\s*+)*+<(?:!doctype\s+html|html)[\s>]", re.I | re.S
)
_WORD_XML = re.compile(rb"mso-application\s+progid=.Word|<w:wordDocument|<pkg:package", re.I)
_MAIL = re.compile(rb"(?:MIME-Version|Received|Return-Path): ", re.I)


def _refuse(what: str) -> Format:
    def read(_content: bytes, _hints: Hints) -> ParsedDocument:
        raise IngestionFailed(FailureCode.UNSUPPORTED, f"the file is {what}, which is not supported")

    return Format(what, lambda _content, _hints: False, read)


def _refusal(what: str, claims: Callable[[bytes, Hints], bool]) -> Format:
    return Format(what, claims, _refuse(what).read)


def _signed(*signatures: bytes) -> Callable[[bytes, Hints], bool]:
    """Short signatures may begin a text too: they count only where control characters follow."""
    return lambda content, _hints: any(
        content.startswith(signature) and (len(signature) > _SHORT or b"\x00" in content[:256])
        for signature in signatures
    )


def _packaged(member: bytes) -> Callable[[bytes, Hints], bool]:
    return lambda content, _hints: content.startswith(_ZIP) and member in content


def _is_html(content: bytes, hints: Hints) -> bool:
    if language_of(hints):
        return False
    head = content[:4096].replace(b"\x00", b"").lstrip(b"\xff\xfe")
    return bool(_HTML.match(head)) or hints.say("html", "htm", "xhtml", "text/html")


def _is_mail(content: bytes, hints: Hints) -> bool:
    return bool(_MAIL.match(content)) and hints.say("eml", "mht", "mhtml", "doc", "message/rfc822")


def _is_encrypted_office(content: bytes, _hints: Hints) -> bool:
    return content.startswith(_OLE) and _ENCRYPTED_PACKAGE in content


def _read_encrypted_office(_content: bytes, _hints: Hints) -> ParsedDocument:
    raise encrypted("the Office file")


FORMATS: tuple[Format, ...] = (
    Format("an encrypted Office file", _is_encrypted_office, _read_encrypted_office),
    _refusal("an old Office file (such as .doc or .xls)", lambda content, _hints: content.startswith(_OLE)),
    _refusal("a Word file in XML form", lambda content, _hints: bool(_WORD_XML.search(content[:4096]))),
    _refusal("an HTML page", _is_html),
    _refusal("a mail or web archive", _is_mail),
    *(_refusal(what, _packaged(member)) for what, member in _PACKAGES.items()),
    *(_refusal(what, _signed(*signatures)) for what, signatures in _SIGNATURES.items()),
)
