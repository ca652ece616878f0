"""Reading a whole PDF file, page by page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from knowledge_base.adapters.parsing.format import corrupt, without_text
from knowledge_base.adapters.parsing.ocr.picture import Recognizer
from knowledge_base.adapters.parsing.pdf.composing import Composer
from knowledge_base.adapters.parsing.pdf.document import PdfiumDocument
from knowledge_base.adapters.parsing.pdf.page import Page, plain_page
from knowledge_base.adapters.parsing.pdf.page_reading import read_page
from knowledge_base.adapters.parsing.pdf.running_lines import drop_running_lines
from knowledge_base.adapters.parsing.pdf.scans import Scans
from knowledge_base.adapters.parsing.pdf.second_reader import SecondReader
from knowledge_base.adapters.parsing.sandbox import progress
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument

MEDIA_TYPE = "application/pdf"
MAX_PAGES = 10_000
PAGE_SECONDS = 0.02
"""How long a page may well take; a file whose pages take 0.12 s each still ends within 30 s."""
HOPELESS = 0.3
"""Share of unreadable characters from which a document counts as one without text."""

_PROGRAM = re.compile(r"^Microsoft (?:Word|PowerPoint|Excel) - ")
_NO_TITLES = ("", "untitled", "(anonymous)", "unspecified", "untitled document")


def read_pdf(content: bytes, recognizer: Recognizer) -> ParsedDocument:
    """Return the text of a PDF file; pages without any are given to a recogniser.

    Raises:
        IngestionFailed: it is encrypted or damaged, has too many pages, or no text that can be read.
    """
    second = SecondReader(content)
    with closing(PdfiumDocument(content)) as document:
        state = _State()
        composer = Composer()
        scans = Scans(document, recognizer)
        for page in drop_running_lines(state.watch(_read_pages(document, second, scans))):
            composer.add(page)
        title = _title(document)
    state.check(second, recognizer)
    return ParsedDocument(composer.text(), MEDIA_TYPE, composer.spans(), title, low_quality=state.is_low_quality)


def _read_pages(document: PdfiumDocument, second: SecondReader, scans: Scans) -> Iterator[Page]:
    count = document.page_count or second.count_pages()
    if count > MAX_PAGES:
        raise IngestionFailed(FailureCode.TOO_LARGE, f"the file has more than {MAX_PAGES:,} pages")
    for index in range(count):
        page = _read_page(document, second, index)
        if not page.has_text and not page.is_blank:
            page = scans.read(page, index)
        progress.earn(PAGE_SECONDS)
        yield page


def _read_page(document: PdfiumDocument, second: SecondReader, index: int) -> Page:
    page = read_page(document, index, partial(second.text_in_time, index)) if document.page_count else None
    if page is None:
        return plain_page(second.page_text(index))
    better = second.better_text(index, page) if page.is_garbled or page.is_incomplete else ""
    return plain_page(better) if better else page


@dataclass(slots=True)
class _State:
    """What is known of a file's pages so far, so that damage, scans and unreadable fonts can be told apart."""

    visible: int = 0
    unreadable: int = 0
    with_text: int = 0
    garbled: int = 0
    are_blank: bool = True
    is_low_quality: bool = False

    def watch(self, pages: Iterable[Page]) -> Iterator[Page]:
        """Pass pages on."""
        for page in pages:
            self.visible += page.visible
            self.unreadable += page.unreadable
            self.with_text += bool(page.visible or page.notes)
            self.garbled += page.is_garbled
            self.is_low_quality = self.is_low_quality or page.is_garbled or page.is_doubtful
            self.are_blank = self.are_blank and page.is_blank
            yield page

    def check(self, second: SecondReader, recognizer: Recognizer) -> None:
        """Tell damage from scans: both give no text, but a scan is a sound file with pictures.

        Raises:
            IngestionFailed: nothing was read that anybody could read.
        """
        if not self.with_text:
            if self.are_blank and not second.is_sound():
                raise corrupt("no page of it can be read")
            problem = f", and {recognizer.problem}" if recognizer.problem else " in which none can be made out"
            raise without_text(f"the pages hold no text; they are empty, or scanned images{problem}")
        if self.garbled == self.with_text and self.unreadable > HOPELESS * self.visible:
            raise without_text("the text cannot be read: the fonts of the file do not say which characters they show")


def _title(document: PdfiumDocument) -> str:
    title = _PROGRAM.sub("", document.title)
    return "" if title.lower() in _NO_TITLES else title
