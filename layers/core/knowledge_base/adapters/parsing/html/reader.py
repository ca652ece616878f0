"""HTML: the main text of a page, without navigation, footers and scripts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from knowledge_base.adapters.parsing.canonical_text import clean
from knowledge_base.adapters.parsing.doc.blocks import Block, write_document
from knowledge_base.adapters.parsing.format import Format, Hints, corrupt, without_text
from knowledge_base.adapters.parsing.html.boilerplate import UNSEEN, Boilerplate, main_part
from knowledge_base.adapters.parsing.html.decoding import decode_page
from knowledge_base.adapters.parsing.html.walk import Walk
from knowledge_base.adapters.parsing.source_code import language_of
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

MEDIA_TYPE = "text/html"
_HEAD = 4_096
_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:(?><\?[^>]*+>|<!--.*?-->)\s*+)*+<(?:!doctype\s+html|html|head|body)[\s>]", re.I | re.S
)
"""Without going back: comments may begin and end in many ways, and trying all of them takes for ever."""
_NESTING = re.compile(
    r"<(/?)(?:div|span|font|section|article|blockquote|center|ul|ol|dl|b|i|u|em|strong|small)\b", re.I
)
_DEEPEST = 5_000


def _read(content: bytes, hints: Hints) -> ParsedDocument:
    decoded = decode_page(content, hints)
    if decoded is None:
        raise corrupt("its content is not what its name says, and not text either")
    _check_depth(decoded.text)
    from selectolax.lexbor import LexborHTMLParser

    page = LexborHTMLParser(decoded.text.replace("\x00", ""))
    blocks = _blocks_of(page)
    if not blocks:
        raise without_text("the page has no text, only pictures, scripts or navigation")
    titled = page.css_first("title")
    parsed = write_document(blocks, MEDIA_TYPE, title=" ".join(titled.text().split()) if titled else "")
    return ParsedDocument(parsed.text, MEDIA_TYPE, parsed.spans, clean(parsed.title), low_quality=not decoded.exact)


def _blocks_of(page: LexborHTMLParser) -> list[Block]:
    """Return the blocks of the main text, or of the whole page where all of it looked like navigation."""
    main, body = main_part(page), page.body or page.root
    if main is None or body is None:
        return []
    return Walk(Boilerplate().is_unseen).blocks_of(main) or Walk(lambda node: node.tag in UNSEEN).blocks_of(body)


def _check_depth(text: str) -> None:
    """Refuse pages whose elements nest so deep that building their tree takes minutes."""
    depth = 0
    for match in _NESTING.finditer(text):
        depth = max(0, depth + (-1 if match[1] else 1))
        if depth > _DEEPEST:
            raise IngestionFailed(FailureCode.TOO_COMPLEX, "the page nests its elements too deep to be read")


def _claims(content: bytes, hints: Hints) -> bool:
    if language_of(hints):
        return False
    head = content[:_HEAD].replace(b"\x00", b"").lstrip(b"\xff\xfe")
    if _START.match(head):
        return True
    is_named = hints.say("html", "htm", "xhtml", "text/html", "application/xhtml+xml")
    return is_named and b"<" in content and not content.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0"))


FORMAT = Format("an HTML page", _claims, _read, ("selectolax.lexbor",))
