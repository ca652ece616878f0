"""The canonical text of a document: clean characters, and a builder that keeps spans exact."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from io import StringIO

from knowledge_base.domain.parsed import Span, SpanKind

_RARE_NEWLINE = re.compile("[\v\f\x1c-\x1e\x85\u2028\u2029]")
_UNWANTED = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")


def clean(text: str) -> str:
    """Return text with `\\n` newlines and without control characters, lone surrogates and noncharacters."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _RARE_NEWLINE.search(text):
        text = _RARE_NEWLINE.sub("\n", text)
    return _UNWANTED.sub("", text) if _UNWANTED.search(text) else text


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
