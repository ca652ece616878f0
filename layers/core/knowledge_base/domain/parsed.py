"""A parsed document: one canonical text, and spans that say what its parts are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class SpanKind(StrEnum):
    """What a span of the canonical text is."""

    PAGE = "page"
    HEADING = "heading"
    TABLE = "table"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `[start, end)` of the canonical text.

    `number` is the page's number from 1, or the heading's level from 1.
    """

    kind: SpanKind
    start: int
    end: int
    number: int = 0


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """The canonical text that chunks and citations point into, by character offsets.

    Spans are in order of `start`. `low_quality` says that some of the text may be garbled.
    """

    text: str
    media_type: str
    spans: tuple[Span, ...] = ()
    title: str = ""
    low_quality: bool = False
    form: int = 1

    def spans_of(self, kind: SpanKind) -> Iterator[Span]:
        """Yield the spans of one kind, in order."""
        return (span for span in self.spans if span.kind is kind)
