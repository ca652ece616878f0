"""Which documents a list or a search is about."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from knowledge_base.domain.documents import Document
from knowledge_base.domain.metadata import Attribute


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """What must hold of a document; all parts that are given must.

    `tags` must all be there, of `any_tags` one. `title` matches a part, whatever the case. `created_from`
    is inclusive, `created_to` exclusive. `attributes` are the texts of free fields; in a list one must match, and
    numbers match by their value.
    """

    tags: frozenset[str] = frozenset()
    any_tags: frozenset[str] = frozenset()
    format: str = ""
    title: str = ""
    source: str = ""
    created_from: datetime | None = None
    created_to: datetime | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        """Whether every document matches."""
        return self == DocumentFilter()

    @property
    def identity(self) -> Hashable:
        """The same for filters that mean the same; equal filters have equal ones."""
        words = (self.format, self.title, self.source, self.created_from, self.created_to)
        return (self.tags, self.any_tags, *words, tuple(sorted(self.attributes.items())))

    def matches(self, document: Document) -> bool:
        """Tell whether all of it holds of a document."""
        said = document.metadata
        tags = frozenset(said.tags)
        return (
            self.tags <= tags
            and (not self.any_tags or bool(self.any_tags & tags))
            and self.format in ("", said.format)
            and self.source in ("", said.source)
            and self.title.casefold() in document.title.casefold()
            and self._is_in_time(document.created_at)
            and all(_holds(said.attributes.get(name), wanted) for name, wanted in self.attributes.items())
        )

    def _is_in_time(self, created_at: datetime) -> bool:
        is_early = self.created_from is not None and created_at < self.created_from
        is_late = self.created_to is not None and created_at >= self.created_to
        return not (is_early or is_late)


def _holds(value: Attribute | None, wanted: str) -> bool:
    if isinstance(value, tuple):
        return wanted in value
    if isinstance(value, bool):
        return wanted == str(value).lower()
    return value is not None and (wanted == str(value) or (not isinstance(value, str) and _is_number(wanted, value)))


def _is_number(wanted: str, value: float) -> bool:
    """Whether a text says a number, in whatever way: `1.0` is 1."""
    try:
        return float(wanted) == value
    except ValueError:
        return False
