"""HTML: the main text of a page, without navigation, footers and scripts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from knowledge_base.adapters.parsing.blocks import Block
from knowledge_base.adapters.parsing.canonical_text import TextBuilder
from knowledge_base.adapters.parsing.encodings.declared import encodings_of_page
from knowledge_base.adapters.parsing.encodings.decoding import EncodedText
from knowledge_base.adapters.parsing.entities import without_declarations
from knowledge_base.adapters.parsing.format import Format, Hints, without_text
from knowledge_base.adapters.parsing.html.boilerplate import UNSEEN
from knowledge_base.adapters.parsing.html.embedded import article_of_data
from knowledge_base.adapters.parsing.html.machinery import without_emphases
from knowledge_base.adapters.parsing.html.main_text import MainText
from knowledge_base.adapters.parsing.html.nesting import parse_source
from knowledge_base.adapters.parsing.html.source import MAX_AT_ONCE, MAX_SIGNS_AT_ONCE
from knowledge_base.adapters.parsing.html.walk import Walk
from knowledge_base.adapters.parsing.html.writing import title_text, write_blocks, write_whole_page
from knowledge_base.adapters.parsing.plain_text import find_text
from knowledge_base.adapters.parsing.source_code import language_of
from knowledge_base.domain.parsed import ParsedDocument

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

MEDIA_TYPE = "text/html"
_HEAD = 4_096
_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:(?><\?[^>]*+>|<!--.*?-->)\s*+)*+<(?:!doctype\s+html|html|head|body)[\s>]", re.I | re.S
)
"""Without going back: comments may begin and end in many ways, and trying all of them takes for ever."""
_LITTLE = 250


def _read(content: bytes, hints: Hints) -> ParsedDocument:
    content = without_declarations(content)
    found = find_text(content, hints, encodings_of_page(content))
    out = TextBuilder()
    title = write_whole_page(out, found.pieces()) if _is_big(content) else _write_main_text(out, found)
    if not out.length:
        raise without_text("the page has no text, only pictures, scripts or navigation")
    return ParsedDocument(out.text(), MEDIA_TYPE, out.spans(), title, low_quality=not found.exact)


def _is_big(content: bytes) -> bool:
    """Whether a page is read in pieces: to find its main text, it has to be in memory as a whole."""
    return len(content) > MAX_AT_ONCE or content.count(b"<") > MAX_SIGNS_AT_ONCE


def _write_main_text(out: TextBuilder, found: EncodedText) -> str:
    page = parse_source(without_emphases("".join(found.pieces())))
    write_blocks(out, _blocks_of(page))
    titled = page.css_first("title")
    return title_text(titled.text()) if titled else ""


def _blocks_of(page: LexborHTMLParser) -> list[Block]:
    """Return the blocks of the main text; where there is next to none, of what is there for those without scripts."""
    body = page.body or page.root
    if body is None:
        return []
    main = MainText(body)
    blocks = Walk(main.is_unseen).blocks_of(main.root)
    size = sum(len(block.text) for block in blocks)
    if size > _LITTLE:
        return blocks
    others = (article_of_data(page), Walk(lambda node: node.tag in UNSEEN - {"noscript"}).blocks_of(body))
    fuller = (other for other in others if sum(len(block.text) for block in other) > max(_LITTLE, 2 * size))
    return next(fuller, blocks) or Walk(lambda node: node.tag in UNSEEN).blocks_of(body)


def _claims(content: bytes, hints: Hints) -> bool:
    if language_of(hints):
        return False
    head = content[:_HEAD].replace(b"\x00", b"").lstrip(b"\xff\xfe")
    if _START.match(head):
        return True
    is_named = hints.say("html", "htm", "xhtml", "text/html", "application/xhtml+xml")
    return is_named and b"<" in content and not content.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0"))


FORMAT = Format("an HTML page", _claims, _read, ("selectolax.lexbor",))
