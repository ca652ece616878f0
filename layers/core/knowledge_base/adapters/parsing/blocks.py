"""Blocks of a document, as its reader finds them, and how they become one text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from knowledge_base.adapters.parsing.canonical_text import TextBuilder, clean
from knowledge_base.adapters.parsing.format import without_text
from knowledge_base.adapters.parsing.joined_documents import append_document
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument, SpanKind

MAX_TEXT = 20_000_000
"""Characters of a document; with its JSON form beside it, so much text fits into the memory that a reader has."""
_SURROGATES = re.compile("[\ud800-\udfff]")
_SPACES = re.compile(r"[ \t\f\v\u200b]+")
_BETWEEN = "\n\n"
_NO_TEXT = "the document has no text, only pictures or empty paragraphs"


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, table or list item.

    Items that follow each other have no blank line between. An aside (a note, a comment, a text box) hangs on what
    stands before it: in a table it comes behind the table. `inside` is a whole document that stands in this place.
    """

    text: str
    kind: SpanKind | None = None
    level: int = 0
    is_item: bool = False
    is_aside: bool = False
    inside: ParsedDocument | None = None


@dataclass(slots=True)
class BlockWriter:
    """Writes blocks one after the other; margins (headers and footers) come last, each once.

    A document whose body is empty but for pictures has no text, whatever its margins say. Where there are no pictures
    either, the margins are its text.
    """

    _out: TextBuilder = field(default_factory=TextBuilder)
    _margins: dict[str, None] = field(default_factory=dict)
    _follows_item: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been written yet."""
        return not self._out.length

    def add(self, block: Block) -> None:
        """Write a block, unless it is empty.

        Raises:
            IngestionFailed: the text has become too long.
        """
        if block.inside is not None:
            append_document(self._out, block.inside.text, block.inside.spans)
        elif not block.text.strip():
            return
        elif block.is_item and self._follows_item:
            self._out.add(f"\n{block.text}")
        else:
            self._out.add_block(block.text, block.kind, block.level)
        self._follows_item = block.is_item
        if self._out.length > MAX_TEXT:
            raise IngestionFailed(FailureCode.TOO_COMPLEX, "the file has too much text to be read")

    def add_page(self, blocks: Iterable[Block], number: int) -> None:
        """Write the blocks of a page; an empty page has no span.

        Raises:
            IngestionFailed: the text has become too long.
        """
        before = self._out.length
        self._follows_item = False
        for block in blocks:
            self.add(block)
        if self._out.length > before:
            self._out.mark(SpanKind.PAGE, before + len(_BETWEEN) if before else 0, number)

    def add_margin(self, text: str) -> None:
        """Keep a header or footer until the end; one without words is dropped."""
        if any(letter.isalpha() for letter in text):
            self._margins[tidy(text)] = None

    def finish(
        self, media_type: str, *, title: str = "", has_pictures: bool = False, lack: str = _NO_TEXT
    ) -> ParsedDocument:
        """Return the document; `lack` says what is there instead of a text.

        Raises:
            IngestionFailed: there is no text.
        """
        body = self._out.text()
        if not body.strip() and (has_pictures or not self._margins):
            raise without_text(lack)
        for margin in self._margins:
            if margin not in body:
                self.add(Block(margin))
        return ParsedDocument(self._out.text(), media_type, self._out.spans(), tidy(title).replace("\n", " "))


def write_document(
    blocks: Iterable[Block],
    media_type: str,
    *,
    title: str = "",
    margins: Iterable[str] = (),
    has_pictures: bool = False,
) -> ParsedDocument:
    """Return the document of some blocks; margins (headers and footers) come last, each once.

    Raises:
        IngestionFailed: there is no text.
    """
    writer = BlockWriter()
    for block in blocks:
        writer.add(block)
    for margin in margins:
        writer.add_margin(margin)
    return writer.finish(media_type, title=title, has_pictures=has_pictures)


def tidy(text: str) -> str:
    """Return a paragraph's text clean, without needless spaces and soft hyphens, its own line breaks kept."""
    text = clean(text).replace("\xad", "")
    return "\n".join(_SPACES.sub(" ", line).strip() for line in text.split("\n")).strip("\n")


def flat(texts: Iterable[str]) -> str:
    """Return texts on one line."""
    return " ".join(" ".join(texts).split())


def join_surrogates(text: str) -> str:
    """Return text in which halves of characters that were read one by one are whole again."""
    if not _SURROGATES.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
