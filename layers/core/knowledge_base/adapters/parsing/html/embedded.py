"""The article that a page carries as data for search engines (JSON-LD, schema.org `articleBody`)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from knowledge_base.adapters.parsing.blocks import Block
from knowledge_base.adapters.parsing.canonical_text import clean
from knowledge_base.domain.parsed import SpanKind

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_MAX_DEPTH = 10


def article_of_data(page: LexborHTMLParser) -> list[Block]:
    """Return the longest article in the data of a page, with its headline; nothing where there is none."""
    found = [article for script in page.css('script[type="application/ld+json"]') for article in _read(script.text())]
    return max(found, key=lambda blocks: sum(len(block.text) for block in blocks), default=[])


def _read(text: str) -> Iterator[list[Block]]:
    try:
        data = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return
    for entry in _entries(data):
        body = entry.get("articleBody")
        if isinstance(body, str) and body.strip():
            yield [*_headline(entry.get("headline")), *_paragraphs(body)]


def _entries(data: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    if depth > _MAX_DEPTH:
        return
    if isinstance(data, dict):
        yield data
    for inner in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from _entries(inner, depth + 1)


def _headline(text: Any) -> list[Block]:
    words = " ".join(clean(text).split()) if isinstance(text, str) else ""
    return [Block(words, SpanKind.HEADING, 1)] if words else []


def _paragraphs(body: str) -> list[Block]:
    lines = (" ".join(line.split()) for line in clean(body).split("\n"))
    return [Block(line) for line in lines if line]
