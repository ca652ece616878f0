"""A page of a PDF file: what is read of it."""

from __future__ import annotations

from dataclasses import dataclass

from knowledge_base.adapters.parsing.pdf.characters import count_unreadable, count_visible, looks_garbled
from knowledge_base.adapters.parsing.pdf.lines import Line, plain_lines
from knowledge_base.adapters.parsing.pdf.tables import Table


@dataclass(frozen=True, slots=True)
class Page:
    """The parts of a page in reading order, and what is written beside them.

    `visible` and `unreadable` count the characters of its raw text. `is_garbled` says that no reader made
    language of it, `is_incomplete` that some of what is drawn seems to lack in the text; a blank page has no
    pictures either. The text of a doubtful one was made out of a picture that is hard to read.
    """

    parts: tuple[Line | Table, ...] = ()
    notes: tuple[str, ...] = ()
    visible: int = 0
    unreadable: int = 0
    is_garbled: bool = False
    is_incomplete: bool = False
    is_blank: bool = False
    is_doubtful: bool = False

    @property
    def has_text(self) -> bool:
        """Whether anything on it can be read."""
        return bool(self.visible or self.notes) and not self.is_garbled


def plain_page(raw: str) -> Page:
    """Return a page of which only the text is known."""
    visible = count_visible(raw)
    return Page(
        tuple(plain_lines(raw)),
        visible=visible,
        unreadable=count_unreadable(raw),
        is_garbled=looks_garbled(raw),
        is_blank=not visible,
    )
