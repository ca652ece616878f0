"""What a reader is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Protocol

PAGE_END, PAGES = "\f", "\x1c"


class Structured(Protocol):
    """A text with spans that say where its pages and headings are, and of which level from 1."""

    text: str
    spans: tuple[Any, ...]


class Paged(NamedTuple):
    """A text whose pages are given apart."""

    text: str
    pages: list[str]


Read = Callable[[Path, bytes], str | Paged | Structured]
"""Takes a file's path and its bytes, and returns its text; `PAGE_END` stands where a page ends."""
OURS, OURS_IN_SANDBOX = "ours", "ours, in its sandbox"
ANY = ""


def written(found: str | Paged | Structured) -> str:
    """Return what a reader has found as Markdown, in which all are compared; pages given apart follow `PAGES`."""
    if isinstance(found, str):
        return found
    if isinstance(found, Paged):
        return f"{found.text}{PAGES}{PAGE_END.join(found.pages)}"
    marks = [
        (span.start, f"{'#' * span.number} " if span.kind == "heading" else f"{PAGE_END}\n")
        for span in found.spans
        if span.kind == "heading" or (span.kind == "page" and span.start)
    ]
    edges = sorted({0, len(found.text), *(start for start, _mark in marks)})
    at: dict[int, str] = {}
    for start, mark in sorted(marks):
        at[start] = at.get(start, "") + mark
    return "".join(at.get(start, "") + found.text[start:end] for start, end in pairwise(edges))


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader by name, what makes it, and the endings of the files that it reads; `ANY` reads them all."""

    name: str
    make: Callable[[], Read]
    endings: str = ANY

    @property
    def is_ours(self) -> bool:
        """Whether it is the product's own."""
        return self.name in (OURS, OURS_IN_SANDBOX)

    def reads(self, path: Path) -> bool:
        """Whether it reads files with such an ending."""
        return not self.endings or path.suffix[1:].lower() in self.endings.split()
