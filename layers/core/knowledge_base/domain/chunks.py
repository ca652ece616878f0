"""Chunks: the pieces of a version that are embedded, found and cited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

Vector: TypeAlias = Sequence[float]

OPEN = 2**53 - 1
"""The `to_rev` of a chunk that is still live: the largest whole number that JSON keeps exact."""


@dataclass(frozen=True, slots=True)
class ChunkPlace:
    """Where a chunk stands: in which version of which document, and behind how many others."""

    document_id: str
    ordinal: int
    index: int

    @property
    def chunk_id(self) -> str:
        """The same for the same document, version and place: writing a chunk twice changes nothing."""
        return f"{self.document_id}:{self.ordinal}:{self.index}"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a version's canonical text: `text == parsed.text[start:end]`.

    `page` and `last_page` count from 1 and are 0 where the source has no pages. `page_breaks` are
    (start, page) of each page that begins inside the chunk, in characters of the canonical text.
    """

    document_id: str
    ordinal: int
    index: int
    text: str
    start: int
    end: int
    page: int = 0
    last_page: int = 0
    headings: tuple[str, ...] = ()
    token_count: int = 0
    page_breaks: tuple[tuple[int, int], ...] = ()

    @property
    def chunk_id(self) -> str:
        """The id of its place."""
        return f"{self.document_id}:{self.ordinal}:{self.index}"

    @property
    def place(self) -> ChunkPlace:
        """Where it stands."""
        return ChunkPlace(self.document_id, self.ordinal, self.index)

    def page_at(self, position: int) -> int | None:
        """Return the page that a character of the document is on, None where there are no pages."""
        begun = [page for start, page in self.page_breaks if start <= position]
        return (begun[-1] if begun else self.page) or None


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk as a vector index holds it.

    Live for every revision R with `from_rev <= R < to_rev`. `readers` says who may read it:
    `*` (everybody in the tenant), `user:<id>` or `role:<name>`.
    """

    chunk: Chunk
    vector: Vector
    tenant: str
    kb_id: str
    from_rev: int
    to_rev: int = OPEN
    readers: frozenset[str] = frozenset({"*"})
