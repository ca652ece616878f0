"""A chunk as an index holds it: what identifies it apart, its text apart, and everything else together."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from knowledge_base.domain.chunks import Chunk

_APART = frozenset({"document_id", "ordinal", "index", "text"})
_DETAILS = tuple(field.name for field in fields(Chunk) if field.name not in _APART)


def details_of(chunk: Chunk) -> dict[str, Any]:
    """Return what an index neither searches nor filters by, in a form that JSON knows."""
    return {name: getattr(chunk, name) for name in _DETAILS}


def chunk_of(document_id: str, ordinal: int, index: int, text: str, details: dict[str, Any]) -> Chunk:
    """Return the chunk with these details, which may have been through JSON."""
    headings = tuple(details["headings"])
    page_breaks = tuple((start, page) for start, page in details["page_breaks"])
    return Chunk(document_id, ordinal, index, text, **{**details, "headings": headings, "page_breaks": page_breaks})
