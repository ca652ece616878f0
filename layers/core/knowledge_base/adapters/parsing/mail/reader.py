"""Mail and saved web archives: who wrote what to whom and when, the text, and what is attached."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge_base.adapters.parsing.canonical_text import TextBuilder, clean
from knowledge_base.adapters.parsing.delimited.rows import check_length
from knowledge_base.adapters.parsing.encodings.decoding import EncodedText
from knowledge_base.adapters.parsing.epub.xhtml import write_xhtml
from knowledge_base.adapters.parsing.format import Format, Hints, encrypted, without_text
from knowledge_base.adapters.parsing.mail.attached import write_file
from knowledge_base.adapters.parsing.mail.letterhead import write_letterhead
from knowledge_base.adapters.parsing.mail.mailbox import messages_of
from knowledge_base.adapters.parsing.mail.mime import Part, parse_mail
from knowledge_base.adapters.parsing.mail.parts import (
    MAIL,
    alternative_of,
    attachments_of,
    bodies_of,
    header_text,
    is_encrypted,
    is_flowed,
    is_mail,
    name_of,
    text_of,
)
from knowledge_base.adapters.parsing.source_code import language_of
from knowledge_base.domain.parsed import ParsedDocument

MAX_DEPTH = 3
"""Mails inside of mails whose text is read."""
_SHOWN = ("From", "To", "Cc", "Date")
_HEADER = re.compile(rb"([!-9;-~]{1,60}):(?:[ \t]|\r?$)")
_SURE = frozenset((b"mime-version", b"received", b"return-path", b"message-id", b"delivered-to", b"dkim-signature"))
_USUAL = frozenset((b"from", b"to", b"subject", b"date", b"content-type"))
_NAMED = ("eml", "mht", "mhtml", "mbox", MAIL, "multipart/related", "application/mbox")
_HEAD = 16_384
_FLOWED = re.compile(r"(?<!^--) \n(?![>\s])", re.M)
_FLOWED_AT_MOST = 5_000_000
_POOR = 300
_RICHER = 4


class _Reader:
    """Writes the text of a mail; mails inside it are written by readers one level deeper."""

    def __init__(self, out: TextBuilder, depth: int = 0) -> None:
        self._out = out
        self._depth = depth

    def write(self, mail: Part) -> None:
        fields = {name: header_text(mail.head, name) for name in _SHOWN}
        write_letterhead(self._out, header_text(mail.head, "Subject"), fields, self._depth)
        bodies = bodies_of(mail)
        if not (self._depth or bodies) and is_encrypted(mail):
            raise encrypted("the mail")
        for body in bodies:
            self._write_body(_fuller(mail, body) if len(bodies) == 1 else body)
        for part in attachments_of(mail):
            self._write_attachment(part)

    def _write_body(self, part: Part) -> None:
        found = text_of(part)
        if found is None:
            return
        if part.kind == "text/html":
            write_xhtml(self._out, found.pieces())
        else:
            _write_plain(self._out, found, flowed=is_flowed(part))
        check_length(self._out)

    def _write_attachment(self, part: Part) -> None:
        name = name_of(part)
        if name:
            self._out.add_block(f"Attachment: {name}")
        if self._depth >= MAX_DEPTH:
            return
        if is_mail(part):
            self._write_inner_mail(part.inner_mail())
        elif name:
            content = part.content()
            if claims(content, Hints(name)):
                self._write_inner_mail(parse_mail(content))
            else:
                write_file(self._out, content, name, besides=FORMAT)

    def _write_inner_mail(self, mail: Part) -> None:
        _Reader(self._out, self._depth + 1).write(mail)


def _fuller(mail: Part, body: Part) -> Part:
    """Return the HTML form of a body whose plain form is but a stopgap (`your program shows no HTML`)."""
    if body.kind != "text/plain" or body.end - body.start > _POOR:
        return body
    rich = alternative_of(mail, body)
    if rich is None:
        return body
    shown, found = TextBuilder(), text_of(rich)
    write_xhtml(shown, found.pieces() if found else ())
    return rich if shown.length > _RICHER * (body.end - body.start) else body


def _write_plain(out: TextBuilder, found: EncodedText, *, flowed: bool) -> None:
    pieces: Iterator[str] = map(clean, found.pieces())
    if len(found.content) <= _FLOWED_AT_MOST:
        text = "".join(pieces).strip("\n").rstrip()
        pieces = iter([_FLOWED.sub(" ", text) if flowed else text])
    first = next(pieces, "").lstrip("\n")
    if first:
        out.add_block(first)
    for piece in pieces:
        out.add(piece)


def _read(content: bytes, hints: Hints) -> ParsedDocument:
    out, title = TextBuilder(), ""
    for count, mail in enumerate(messages_of(content, out, is_box=hints.say("mbox", "application/mbox"))):
        _Reader(out).write(mail)
        title = title if count else header_text(mail.head, "Subject")
    if not out.length:
        raise without_text("the mail has no text")
    return ParsedDocument(out.text(), MAIL, out.spans(), title)


def claims(content: bytes, hints: Hints) -> bool:
    """Whether a file is a mail: it begins with headers; without the name of one, some that only mail programs write."""
    if language_of(hints):
        return False
    names = set(_header_names(content[:_HEAD]))
    return bool(names & _USUAL) and (bool(names & _SURE) or (hints.say(*_NAMED) and len(names) > 1))


def _header_names(head: bytes) -> list[bytes]:
    lines = (
        head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n").replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    )
    names: list[bytes] = []
    for line in lines[1:] if lines[0].startswith(b"From ") else lines:
        match = _HEADER.match(line)
        if match:
            names.append(match[1].lower())
        elif not (names and line[:1] in (b" ", b"\t")):
            break
    return names


FORMAT = Format("a mail", claims, _read, ("email.parser", "email.header", "selectolax.lexbor"))
