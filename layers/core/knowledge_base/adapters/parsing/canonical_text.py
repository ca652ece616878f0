"""The canonical text of a document: clean characters, and a builder that keeps spans exact."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from io import StringIO

from knowledge_base.domain.parsed import Span, SpanKind

_NEWLINES = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""What ends a line; `str.splitlines` knows the same."""
_UNWANTED = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")
_WANTED = re.compile("[\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*")
_IN_ASCII = {
    **dict.fromkeys([*range(0x09), *range(0x0E, 0x1C), 0x1F, 0x7F]),
    **dict.fromkeys([0x0B, 0x0C, 0x0D, 0x1C, 0x1D, 0x1E], "\n"),
}


def clean(text: str) -> str:
    """Return text with `\\n` newlines and without control characters, lone surrogates and noncharacters."""
    if text.isprintable():
        return text
    if text.isascii():
        return text.replace("\r\n", "\n").translate(_IN_ASCII)
    lines = text.splitlines()
    if text[-1] in _NEWLINES:
        lines.append("")
    plain = "\n".join(lines)
    # One match of wanted characters is several times as fast as a search for an unwanted one.
    return plain if _WANTED.fullmatch(plain) else _UNWANTED.sub("", plain)


def first_heading(text: str, spans: Iterable[Span]) -> str:
    """Return the words of the first heading, which do for a title; empty without one."""
    return next((text[span.start : span.end] for span in spans if span.kind is SpanKind.HEADING), "")


@dataclass(slots=True)
class TextBuilder:
    """Grows a canonical text piece by piece and notes where the parts are.

    The text grows in one buffer: millions of pieces take no more memory than their characters.
    """

    _buffer: StringIO = field(default_factory=lambda: StringIO(newline=""))
    _spans: list[Span] = field(default_factory=list)
    _length: int = 0

    @property
    def length(self) -> int:
        """How many characters there are so far."""
        return self._length

    def add(self, text: str) -> None:
        """Append text that is already clean."""
        self._buffer.write(text)
        self._length += len(text)

    def add_block(self, text: str, kind: SpanKind | None = None, number: int = 0) -> None:
        """Append a paragraph of its own, divided from what was there by a blank line; mark it as `kind`."""
        if self._length:
            self.add("\n\n")
        start = self._length
        self.add(text)
        if kind:
            self.mark(kind, start, number)

    def mark(self, kind: SpanKind, start: int, number: int = 0) -> None:
        """Note that everything from `start` on is of one kind."""
        self._spans.append(Span(kind, start, self._length, number))

    def text(self) -> str:
        """The text so far."""
        return self._buffer.getvalue()

    def spans(self) -> tuple[Span, ...]:
        """The spans so far, in order of their start, outer ones first."""
        return tuple(sorted(self._spans, key=lambda span: (span.start, -span.end)))
