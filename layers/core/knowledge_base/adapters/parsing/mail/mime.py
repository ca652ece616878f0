"""The parts of a mail as places in its bytes: nothing is copied before it is read."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message
from email.parser import BytesHeaderParser

from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed

MAX_PARTS = 5_000
MAX_DEPTH = 30
_MAX_HEAD = 262_144
_END_OF_HEAD = re.compile(rb"\r?\n[ \t]*\r?\n|\r\r")
_BLANK_START = re.compile(rb"[ \t]*\r?\n")
_UNIX_FROM = re.compile(rb"(?:\xef\xbb\xbf)?[\r\n]*(?:>?From [^\n]*\n)?")
_UU_BEGIN = re.compile(rb"(?m)^begin [0-7]{3,4} [^\n]*\n")


@dataclass(slots=True)
class Budget:
    """How many more parts may be read of a mail, with the mails inside it."""

    parts: int = MAX_PARTS

    def take(self) -> None:
        """Count a part.

        Raises:
            IngestionFailed: there are too many.
        """
        self.parts -= 1
        if self.parts < 0:
            raise IngestionFailed(FailureCode.TOO_COMPLEX, "the mail has too many parts to be read")


@dataclass(slots=True)
class Part:
    """A mail or a part of one: its headers, and the bytes `[start, end)` of the whole that are its body."""

    head: Message
    whole: bytes
    start: int
    end: int
    depth: int = 0
    budget: Budget = field(default_factory=Budget)
    _inner: list[Part] | None = None

    @property
    def kind(self) -> str:
        """The content type."""
        return self.head.get_content_type()

    @property
    def is_multipart(self) -> bool:
        """Whether there are parts in it."""
        return self.head.get_content_maintype() == "multipart" and bool(self._boundary())

    def parts(self) -> list[Part]:
        """Return the parts of a multipart."""
        if self._inner is None:
            self._inner = [_read(self.whole, start, end, self) for start, end in self._places()]
        return self._inner

    def inner_mail(self) -> Part:
        """Return the mail that a part of type message/rfc822 holds."""
        encoding = self._encoding()
        if encoding in ("", "7bit", "8bit", "binary"):
            return _read(self.whole, self.start, self.end, self)
        content = self.content()
        return _read(content, 0, len(content), self)

    def content(self) -> bytes:
        """Return the bytes of a part, its transfer encoding undone."""
        encoding, raw = self._encoding(), self.whole[self.start : self.end]
        if encoding == "base64":
            return _from_base64(raw)
        if encoding == "quoted-printable":
            return binascii.a2b_qp(raw)
        return _from_uu(raw) if encoding in ("x-uuencode", "uuencode", "x-uue", "uue") else raw

    def _encoding(self) -> str:
        return str(self.head.get("Content-Transfer-Encoding", "")).strip().lower()

    def _boundary(self) -> str:
        return self.head.get_boundary("") or ""

    def _places(self) -> Iterator[tuple[int, int]]:
        boundary = re.escape(self._boundary().encode("ascii", "surrogateescape"))
        begin = -1
        for line in re.compile(rb"(?m)^--" + boundary + rb"(--)?[ \t]*\r?(?:\n|\Z)").finditer(
            self.whole, self.start, self.end
        ):
            if begin >= 0:
                yield begin, line.start()
            begin = line.end()
            if line[1]:
                return
        if 0 <= begin < self.end:
            yield begin, self.end


def parse_mail(content: bytes) -> Part:
    """Return a mail.

    Raises:
        IngestionFailed: its parts nest too deep, or are too many (also later, when they are asked for).
    """
    start = _UNIX_FROM.match(content)
    return _read(content, start.end() if start else 0, len(content), None)


def _read(whole: bytes, start: int, end: int, above: Part | None) -> Part:
    depth, budget = (above.depth + 1, above.budget) if above else (0, Budget())
    budget.take()
    if depth > MAX_DEPTH:
        raise IngestionFailed(FailureCode.TOO_COMPLEX, "the mail nests its parts too deep to be read")
    blank = _BLANK_START.match(whole, start, end)
    found = blank or _END_OF_HEAD.search(whole, start, min(end, start + _MAX_HEAD))
    stop = found.end() if found else min(end, start + _MAX_HEAD)
    head = b"" if blank else whole[start:stop]
    return Part(BytesHeaderParser().parsebytes(head), whole, stop, end, depth, budget)


def _from_base64(raw: bytes) -> bytes:
    for padding in (b"", b"=", b"=="):
        try:
            return binascii.a2b_base64(raw + padding)
        except binascii.Error:
            continue
    return b""


def _from_uu(raw: bytes) -> bytes:
    begin = _UU_BEGIN.search(raw)
    lines = raw[begin.end() if begin else 0 :].split(b"\n")
    decoded = []
    for line in lines:
        if line.strip() == b"end":
            break
        try:
            decoded.append(binascii.a2b_uu(line))
        except binascii.Error:
            continue
    return b"".join(decoded)
