"""The messages of answers and of related documents."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel


class Source(BaseModel):
    """What an answer quotes: `quote` stands at `start` to `end` of the text of that version of the document.

    `index` is the number of the marker in the answer, as in `[1]`; `page` is None where there are no pages.
    """

    index: int
    document_id: str
    version: int
    chunk_index: int
    title: str
    page: int | None
    start: int
    end: int
    quote: str
    score: float
    similarity: float | None


class Answer(BaseModel):
    """An answer with its sources; `degraded` names the parts that did not take part."""

    token: str
    answer: str
    references: list[Source]
    degraded: list[str]


class RelatedDocument(BaseModel):
    """A document that says something of what another is about; `shared` are the terms that stand in both."""

    document_id: str
    title: str
    score: float
    similarity: float | None = None
    shared: list[str]
    metadata: dict[str, Any]


class RelatedDocuments(BaseModel):
    """`GET /documents/{id}/related`, the most related first."""

    related: list[RelatedDocument]
