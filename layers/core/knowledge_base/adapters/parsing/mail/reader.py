"""Mail and saved web archives: who wrote what to whom and when, the text, and what is attached."""

from __future__ import annotations

import re
from email.message import Message
from email.parser import BytesParser

from knowledge_base.adapters.parsing.canonical_text import TextBuilder
from knowledge_base.adapters.parsing.delimited.rows import check_length
from knowledge_base.adapters.parsing.epub.xhtml import write_xhtml
from knowledge_base.adapters.parsing.format import Format, Hints, without_text
from knowledge_base.adapters.parsing.joined_documents import append_document
from knowledge_base.adapters.parsing.mail.parts import (
    attachments_of,
    bodies_of,
    header_text,
    name_of,
    payload_of,
    text_of,
)
from knowledge_base.adapters.parsing.source_code import language_of
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

MEDIA_TYPE = "message/rfc822"
MAX_DEPTH = 3
_SHOWN = ("From", "To", "Cc", "Date")
_HEADER = re.compile(rb"([!-9;-~]{1,60}):(?:[ \t]|\r?$)")
_SURE = frozenset((b"mime-version", b"received", b"return-path", b"message-id", b"delivered-to", b"dkim-signature"))
_USUAL = frozenset((b"from", b"to", b"subject", b"date", b"content-type"))
_MAIL = ("eml", "mht", "mhtml", "message/rfc822", "multipart/related")
_HEAD = 16_384


class _Reader:
    """Writes the text of a mail; mails inside it are written by readers one level deeper."""

    def __init__(self, out: TextBuilder, depth: int = 0) -> None:
        self._out = out
        self._depth = depth

    def write(self, message: Message) -> None:
        self._write_headers(message)
        for body in bodies_of(message):
            self._write_body(body)
        for part in attachments_of(message):
            self._write_attachment(part)

    def _write_headers(self, message: Message) -> None:
        subject = header_text(message, "Subject")
        lines = [f"{name}: {text}" for name in _SHOWN if (text := header_text(message, name))]
        if subject:
            self._out.add_block("Subject: ")
            start = self._out.length
            self._out.add(subject)
            self._out.mark(SpanKind.HEADING, start, self._depth + 1)
            self._out.add("".join(f"\n{line}" for line in lines))
        elif lines:
            self._out.add_block("\n".join(lines))

    def _write_body(self, part: Message) -> None:
        text = text_of(part)
        if part.get_content_subtype() == "html":
            write_xhtml(self._out, text)
        elif text.strip():
            self._out.add_block(text.strip("\n").rstrip())
        check_length(self._out)

    def _write_attachment(self, part: Message) -> None:
        if part.get_content_type() == MEDIA_TYPE:
            inner = part.get_payload()
            if isinstance(inner, list) and inner and isinstance(inner[0], Message):
                self._write_inner_mail(inner[0], name_of(part))
        elif name := name_of(part):
            self._out.add_block(f"Attachment: {name}")
            if self._depth < MAX_DEPTH:
                self._write_file(payload_of(part), name)

    def _write_file(self, content: bytes, name: str) -> None:
        """Write what another format reads in a file; one that cannot be read leaves nothing but its name."""
        hints = Hints(name)
        if _claims(content, hints):
            self._write_inner_mail(_parse(content), "")
            return
        try:
            parsed = _read_with_other_formats(content, name)
        except IngestionFailed:
            return
        append_document(self._out, parsed.text, parsed.spans)
        check_length(self._out)

    def _write_inner_mail(self, message: Message, name: str) -> None:
        if name:
            self._out.add_block(f"Attachment: {name}")
        if self._depth < MAX_DEPTH:
            _Reader(self._out, self._depth + 1).write(message)


def _read_with_other_formats(content: bytes, name: str) -> ParsedDocument:
    from knowledge_base.adapters.parsing.formats import FORMATS
    from knowledge_base.adapters.parsing.library import LibraryDocumentParser

    return LibraryDocumentParser(tuple(other for other in FORMATS if other is not FORMAT)).parse(content, name=name)


def _parse(content: bytes) -> Message:
    return BytesParser().parsebytes(content)


def _read(content: bytes, _hints: Hints) -> ParsedDocument:
    message, out = _parse(content), TextBuilder()
    _Reader(out).write(message)
    if not out.length:
        raise without_text("the mail has no text")
    return ParsedDocument(out.text(), MEDIA_TYPE, out.spans(), header_text(message, "Subject"))


def _claims(content: bytes, hints: Hints) -> bool:
    """A mail begins with headers; without the name of a mail, some that only mail programs write."""
    if language_of(hints):
        return False
    names = set(_header_names(content[:_HEAD]))
    return bool(names & _USUAL) and (bool(names & _SURE) or (hints.say(*_MAIL) and len(names) > 1))


def _header_names(head: bytes) -> list[bytes]:
    lines = head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n").split(b"\n")
    names: list[bytes] = []
    for line in lines[1:] if lines[0].startswith(b"From ") else lines:
        match = _HEADER.match(line)
        if match:
            names.append(match[1].lower())
        elif not (names and line[:1] in (b" ", b"\t")):
            break
    return names


FORMAT = Format("a mail", _claims, _read, ("email.parser", "email.header", "selectolax.lexbor"))
