"""Reading and cutting documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from knowledge_base.domain.chunks import Chunk
from knowledge_base.domain.knowledge_bases import ChunkingConfig
from knowledge_base.domain.parsed import ParsedDocument


class DocumentParser(Protocol):
    """Reads files."""

    def parse(self, content: bytes, *, name: str, declared_type: str = "") -> ParsedDocument:
        """Return the text of a file; its kind is told by its content first, then by name and declared type.

        The text is never empty, and holds neither NUL nor lone surrogates.

        Raises:
            IngestionFailed: it cannot be read; the code says why.
        """


class Chunker(Protocol):
    """Cuts parsed text."""

    def split(
        self, parsed: ParsedDocument, config: ChunkingConfig, *, document_id: str, ordinal: int
    ) -> Iterator[Chunk]:
        """Yield chunks in order: each with exact offsets, within the size, none inside another.

        Every character that is not white space is in at least one chunk.
        """

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of the encoding that sizes are counted in."""
