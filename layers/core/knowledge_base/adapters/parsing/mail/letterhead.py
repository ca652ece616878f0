"""How the headers of a mail stand above its text."""

from __future__ import annotations

from collections.abc import Mapping

from knowledge_base.adapters.parsing.canonical_text import TextBuilder
from knowledge_base.domain.parsed import SpanKind


def write_letterhead(out: TextBuilder, subject: str, fields: Mapping[str, str], depth: int) -> None:
    """Append a subject, which is a heading, and other headers that are not empty, each on a line."""
    lines = [f"{name}: {text}" for name, text in fields.items() if text]
    if subject:
        out.add_block("Subject: ")
        start = out.length
        out.add(subject)
        out.mark(SpanKind.HEADING, start, depth + 1)
        out.add("".join(f"\n{line}" for line in lines))
    elif lines:
        out.add_block("\n".join(lines))
