"""Pages without text, which a recogniser may read."""

from __future__ import annotations

from dataclasses import replace

from knowledge_base.adapters.parsing.ocr.picture import BoundedRecognizer, Recognizer, too_many_pictures
from knowledge_base.adapters.parsing.pdf.document import PdfiumDocument
from knowledge_base.adapters.parsing.pdf.page import Page, plain_page
from knowledge_base.adapters.parsing.pdf.page_reading import draw_page


class Scans:
    """Reads the scanned pages of a file."""

    def __init__(self, document: PdfiumDocument, recognizer: Recognizer) -> None:
        self._document = document
        self._recognizer = BoundedRecognizer(recognizer)

    def read(self, page: Page, index: int) -> Page:
        """Return a page with the text that its picture shows, as it is where that is none.

        Raises:
            IngestionFailed: no time is left for it, and it has no text otherwise.
        """
        picture = draw_page(self._document, index) if not self._recognizer.problem else None
        if picture is None:
            return page
        found = self._recognizer.recognize(picture)
        if found is None and not page.is_garbled:
            raise too_many_pictures()
        if found is None or not found.text:
            return page
        return replace(plain_page(found.text), notes=page.notes, is_garbled=False, is_doubtful=not found.is_sure)
