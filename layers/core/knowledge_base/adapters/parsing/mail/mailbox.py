"""Mailboxes: files in which mails follow each other, each after a line that begins with `From `."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge_base.adapters.parsing.canonical_text import TextBuilder, clean
from knowledge_base.adapters.parsing.delimited.rows import MAX_NAMED_TEXT
from knowledge_base.adapters.parsing.encodings.decoding import find_encoding
from knowledge_base.adapters.parsing.mail.mime import Part, parse_mail

_MAX_MAILS = 10_000
_BEGIN = re.compile(rb"(?m)^From \S[^\n]*\d{4}[^\n]*\r?\n(?=[!-9;-~]{1,60}:)")
_QUOTED_FROM = re.compile(rb"(?m)^>(>*From )")


def messages_of(content: bytes, out: TextBuilder, *, is_box: bool) -> Iterator[Part]:
    """Yield the mails of a file; what comes after the first thousands is appended to `out` as it is."""
    places = [match.start() for match in _BEGIN.finditer(content)] if is_box or content.startswith(b"From ") else []
    if len(places) < 2:
        yield parse_mail(content)
        return
    places.append(len(content))
    for count, start in enumerate(places[:-1]):
        if count >= _MAX_MAILS or out.length > MAX_NAMED_TEXT:
            _write_as_written(out, content[start:])
            return
        yield parse_mail(_QUOTED_FROM.sub(rb"\1", content[start : places[count + 1]]))


def _write_as_written(out: TextBuilder, content: bytes) -> None:
    found = find_encoding(content)
    for place, piece in enumerate(map(clean, found.pieces())) if found else ():
        out.add(piece) if place else out.add_block(piece)
