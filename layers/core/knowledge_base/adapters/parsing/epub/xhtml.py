"""The text of a page that is all content: chapters of books, bodies of mails."""

from __future__ import annotations

import re

from knowledge_base.adapters.parsing.canonical_text import TextBuilder
from knowledge_base.adapters.parsing.doc.blocks import write_document
from knowledge_base.adapters.parsing.html.walk import Walk
from knowledge_base.adapters.parsing.joined_documents import append_document

_CLOSED_AT_ONCE = re.compile(
    r"<((?!(?:br|hr|img|input|col|meta|link|wbr|area|base)\b)[a-zA-Z][\w:-]*)(?=[\s/])([^<>]*)/>"
)
"""XML may close any element at once; HTML takes `<title/>` for the start of one that never ends."""
_UNSEEN = frozenset(("head", "script", "style", "template", "rt", "rp", "svg", "noscript", "title"))


def write_xhtml(out: TextBuilder, page: str) -> None:
    """Append the text of a page: headings, paragraphs, lists and tables in the order of the page."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(_CLOSED_AT_ONCE.sub(r"<\1\2></\1>", page.replace("\x00", "")))
    root = tree.body or tree.root
    blocks = Walk(lambda node: node.tag in _UNSEEN).blocks_of(root) if root is not None else []
    if blocks:
        written = write_document(blocks, "text/html")
        append_document(out, written.text, written.spans)
