"""The text of a page in XML form that is all content: chapters of books, bodies of mails."""

from __future__ import annotations

import re
from collections.abc import Iterable

from knowledge_base.adapters.parsing.canonical_text import TextBuilder
from knowledge_base.adapters.parsing.html.machinery import without_inline_elements
from knowledge_base.adapters.parsing.html.writing import write_whole_page

_CLOSED_AT_ONCE = re.compile(
    r"<((?!(?:br|hr|img|input|col|meta|link|wbr|area|base)\b)[a-zA-Z][\w:-]*)(?=[\s/])([^<>]*)/>"
)
"""XML may close any element at once; HTML takes `<title/>` for the start of one that never ends."""


def write_xhtml(out: TextBuilder, page: Iterable[str]) -> None:
    """Append the text of a page, which comes in pieces: headings, paragraphs, lists and tables in their order.

    Raises:
        IngestionFailed: it would take unbounded time or memory.
    """
    write_whole_page(out, (_as_html(piece) for piece in page))


def _as_html(piece: str) -> str:
    return without_inline_elements(_CLOSED_AT_ONCE.sub(r"<\1\2></\1>", piece))
