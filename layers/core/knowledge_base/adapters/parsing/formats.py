"""The registry of formats: the first one that claims a file reads it."""

from __future__ import annotations

from knowledge_base.adapters.parsing import (
    delimited,
    doc,
    doc_xml,
    docx,
    epub,
    html,
    json_text,
    mail,
    markdown,
    odt,
    pdf,
    plain_text,
    pptx,
    rtf,
    source_code,
    unreadable,
    xlsx,
)
from knowledge_base.adapters.parsing.format import Format

FORMATS: tuple[Format, ...] = (
    pdf.FORMAT,
    pptx.FORMAT,
    xlsx.FORMAT,
    epub.FORMAT,
    odt.FORMAT,
    docx.FORMAT,
    doc.FORMAT,
    rtf.FORMAT,
    html.FORMAT,
    mail.FORMAT,
    doc_xml.FORMAT,
    *unreadable.FORMATS,
    json_text.FORMAT,
    delimited.FORMAT,
    markdown.FORMAT,
    source_code.FORMAT,
    plain_text.FORMAT,
)
"""Formats told by their content come first, texts told by their name next, and text of any name last."""
