"""Long PDF files: read to their end, in bounded memory, page by page."""

from __future__ import annotations

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.adapters.parsing.pdf import document, reading
from knowledge_base.adapters.parsing.sandbox import progress
from knowledge_base.adapters.parsing.sandbox.parser import SandboxedDocumentParser
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import SpanKind
from knowledge_base.settings import MEGABYTE
from tests.unit.parsing.files import PROSE, a_pdf
from tests.unit.parsing.memory import PeakMemory
from tests.unit.parsing.pdf_files import with_content

PAGES = 5_000
LINES = b" ".join(b"0 -13 Td (%s) Tj" % PROSE[start : start + 60].encode() for start in range(40))


def a_long_pdf() -> bytes:
    return with_content(*(b"BT /F 10 Tf 72 780 Td (Page %d of all) Tj %s ET" % (n, LINES) for n in range(1, PAGES + 1)))


@pytest.mark.timeout(300)
def test_five_thousand_pages_are_read_to_the_last_in_bounded_memory() -> None:
    sandbox = SandboxedDocumentParser()
    with PeakMemory() as peak:
        parsed = sandbox.parse(a_long_pdf(), name="a.pdf")
    sandbox.close()
    pages = list(parsed.spans_of(SpanKind.PAGE))
    assert [page.number for page in pages] == list(range(1, PAGES + 1))
    assert PROSE[39:99] in parsed.text[pages[-1].start : pages[-1].end]
    assert peak.bytes < 400 * MEGABYTE


def test_file_is_opened_anew_for_each_range_of_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[bytes] = []
    original = document._open
    monkeypatch.setattr(document, "PAGES_AT_ONCE", 4)
    monkeypatch.setattr(document, "_open", lambda content: opened.append(content) or original(content))  # type: ignore[func-returns-value]
    parsed = LibraryDocumentParser().parse(a_pdf(*(f"Words of page {n}" for n in range(10))), name="a.pdf")
    assert len(opened) == 3
    assert all(f"Words of page {n}" in parsed.text for n in range(10))


def test_every_page_read_earns_time(monkeypatch: pytest.MonkeyPatch) -> None:
    earned: list[float] = []
    monkeypatch.setattr(progress, "earn", earned.append)
    LibraryDocumentParser().parse(a_pdf("One", "Two", "Three"), name="a.pdf")
    assert earned == [reading.PAGE_SECONDS] * 3


def test_file_with_more_pages_than_are_read_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_PAGES", 2)
    with pytest.raises(IngestionFailed, match="more than 2 pages") as caught:
        LibraryDocumentParser().parse(a_pdf("One", "Two", "Three"), name="a.pdf")
    assert caught.value.code is FailureCode.TOO_LARGE
