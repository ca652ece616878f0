"""The text of a document with what its parts are, as `GET /documents/{id}/text` gives it in JSON."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, model_validator


class Span(BaseModel):
    """Characters from `start` to before `end`; `number` is a page's, from 1, or a heading's level."""

    kind: str
    start: int
    end: int
    number: int = 0

    @model_validator(mode="before")
    @classmethod
    def _named(cls, said: Any) -> Any:
        """A span travels as a list of its values."""
        return dict(zip(("kind", "start", "end", "number"), said, strict=False)) if isinstance(said, list) else said


class ParsedText(BaseModel):
    """The text that offsets point into, and the spans that are pages, headings, tables or code."""

    text: str
    media_type: str = ""
    title: str = ""
    low_quality: bool = False
    spans: list[Span] = []

    def pages(self) -> list[Span]:
        """Return the pages, in order; none where the source has none."""
        return [span for span in self.spans if span.kind == "page"]
