"""Blocks of a word-processing document, as its reader finds them, and how they become one text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from knowledge_base.adapters.parsing.canonical_text import TextBuilder, clean
from knowledge_base.adapters.parsing.docx.tables import LONG_CELL, Cell, Row, table_lines
from knowledge_base.adapters.parsing.format import without_text
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

_SPACES = re.compile(r"[ \t\f\v\u200b]+")


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, table or list item; items that follow each other have no blank line between."""

    text: str
    kind: SpanKind | None = None
    level: int = 0
    is_item: bool = False


def tidy(text: str) -> str:
    """Return a paragraph's text clean, without needless spaces, its own line breaks kept."""
    return "\n".join(_SPACES.sub(" ", line).strip() for line in clean(text).split("\n")).strip("\n")


def join_surrogates(text: str) -> str:
    """Return text in which halves of characters that were read one by one are whole again."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def table_blocks(rows: list[Row]) -> list[Block]:
    """Return the block of a table; what only places text on the page gives its cells as paragraphs."""
    texts = [[cell.text for cell in row.cells if cell.text.strip()] for row in rows]
    widest = max(map(len, texts), default=0)
    if widest < 2 or any(len(text) > LONG_CELL and "\n" in text for row in texts for text in row):
        return [Block(text) for row in texts for text in row]
    flat = [Row(tuple(_flat(cell) for cell in row.cells), row.is_header) for row in rows]
    return [Block("\n".join(table_lines(flat)), SpanKind.TABLE)]


def _flat(cell: Cell) -> Cell:
    return Cell(" ".join(cell.text.split()), cell.columns, cell.is_bold, cell.is_shaded, cell.continues)


def write_document(
    blocks: Iterable[Block], media_type: str, *, title: str = "", margins: Iterable[str] = ()
) -> ParsedDocument:
    """Return the document of some blocks; margins (headers and footers) come last, each once.

    Raises:
        IngestionFailed: there is no text.
    """
    out = TextBuilder()
    follows_item = False
    for block in blocks:
        if block.text.strip():
            _write(out, block, follows_item)
            follows_item = block.is_item
    text = out.text()
    if not text.strip():
        raise without_text("the document has no text, only pictures or empty paragraphs")
    for margin in dict.fromkeys(map(tidy, margins)):
        if any(letter.isalpha() for letter in margin) and margin not in text:
            out.add_block(margin)
    return ParsedDocument(out.text(), media_type, out.spans(), tidy(title).replace("\n", " "))


def _write(out: TextBuilder, block: Block, follows_item: bool) -> None:
    if block.is_item and follows_item:
        out.add(f"\n{block.text}")
    else:
        out.add_block(block.text, block.kind, block.level)
