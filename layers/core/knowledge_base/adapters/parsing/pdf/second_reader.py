"""pypdf: slower than PDFium, but it reads fonts and damaged files that PDFium does not."""

from __future__ import annotations

import logging
import time
from collections import Counter
from io import BytesIO
from typing import TYPE_CHECKING

from knowledge_base.adapters.parsing.pdf.characters import count_visible, looks_garbled
from knowledge_base.adapters.parsing.pdf.page import Page

if TYPE_CHECKING:
    from pypdf import PdfReader

MAX_SECONDS = 10.0
"""How long it may read for pages that PDFium has read badly; a whole file of them would take minutes."""
MAX_FAILURES = 3
"""After so many pages in a row that it reads no better, it is not asked about another."""
LONGER = 1.3
"""How many times longer its text must be, where PDFium's may lack a part."""
MOST_LACKING, LEAST_LETTERS = 0.1, 0.6


class SecondReader:
    """A PDF file as pypdf reads it, opened on first use."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._reader: PdfReader | None = None
        self._is_opened = False
        self._seconds = 0.0
        self._failures = 0

    def page_text(self, index: int) -> str:
        """Return a page's text, empty where it cannot be read."""
        reader = self._opened()
        try:
            return reader.pages[index].extract_text() if reader else ""
        except Exception:  # noqa: BLE001 - pypdf fails on damaged pages in many ways
            return ""

    def text_in_time(self, index: int) -> str:
        """Return a page's text, empty where it cannot be read, or no time is left for such pages."""
        if self._seconds > MAX_SECONDS:
            return ""
        began = time.monotonic()
        text = self.page_text(index)
        self._seconds += time.monotonic() - began
        return text

    def better_text(self, index: int, page: Page) -> str:
        """Return the text of a page that PDFium reads badly, empty where pypdf does no better, or has no time left."""
        text = self.text_in_time(index) if self._failures < MAX_FAILURES else ""
        is_better = bool(text.strip()) and not looks_garbled(text) and (page.is_garbled or _holds(text, page))
        self._failures = 0 if is_better else self._failures + 1
        return text if is_better else ""

    def count_pages(self) -> int:
        """Return the number of pages, 0 where it cannot be told."""
        return _count(self._opened())

    def is_sound(self) -> bool:
        """Whether the file keeps to the rules of its format."""
        return _count(_open(self._content, strict=True)) > 0

    def _opened(self) -> PdfReader | None:
        if not self._is_opened:
            self._reader = _open(self._content)
            self._is_opened = True
        return self._reader


def _holds(text: str, page: Page) -> bool:
    """Whether a text has more words than a page, nearly all of its letters, and is words for the most part."""
    own = " ".join(part.text for part in page.parts)
    letters = Counter(own)
    lacking = (letters - Counter(text)).total()
    visible = count_visible(text)
    return (
        _length_of_words(text) > LONGER * _length_of_words(own)
        and lacking <= MOST_LACKING * letters.total() + 1
        and sum(map(str.isalpha, text)) > LEAST_LETTERS * visible
    )


def _length_of_words(text: str) -> int:
    """Return how long all words are, each counted once: some programs draw a word several times."""
    return sum(map(len, set(text.split())))


def _open(content: bytes, *, strict: bool = False) -> PdfReader | None:
    from pypdf import PasswordType, PdfReader

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(BytesIO(content), strict=strict)
        if reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED:
            return None
    except Exception:  # noqa: BLE001 - pypdf fails on damaged files in many ways
        return None
    return reader


def _count(reader: PdfReader | None) -> int:
    try:
        return len(reader.pages) if reader else 0
    except Exception:  # noqa: BLE001 - as above
        return 0
