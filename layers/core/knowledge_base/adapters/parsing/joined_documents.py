"""Documents inside documents: their text and spans become part of the outer ones."""

from __future__ import annotations

from collections.abc import Iterable

from knowledge_base.adapters.parsing.canonical_text import TextBuilder
from knowledge_base.domain.parsed import Span, SpanKind


def append_document(out: TextBuilder, text: str, spans: Iterable[Span]) -> None:
    """Append a document after a blank line, with its spans; its pages are not those of the outer one."""
    out.add_block("")
    shift, done = out.length, 0
    for span in sorted(spans, key=lambda span: span.end):
        if span.kind is not SpanKind.PAGE:
            out.add(text[done : span.end])
            done = span.end
            out.mark(span.kind, span.start + shift, span.number)
    out.add(text[done:].rstrip())
