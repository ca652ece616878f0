"""Which part of a document's text is read: by offsets or by pages, and never more than is good for a model."""

from __future__ import annotations

from dataclasses import dataclass

from knowledge_base_client import ParsedText, Span

MOST_CHARACTERS = 20_000


class NoSuchPart(Exception):
    """What is asked for is not in the document; the text says what is."""


@dataclass(frozen=True, slots=True)
class Part:
    """Characters `start` to before `end`, and where to read on."""

    start: int
    end: int
    next_start: int | None


def by_offsets(parsed: ParsedText, start: int, length: int) -> Part:
    """Return the part that begins at an offset.

    Raises:
        NoSuchPart: the text ends before it.
    """
    if start and start >= len(parsed.text):
        raise NoSuchPart(f"the text has {len(parsed.text)} characters; start must be below that")
    return _bounded(parsed, start, min(start + length, len(parsed.text)))


def by_pages(parsed: ParsedText, first: int, last: int) -> Part:
    """Return the part that two pages and those between them make.

    Raises:
        NoSuchPart: there are no pages, or not these.
    """
    pages = parsed.pages()
    if not pages:
        raise NoSuchPart("the document has no pages: read it by start and length")
    wanted = [page for page in pages if first <= page.number <= last]
    if not wanted:
        raise NoSuchPart(f"the document has pages {pages[0].number} to {pages[-1].number}")
    return _bounded(parsed, wanted[0].start, wanted[-1].end)


def pages_of(parsed: ParsedText, part: Part) -> list[Span]:
    """Return the pages that a part touches."""
    return [page for page in parsed.pages() if page.start < part.end and part.start < page.end]


def _bounded(parsed: ParsedText, start: int, end: int) -> Part:
    end = min(end, start + MOST_CHARACTERS)
    return Part(start, end, end if end < len(parsed.text) else None)
