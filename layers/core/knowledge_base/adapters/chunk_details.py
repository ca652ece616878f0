"""A chunk as an index holds it: what identifies it apart, its text apart, and everything else together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from knowledge_base.domain.chunks import Chunk

_APART = ("document_id", "ordinal", "index", "text")
DETAILS = tuple(field.name for field in fields(Chunk))[len(_APART) :]
"""What an index neither searches nor filters by."""


def details_of(chunk: Chunk) -> list[Any]:
    """Return the details in order, in a form that JSON knows."""
    return [getattr(chunk, name) for name in DETAILS]


def chunk_of(document_id: str, ordinal: int, index: int, text: str, details: Iterable[Any]) -> Chunk:
    """Return the chunk with these details, given in order, which may have been through JSON."""
    frozen: list[Any] = [value if type(value) is int else _frozen(value) for value in details]
    return Chunk(document_id, ordinal, index, text, *frozen)


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, (list, tuple)) else value
