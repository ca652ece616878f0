"""A PDF file as PDFium reads it, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from knowledge_base.adapters.parsing.canonical_text import clean
from knowledge_base.adapters.parsing.format import encrypted
from knowledge_base.adapters.parsing.pdf.characters import looks_garbled

PAGES_AT_ONCE = 250
"""PDFium keeps what it has read of a file until it is closed: so it is opened anew for each range of pages."""

_WRONG_PASSWORD = 4


class PdfiumDocument:
    """An open PDF file; `page_count` is 0 where it is too damaged for PDFium.

    Raises:
        IngestionFailed: it opens with a password only.
    """

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._document: Any = _open(content)
        self._pages_read = 0
        self.page_count = len(self._document) if self._document else 0

    @property
    def title(self) -> str:
        """The title that the file gives itself; empty where it has none."""
        title = clean(self._document.get_metadata_value("Title") or "").strip() if self._document else ""
        return "" if looks_garbled(title) else title

    @contextmanager
    def page(self, index: int) -> Iterator[Any]:
        """Load a page for as long as the context lasts.

        Raises:
            PdfiumError: it cannot be loaded.
        """
        if self._pages_read >= PAGES_AT_ONCE:
            self.close()
            self._document = _open(self._content)
            self._pages_read = 0
        self._pages_read += 1
        page = self._document[index]
        try:
            yield page
        finally:
            page.close()

    def close(self) -> None:
        """Let go of the file and of what PDFium has kept of it."""
        if self._document:
            self._document.close()


def _open(content: bytes) -> Any | None:
    """Open a file without a password; None where it is too damaged."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(content)
        if document.get_formtype() != pypdfium2.raw.FORMTYPE_NONE:
            document.init_forms()
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", 0) == _WRONG_PASSWORD or "password" in str(error).lower():
            raise encrypted("the PDF file") from error
        return None
    return document
