"""PDF: the text of every page by PDFium; a page that looks garbled is read by pypdf once more."""

from __future__ import annotations

from functools import partial

from knowledge_base.adapters.parsing.format import Format, Hints
from knowledge_base.adapters.parsing.ocr.picture import NoRecognizer, Recognizer
from knowledge_base.domain.parsed import ParsedDocument

_LIBRARIES = ("pypdfium2", "pypdf", "knowledge_base.adapters.parsing.pdf.reading")


def make_format(recognizer: Recognizer) -> Format:
    """Return the format of PDF files; pages without text are given to a recogniser."""
    return Format("a PDF file", _claims, partial(_read, recognizer=recognizer), _LIBRARIES)


def _read(content: bytes, _hints: Hints, *, recognizer: Recognizer) -> ParsedDocument:
    from knowledge_base.adapters.parsing.pdf.reading import read_pdf

    return read_pdf(content, recognizer)


def _claims(content: bytes, hints: Hints) -> bool:
    """PDF readers take a header anywhere in the first kilobyte; a text about PDF has no objects."""
    head = content[:1024]
    if head.lstrip(b"\xef\xbb\xbf\x00 \t\r\n").startswith(b"%PDF-"):
        return True
    has_objects = b" obj" in content and b"endobj" in content
    return has_objects and (b"%PDF-" in head or (hints.say("pdf", "application/pdf") and b"%%EOF" in content[-1024:]))


FORMAT = make_format(NoRecognizer())
