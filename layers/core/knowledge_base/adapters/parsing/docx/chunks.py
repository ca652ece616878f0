"""Parts of a DOCX file in another format (`altChunk`), which stand for their content."""

from __future__ import annotations

from knowledge_base.adapters.parsing import plain_text
from knowledge_base.adapters.parsing.format import Format, Hints
from knowledge_base.adapters.parsing.html import reader as html
from knowledge_base.adapters.parsing.mail import reader as mail
from knowledge_base.adapters.parsing.rtf import reader as rtf
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument

_FORMATS = (rtf.FORMAT, mail.FORMAT, html.FORMAT, plain_text.FORMAT)


def read_chunk(name: str, data: bytes, docx: Format) -> ParsedDocument | None:
    """Return the content of a part that is a file of its own, or None where it cannot be read.

    Raises:
        IngestionFailed: it is too complex.
    """
    hints = Hints(name)
    try:
        chosen = next(format_ for format_ in (docx, *_FORMATS) if format_.claims(data, hints))
        return chosen.read(data, hints)
    except IngestionFailed as failure:
        if failure.code is FailureCode.TOO_COMPLEX:
            raise
        return None
