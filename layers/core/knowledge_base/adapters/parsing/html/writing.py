"""Blocks of pages become canonical text."""

from __future__ import annotations

from collections.abc import Iterable

from knowledge_base.adapters.parsing.blocks import Block
from knowledge_base.adapters.parsing.canonical_text import TextBuilder, clean
from knowledge_base.adapters.parsing.delimited.rows import check_length
from knowledge_base.adapters.parsing.html.boilerplate import is_never_seen
from knowledge_base.adapters.parsing.html.nesting import parse_source
from knowledge_base.adapters.parsing.html.source import MAX_SIGNS, cut, lines_of
from knowledge_base.adapters.parsing.html.walk import Walk


def write_blocks(out: TextBuilder, blocks: Iterable[Block]) -> None:
    """Append blocks, each after a blank line but items of a list that follow each other."""
    follows_item = False
    for block in blocks:
        if block.is_item and follows_item:
            out.add(f"\n{block.text}")
        else:
            out.add_block(block.text, block.kind, block.level)
        follows_item = block.is_item


def write_whole_page(out: TextBuilder, source: Iterable[str]) -> str:
    """Append all that is seen of a page, in its order, and return its title.

    What comes after the first `MAX_SIGNS` tags has lost its structure, but no text.

    Raises:
        IngestionFailed: it would take unbounded time or memory.
    """
    title, signs = "", 0
    for piece in cut(source):
        signs += piece.count("<")
        if signs > MAX_SIGNS:
            out.add_block(clean("\n".join(lines_of(piece))))
        else:
            title = _write_piece(out, piece) or title
        check_length(out)
    return title


def _write_piece(out: TextBuilder, piece: str) -> str:
    tree = parse_source(piece)
    root, title = tree.body or tree.root, tree.css_first("title")
    if root is not None:
        write_blocks(out, Walk(is_never_seen).blocks_of(root))
    return title_text(title.text()) if title else ""


def title_text(text: str) -> str:
    """Return a title on one line."""
    return clean(" ".join(text.split()))
