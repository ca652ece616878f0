"""Mails as Outlook stores them (.msg): an OLE container with a stream for each property (MS-OXMSG)."""

from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

from knowledge_base.adapters.parsing.canonical_text import TextBuilder, clean
from knowledge_base.adapters.parsing.delimited.rows import check_length
from knowledge_base.adapters.parsing.encodings.declared import encodings_of_page
from knowledge_base.adapters.parsing.encodings.decoding import decode, find_encoding
from knowledge_base.adapters.parsing.epub.xhtml import write_xhtml
from knowledge_base.adapters.parsing.format import Format, Hints, corrupt, encrypted, without_text
from knowledge_base.adapters.parsing.mail.attached import write_file
from knowledge_base.adapters.parsing.mail.compressed_rtf import decompress
from knowledge_base.adapters.parsing.mail.letterhead import write_letterhead
from knowledge_base.adapters.parsing.mail.reader import MAX_DEPTH
from knowledge_base.domain.parsed import ParsedDocument

MEDIA_TYPE = "application/vnd.ms-outlook"
_SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PROPERTIES = "__properties_version1.0"
_MARK = _PROPERTIES.encode("utf-16-le")
_SUBJECT, _CLASS, _BODY, _HTML, _RTF = 0x0037, 0x001A, 0x1000, 0x1013, 0x1009
_SENDER, _SENDER_ADDRESS, _SENDER_SMTP, _TO, _CC = 0x0C1A, 0x0C1F, 0x5D01, 0x0E04, 0x0E03
_SUBMITTED, _DELIVERED, _CODEPAGE, _INTERNET_CODEPAGE = 0x0039, 0x0E06, 0x3FFD, 0x3FDE
_LONG_NAME, _NAME, _DATA = 0x3707, 0x3704, 0x3701
_UNICODE, _BYTES, _BINARY, _STORAGE, _TIME, _LONG = 0x001F, 0x001E, 0x0102, 0x000D, 0x0040, 0x0003
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_SEALED = "IPM.NOTE.SMIME"
_SEALED_PARTS = (".pgp-encrypted", ".p7m")
_MAX_ATTACHED = 300


class _Message:
    """A message in a container, by the path of its folder; its properties by their numbers."""

    def __init__(self, container: Any, path: str = "") -> None:
        self._container = container
        self.path = path
        self._fixed = self._read_fixed()

    def text(self, number: int) -> str:
        """Return a property of characters on one line or more, decoded; empty if it is not there."""
        wide = self._stream(number, _UNICODE)
        if wide:
            return clean(wide.decode("utf-16-le", "replace"))
        narrow = self._stream(number, _BYTES)
        decoded = decode(narrow, [self._encoding()]) if narrow else None
        return clean(decoded.text) if decoded else ""

    def line(self, number: int) -> str:
        return " ".join(self.text(number).split())

    def binary(self, number: int) -> bytes:
        return self._stream(number, _BINARY)

    def time(self, number: int) -> str:
        """Return a time in the form of mail headers."""
        value = self._fixed.get(number << 16 | _TIME)
        if not value or value >= 1 << 62:
            return ""
        return (_EPOCH + timedelta(microseconds=value // 10)).strftime("%a, %d %b %Y %H:%M:%S +0000")

    def attachments(self) -> list[_Message]:
        """Return the folders of what is attached."""
        prefix = [part for part in self.path.split("/") if part]
        found = dict.fromkeys(
            "/".join(entry[: len(prefix) + 1])
            for entry in self._container.listdir()
            if entry[: len(prefix)] == prefix and len(entry) > len(prefix) and entry[len(prefix)].startswith("__attach")
        )
        return [_Message(self._container, path) for path in list(found)[:_MAX_ATTACHED]]

    def inner(self) -> _Message | None:
        """Return the message that an attachment is, if it is one."""
        path = f"{self.path}/{_name_of(_DATA, _STORAGE)}"
        return _Message(self._container, path) if self._container.exists(f"{path}/{_PROPERTIES}") else None

    def _encoding(self) -> str:
        codepage = self._fixed.get(_CODEPAGE << 16 | _LONG) or self._fixed.get(_INTERNET_CODEPAGE << 16 | _LONG) or 0
        return "utf-8" if codepage == 65001 else f"cp{codepage & 0xFFFF}"

    def _stream(self, number: int, kind: int) -> bytes:
        return self._read(_name_of(number, kind))

    def _read(self, name: str) -> bytes:
        path = f"{self.path}/{name}" if self.path else name
        return bytes(self._container.openstream(path).read()) if self._container.exists(path) else b""

    def _read_fixed(self) -> dict[int, int]:
        """Return the properties of fixed size by tag; what heads them depends on what has them (MS-OXMSG 2.4.1)."""
        head = 32 if not self.path else 24 if self.path.endswith(_name_of(_DATA, _STORAGE)) else 8
        data = self._read(_PROPERTIES)[head:]
        entries = struct.iter_unpack("<IIQ", data[: len(data) // 16 * 16])
        return {tag: value & (0xFFFFFFFF if tag & 0xFFFF == _LONG else (1 << 64) - 1) for tag, _flags, value in entries}


def _name_of(number: int, kind: int) -> str:
    return f"__substg1.0_{number:04X}{kind:04X}"


def _write(out: TextBuilder, message: _Message, depth: int) -> None:
    fields = {
        "From": _sender(message),
        "To": message.line(_TO),
        "Cc": message.line(_CC),
        "Date": message.time(_SUBMITTED) or message.time(_DELIVERED),
    }
    write_letterhead(out, message.line(_SUBJECT), fields, depth)
    _write_body(out, message)
    check_length(out)
    for attached in message.attachments():
        name = attached.line(_LONG_NAME) or attached.line(_NAME)
        if name:
            out.add_block(f"Attachment: {name}")
        inner = attached.inner()
        if inner is not None and depth < MAX_DEPTH:
            _write(out, inner, depth + 1)
        elif name and depth < MAX_DEPTH:
            write_file(out, attached.binary(_DATA), name, besides=FORMAT)


def _sender(message: _Message) -> str:
    name, address = message.line(_SENDER), message.line(_SENDER_SMTP) or message.line(_SENDER_ADDRESS)
    return f"{name} <{address}>" if name and "@" in address and name != address else name or address


def _write_body(out: TextBuilder, message: _Message) -> None:
    plain = message.text(_BODY).strip()
    if any(map(str.isalnum, plain)):
        out.add_block(plain)
        return
    page = message.binary(_HTML) or message.text(_HTML).encode()
    found = find_encoding(page, encodings_of_page(page)) if page else None
    if found:
        write_xhtml(out, found.pieces())
    elif rich := decompress(message.binary(_RTF)):
        write_file(out, rich, "body.rtf", besides=FORMAT)


def _read(content: bytes, _hints: Hints) -> ParsedDocument:
    import olefile  # type: ignore[import-untyped]

    try:
        container = olefile.OleFileIO(BytesIO(content))
    except (OSError, ValueError, IndexError, TypeError, AttributeError) as error:
        raise corrupt("its container cannot be opened") from error
    with container:
        message, out = _Message(container), TextBuilder()
        if _is_encrypted(message):
            raise encrypted("the mail")
        _write(out, message, 0)
        if not out.length:
            raise without_text("the mail has no text")
        return ParsedDocument(out.text(), MEDIA_TYPE, out.spans(), message.line(_SUBJECT))


def _is_encrypted(message: _Message) -> bool:
    if any(map(str.isalnum, message.text(_BODY))) or message.binary(_HTML):
        return False
    names = [attached.line(_LONG_NAME) for attached in message.attachments()]
    return message.line(_CLASS).upper() == _SEALED or any(name.endswith(_SEALED_PARTS) for name in names)


FORMAT = Format(
    "an Outlook mail",
    lambda content, _hints: content.startswith(_SIGNATURE) and _MARK in content,
    _read,
    ("olefile",),
)
