"""A parsed document: one canonical text, and spans that say what its parts are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

FORM = 1
"""The version of the JSON form that `encode_parsed` writes."""


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
    form: int = FORM

    def spans_of(self, kind: SpanKind) -> Iterator[Span]:
        """Yield the spans of one kind, in order."""
        return (span for span in self.spans if span.kind is kind)


def encode_parsed(parsed: ParsedDocument) -> bytes:
    """Return the JSON form of a parsed document, in UTF-8; lone surrogates become question marks."""
    form = {
        "form": parsed.form,
        "text": parsed.text,
        "media_type": parsed.media_type,
        "title": parsed.title,
        "low_quality": parsed.low_quality,
        "spans": [[span.kind.value, span.start, span.end, span.number] for span in parsed.spans],
    }
    return json.dumps(form, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def decode_parsed(data: bytes) -> ParsedDocument:
    """Return the parsed document of a JSON form.

    Raises:
        ValueError: it is no such form, or one of another version.
    """
    form = json.loads(data)
    if not isinstance(form, dict) or form.get("form") != FORM:
        raise ValueError(f"not a parsed document of form {FORM}")
    try:
        return ParsedDocument(
            text=form["text"],
            media_type=form["media_type"],
            spans=tuple(Span(SpanKind(kind), start, end, number) for kind, start, end, number in form["spans"]),
            title=form["title"],
            low_quality=form["low_quality"],
        )
    except (KeyError, TypeError) as error:
        raise ValueError("a parsed document lacks a field") from error
