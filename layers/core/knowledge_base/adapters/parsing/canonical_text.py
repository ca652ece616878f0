"""The canonical text of a document: clean characters, and a builder that keeps spans exact."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from knowledge_base.domain.parsed import Span, SpanKind

_NEWLINES = re.compile("\r\n|[\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")
_UNWANTED = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")


def clean(text: str) -> str:
    """Return text with `\\n` newlines and without control characters, lone surrogates and noncharacters."""
    return _UNWANTED.sub("", _NEWLINES.sub("\n", text))


@dataclass(slots=True)
class TextBuilder:
    """Grows a canonical text piece by piece and notes where the parts are."""

    _pieces: list[str] = field(default_factory=list)
    _spans: list[Span] = field(default_factory=list)
    _length: int = 0

    @property
    def length(self) -> int:
        """How many characters there are so far."""
        return self._length

    def add(self, text: str) -> None:
        """Append text that is already clean."""
        self._pieces.append(text)
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
        return "".join(self._pieces)

    def spans(self) -> tuple[Span, ...]:
        """The spans so far, in order of their start, outer ones first."""
        return tuple(sorted(self._spans, key=lambda span: (span.start, -span.end)))
