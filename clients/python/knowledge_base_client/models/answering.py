"""The messages of answers and of related documents."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, model_validator


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

    @model_validator(mode="before")
    @classmethod
    def _of_the_log(cls, said: Any) -> Any:
        """An answer's log, which is the same for all contracts, has other names for three of the fields."""
        if not isinstance(said, dict) or "chunk_id" not in said:
            return said
        chunk_index = said["chunk_id"].rpartition(":")[2]
        return {"title": said.get("name"), "version": said.get("ordinal"), "chunk_index": chunk_index, **said}


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
