"""PDF: the text of every page by PDFium; a page that looks garbled is read by pypdf once more."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

from knowledge_base.adapters.parsing.canonical_text import TextBuilder, clean
from knowledge_base.adapters.parsing.format import Format, Hints, corrupt, encrypted, without_text
from knowledge_base.adapters.parsing.pdf.accents import attach_accents
from knowledge_base.adapters.parsing.pdf.characters import looks_garbled, unreadable_share
from knowledge_base.adapters.parsing.pdf.headings import find_levels, level_of
from knowledge_base.adapters.parsing.pdf.lines import Line, Paragraph, join_lines, plain_lines, read_lines
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

if TYPE_CHECKING:
    from pypdf import PdfReader

MEDIA_TYPE = "application/pdf"
MAX_PAGES = 20_000
HOPELESS = 0.3
"""Share of unreadable characters from which a document counts as one without text."""

_PROGRAM = re.compile(r"^Microsoft (?:Word|PowerPoint|Excel) - ")
_NO_TITLES = ("", "untitled", "(anonymous)", "unspecified", "untitled document")
_WRONG_PASSWORD = 4
_FORM_FIELD, _FREE_TEXT = 20, 3


@dataclass(frozen=True, slots=True)
class Page:
    """A page's raw text, and whether no reader made language of it; a blank page has no pictures either."""

    raw: str
    lines: tuple[Line, ...] = ()
    is_garbled: bool = False
    is_blank: bool = False


class SecondReader:
    """pypdf, opened on first use: slower, but it reads fonts and damaged files that PDFium does not."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._reader: PdfReader | None = None
        self._failed = False

    @property
    def reader(self) -> PdfReader | None:
        """The opened file, or None where pypdf cannot open it."""
        if self._reader is None and not self._failed:
            self._reader = self._open()
            self._failed = self._reader is None
        return self._reader

    def page_text(self, index: int) -> str:
        """Return a page's text, empty where it cannot be read."""
        try:
            return self.reader.pages[index].extract_text() if self.reader else ""
        except Exception:  # noqa: BLE001 - pypdf fails on damaged pages in many ways
            return ""

    def count_pages(self) -> int:
        """Return the number of pages, 0 where it cannot be told."""
        return _count(self.reader) if self.reader else 0

    def is_sound(self) -> bool:
        """Whether the file keeps to the rules of its format."""
        reader = self._open(strict=True)
        return reader is not None and _count(reader) > 0

    def _open(self, *, strict: bool = False) -> PdfReader | None:
        from pypdf import PasswordType, PdfReader

        logging.getLogger("pypdf").setLevel(logging.CRITICAL)
        try:
            reader = PdfReader(BytesIO(self._content), strict=strict)
            if reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED:
                return None
        except Exception:  # noqa: BLE001 - as above
            return None
        return reader


def _count(reader: PdfReader) -> int:
    try:
        return len(reader.pages)
    except Exception:  # noqa: BLE001 - pypdf fails on damaged files in many ways
        return 0


def _read(content: bytes, _hints: Hints) -> ParsedDocument:
    second = SecondReader(content)
    document = _open(content)
    try:
        pages = list(_read_pages(document, second))
        title = _title(document)
    finally:
        if document is not None:
            document.close()
    _check(pages, second)
    return _compose(pages, title)


def _open(content: bytes) -> Any | None:
    """Open with PDFium and without a password; None where the file is too damaged for it."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(content)
        if document.get_formtype() == pypdfium2.raw.FORMTYPE_ACRO_FORM:
            document.init_forms()
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", 0) == _WRONG_PASSWORD or "password" in str(error).lower():
            raise encrypted("the PDF file") from error
        return None
    return document


def _read_pages(document: Any | None, second: SecondReader) -> Iterator[Page]:
    count = len(document) if document is not None else 0
    for index in range(min(count or second.count_pages(), MAX_PAGES)):
        page = _read_page(document, index) if document is not None else None
        yield page if page and not page.is_garbled else _better(page, second.page_text(index))


def _better(page: Page | None, other: str) -> Page:
    """Choose between a page that PDFium could not make sense of and what the second reader says."""
    if other.strip() and not looks_garbled(other):
        return Page(other, tuple(plain_lines(other)))
    if page:
        return page
    return Page(other, tuple(plain_lines(other)), is_garbled=bool(other.strip()), is_blank=not other.strip())


def _read_page(document: Any, index: int) -> Page | None:
    """Return PDFium's text of a page, None where it cannot load the page."""
    import pypdfium2
    import pypdfium2.raw as pdfium

    try:
        page = _with_form_texts(document, index)
        textpage = page.get_textpage()
        raw: str = textpage.get_text_range()
        lines = _lines(textpage, raw)
        is_blank = not pdfium.FPDFPage_CountObjects(page)
        textpage.close()
        page.close()
    except (pypdfium2.PdfiumError, UnicodeDecodeError, ValueError):
        return None
    return Page(raw, tuple(lines), looks_garbled(raw), is_blank)


def _lines(textpage: Any, raw: str) -> list[Line]:
    """Where PDFium counts characters otherwise than Python, their places are of no use."""
    if len(raw) != textpage.count_chars():
        return plain_lines(raw)
    characters = list(raw)
    attach_accents(characters, textpage)
    return read_lines(textpage, characters)


def _with_form_texts(document: Any, index: int) -> Any:
    """Load a page; what is filled into its forms, or written onto it as a note, becomes part of its text."""
    import pypdfium2.raw as pdfium

    page = document[index]
    if not any(
        _annotation_type(page, place) in (_FORM_FIELD, _FREE_TEXT)
        for place in range(pdfium.FPDFPage_GetAnnotCount(page))
    ):
        return page
    if pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY) != pdfium.FLATTEN_SUCCESS:
        return page
    page.close()
    return document[index]


def _annotation_type(page: Any, place: int) -> int:
    import pypdfium2.raw as pdfium

    annotation = pdfium.FPDFPage_GetAnnot(page, place)
    kind: int = pdfium.FPDFAnnot_GetSubtype(annotation)
    pdfium.FPDFPage_CloseAnnot(annotation)
    return kind


def _title(document: Any | None) -> str:
    title = clean(document.get_metadata_value("Title") or "").strip() if document is not None else ""
    title = _PROGRAM.sub("", title)
    return "" if title.lower() in _NO_TITLES or looks_garbled(title) else title


def _check(pages: list[Page], second: SecondReader) -> None:
    """Tell damage from scans: both give no text, but a scan is a sound file with pictures."""
    raw = "".join(page.raw for page in pages)
    if not raw.strip():
        if all(page.is_blank for page in pages) and not second.is_sound():
            raise corrupt("no page of it can be read")
        raise without_text("the pages hold no text; they are empty, or scanned images")
    if all(page.is_garbled for page in pages if page.raw.strip()) and unreadable_share(raw) > HOPELESS:
        raise without_text("the text cannot be read: the fonts of the file do not say which characters they show")


def _compose(pages: list[Page], title: str) -> ParsedDocument:
    out = TextBuilder()
    paragraphs = [join_lines(page.lines) for page in pages]
    levels = find_levels(paragraph for page in paragraphs for paragraph in page)
    for number, page in enumerate(paragraphs, start=1):
        if page and out.length:
            out.add("\n\n")
        start = out.length
        _write_paragraphs(page, levels, out)
        out.mark(SpanKind.PAGE, start, number)
    is_garbled = any(page.is_garbled for page in pages)
    return ParsedDocument(out.text(), MEDIA_TYPE, out.spans(), title, low_quality=is_garbled)


def _write_paragraphs(paragraphs: list[Paragraph], levels: dict[float, int], out: TextBuilder) -> None:
    for place, paragraph in enumerate(paragraphs):
        if place:
            out.add("\n\n" if paragraph.is_apart else "\n")
        start = out.length
        out.add(clean(paragraph.text))
        level = level_of(paragraph, levels)
        if level:
            out.mark(SpanKind.HEADING, start, level)


def _claims(content: bytes, _hints: Hints) -> bool:
    """PDF readers take a header anywhere in the first kilobyte; a text about PDF has no objects."""
    head = content[:1024]
    if head.lstrip(b"\xef\xbb\xbf\x00 \t\r\n").startswith(b"%PDF-"):
        return True
    return b"%PDF-" in head and b" obj" in content and b"endobj" in content


FORMAT = Format("a PDF file", _claims, _read, ("pypdfium2", "pypdf"))
