"""The registry of formats: the first one that claims a file reads it."""

from __future__ import annotations

from knowledge_base.adapters.parsing import docx, markdown, pdf, plain_text, source_code, unreadable
from knowledge_base.adapters.parsing.format import Format

FORMATS: tuple[Format, ...] = (
    pdf.FORMAT,
    docx.FORMAT,
    *unreadable.FORMATS,
    markdown.FORMAT,
    source_code.FORMAT,
    plain_text.FORMAT,
)
"""Formats told by their content come first, texts told by their name next, and text of any name last."""
