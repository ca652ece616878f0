"""The registry of formats: the first one that claims a file reads it."""

from __future__ import annotations

from knowledge_base.adapters.parsing import (
    json_text,
    light_markup,
    markdown,
    notebook,
    plain_text,
    source_code,
    subtitles,
    unreadable,
)
from knowledge_base.adapters.parsing.delimited import reader as delimited
from knowledge_base.adapters.parsing.doc import reader as doc
from knowledge_base.adapters.parsing.doc import xml as doc_xml
from knowledge_base.adapters.parsing.docx import reader as docx
from knowledge_base.adapters.parsing.epub import reader as epub
from knowledge_base.adapters.parsing.format import Format
from knowledge_base.adapters.parsing.html import reader as html
from knowledge_base.adapters.parsing.mail import outlook
from knowledge_base.adapters.parsing.mail import reader as mail
from knowledge_base.adapters.parsing.odt import reader as odt
from knowledge_base.adapters.parsing.pdf import reader as pdf
from knowledge_base.adapters.parsing.ppt import reader as ppt
from knowledge_base.adapters.parsing.pptx import reader as pptx
from knowledge_base.adapters.parsing.rtf import reader as rtf
from knowledge_base.adapters.parsing.xls import reader as xls
from knowledge_base.adapters.parsing.xls import xml as xls_xml
from knowledge_base.adapters.parsing.xlsx import reader as xlsx

FORMATS: tuple[Format, ...] = (
    source_code.PLAIN_FORMAT,
    pdf.FORMAT,
    outlook.FORMAT,
    pptx.FORMAT,
    xlsx.FORMAT,
    epub.FORMAT,
    odt.FORMAT,
    docx.FORMAT,
    doc.FORMAT,
    xls.FORMAT,
    ppt.FORMAT,
    rtf.FORMAT,
    html.FORMAT,
    mail.FORMAT,
    doc_xml.FORMAT,
    xls_xml.FORMAT,
    *unreadable.FORMATS,
    notebook.FORMAT,
    json_text.FORMAT,
    subtitles.FORMAT,
    delimited.FORMAT,
    markdown.FORMAT,
    light_markup.FORMAT,
    source_code.FORMAT,
    plain_text.FORMAT,
)
"""Formats told by their content come first, texts told by their name next, and text of any name last."""
