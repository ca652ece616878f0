"""What is said of a document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

Attribute: TypeAlias = str | int | float | bool | tuple[str, ...]
"""The value of a free field."""


@dataclass(frozen=True, slots=True)
class DocumentMetadata:
    """Title, tags, source and free fields; `format` is the caller's word, e.g. `pdf` or `code/python`."""

    title: str = ""
    tags: tuple[str, ...] = ()
    source: str = ""
    format: str = ""
    attributes: dict[str, Attribute] = field(default_factory=dict)
