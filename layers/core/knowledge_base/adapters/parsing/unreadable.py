"""Files that are recognised but not supported: refused at once, in words that say what they are."""

from __future__ import annotations

import re
from collections.abc import Callable

from knowledge_base.adapters.parsing.archives import MAX_INFLATED, MAX_MEMBERS, swells
from knowledge_base.adapters.parsing.format import Format, Hints, encrypted, without_text
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument
from knowledge_base.settings import MEGABYTE

_Claim = Callable[[bytes, Hints], bool]

IMAGES = (
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",
    b"GIF87a",
    b"GIF89a",
    b"II*\x00",
    b"MM\x00*",
    b"BM",
    b"\x00\x00\x01\x00",
    b"8BPS\x00\x01",
    b"\x00\x00\x00\x0cjP  \r\n",
    b"\xff\x0a",
    b"gimp xcf",
    b"AT&TFORM",
    b"qoif",
)
"""How image files begin; `is_image` also knows those that name their kind later."""
_BOXED_IMAGES = (b"avif", b"heic", b"heix", b"hevc", b"mif1", b"msf1")
_SIGNATURES = {
    "an archive": (
        b"PK\x03\x04",
        b"PK\x05\x06",
        b"PK\x07\x08",
        b"\x1f\x8b\x08",
        b"7z\xbc\xaf\x27\x1c",
        b"Rar!\x1a",
        b"BZh",
        b"\xfd7zXZ",
        b"(\xb5/\xfd",
        b"!<arch>\n",
        b"MSCF\x00\x00\x00\x00",
        b"LZIP",
        b"ITSF",
    ),
    "an audio or video file": (
        b"ID3",
        b"OggS\x00",
        b"fLaC\x00",
        b"\x1aE\xdf\xa3",
        b"\x00\x00\x01\xba",
        b"\x00\x00\x01\xb3",
        b"FLV\x01",
        b"MThd\x00",
        b"0&\xb2u\x8ef\xcf\x11",
        b"\xff\xfb",
        b"\xff\xf3",
        b"\xff\xf1",
        b"#!AMR",
    ),
    "a program": (
        b"\x7fELF",
        b"MZ",
        b"\xca\xfe\xba\xbe",
        b"\xfe\xed\xfa\xce",
        b"\xfe\xed\xfa\xcf",
        b"\xce\xfa\xed\xfe",
        b"\xcf\xfa\xed\xfe",
        b"\x00asm",
        b"dex\n03",
        b"BC\xc0\xde",
    ),
    "a font": (b"\x00\x01\x00\x00\x00", b"OTTO\x00", b"ttcf\x00", b"wOFF", b"wOF2"),
    "a database": (b"SQLite format 3\x00", b"\x00\x01\x00\x00Standard ", b"PAR1", b"\x89HDF\r\n\x1a\n"),
    "a PostScript file": (b"%!PS", b"\xc5\xd0\xd3\xc6"),
    "a drawing": (b"AC10", b"\xd7\xcd\xc6\x9a\x00\x00"),
    "a stored object of a program": (b"\xac\xed\x00\x05", b"\x80\x04\x95", b"\x80\x05\x95", b"\x93NUMPY"),
}
_SHORT = 4
_TAR = 257
_RIFF = {b"WEBP": "an image", b"WAVE": "an audio or video file", b"AVI ": "an audio or video file"}
_PACKAGES = {
    "a binary Excel workbook": b"xl/workbook.bin",
    "an OpenDocument file": b"mimetypeapplication/vnd.oasis",
    "an Apple iWork document": b"Index/Document.iwa",
}
_ZIP, _ENTRY = b"PK\x03\x04", b"PK\x01\x02"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_SEALED = (b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03", b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x06")
"""The object identifiers of enveloped and encrypted data (PKCS #7, RFC 5652)."""
_SIGNED = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02"
_WORD_XML = re.compile(rb"mso-application\s+progid=.Word|<w:wordDocument|<pkg:package", re.I)


def is_image(content: bytes) -> bool:
    """Whether a file is an image: a picture of text is no text, unless text recognition reads it before."""
    if content[4:8] == b"ftyp" and content[8:12] in _BOXED_IMAGES:
        return True
    return _begins(content, IMAGES) or (content.startswith(b"RIFF") and content[8:12] == b"WEBP")


def _begins(content: bytes, signatures: tuple[bytes, ...]) -> bool:
    """Short signatures may begin a text too: they count only where control characters follow."""
    return any(
        content.startswith(signature) and (len(signature) > _SHORT or b"\x00" in content[:256])
        for signature in signatures
    )


def _refuse(what: str, claims: _Claim) -> Format:
    def read(_content: bytes, _hints: Hints) -> ParsedDocument:
        raise IngestionFailed(FailureCode.UNSUPPORTED, f"the file is {what}, which is not supported")

    return Format(what, claims, read)


def _fail(what: str, claims: _Claim, failure: Callable[[], IngestionFailed]) -> Format:
    def read(_content: bytes, _hints: Hints) -> ParsedDocument:
        raise failure()

    return Format(what, claims, read)


def _signed(signatures: tuple[bytes, ...]) -> _Claim:
    return lambda content, _hints: _begins(content, signatures)


def _packaged(member: bytes) -> _Claim:
    return lambda content, _hints: content.startswith(_ZIP) and member in content


def _is_video(content: bytes, _hints: Hints) -> bool:
    return content[4:8] == b"ftyp" or (content.startswith(b"RIFF") and content[8:12] in _RIFF)


def _is_message(content: bytes, *identifiers: bytes) -> bool:
    return content[:1] == b"\x30" and any(identifier in content[:64] for identifier in identifiers)


FORMATS: tuple[Format, ...] = (
    _fail(
        "an encrypted Office file",
        lambda content, _hints: content.startswith(_OLE) and _ENCRYPTED_PACKAGE in content,
        lambda: encrypted("the Office file"),
    ),
    _fail("a sealed message", lambda content, _hints: _is_message(content, *_SEALED), lambda: encrypted("the message")),
    _refuse("a signed message", lambda content, _hints: _is_message(content, _SIGNED)),
    _refuse("an old Office file (such as .doc or .xls)", lambda content, _hints: content.startswith(_OLE)),
    _refuse("a Word file in XML form", lambda content, _hints: bool(_WORD_XML.search(content[:4096]))),
    *(_refuse(what, _packaged(member)) for what, member in _PACKAGES.items()),
    _fail(
        "an image",
        lambda content, _hints: is_image(content),
        lambda: without_text("the file is an image: there is no text in it that can be read without recognition"),
    ),
    _refuse("an audio or video file", _is_video),
    _fail(
        "a swelling archive",
        lambda content, _hints: content.startswith(_ZIP) and content.count(_ENTRY) <= MAX_MEMBERS and swells(content),
        lambda: IngestionFailed(
            FailureCode.TOO_COMPLEX, f"the archive unpacks to more than {MAX_INFLATED // MEGABYTE} MB"
        ),
    ),
    _refuse("an archive", lambda content, _hints: content[_TAR : _TAR + 5] == b"ustar"),
    *(_refuse(what, _signed(signatures)) for what, signatures in _SIGNATURES.items()),
)
