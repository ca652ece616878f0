"""Entities that a file in XML form declares: never expanded, and refused where that would make a bomb of them."""

from __future__ import annotations

import re

from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.settings import MEGABYTE

MAX_EXPANDED = 8 * MEGABYTE
"""What all entities of a file may stand for; from there on expat, too, looks for a bomb (its documentation:
XML_SetBillionLaughsAttackProtectionActivationThreshold)."""
_MOST_DECLARED, _HEAD = 10_000, 4_096
_DECLARED = re.compile(rb"<!ENTITY\s+(?:%\s+)?([^\s\"'<>]{1,200})\s+(?:\"([^\"]*)\"|'([^']*)')")
_REFERENCE = re.compile(r"[&%]([^\s&;%#\"'<>]{1,200});")


_SUBSET = re.compile(rb"(<!DOCTYPE[^<>\[]{0,1000})\[[^\]]*+\]\s*>", re.I)


class Entities:
    """What the entities of a file would be if they were expanded."""

    def __init__(self) -> None:
        self._sizes: dict[str, int] = {}
        self._expanded = 0

    def declare(self, name: str, value: str) -> None:
        """Take note of an entity; those in its value have been declared before, or do not exist.

        Raises:
            IngestionFailed: it stands for more than can be read.
        """
        if name not in self._sizes and len(self._sizes) < _MOST_DECLARED:
            self._sizes[name] = self._count(len(value) + self._size_of_those_in(value), 0)

    def refer(self, text: str) -> None:
        """Count what the references in a text stand for.

        Raises:
            IngestionFailed: together with those before they stand for more than can be read.
        """
        if self._sizes:
            self._expanded = self._count(self._size_of_those_in(text), self._expanded)

    def _size_of_those_in(self, text: str) -> int:
        return sum(self._sizes.get(match[1], 0) for match in _REFERENCE.finditer(text))

    @staticmethod
    def _count(size: int, before: int) -> int:
        if before + size > MAX_EXPANDED:
            raise IngestionFailed(FailureCode.TOO_COMPLEX, "the file declares entities that swell beyond any bound")
        return before + size


def without_declarations(page: bytes) -> bytes:
    """Return a page in XML form without what its DOCTYPE declares, of which HTML knows nothing.

    Raises:
        IngestionFailed: its entities stand for more than can be read.
    """
    check_entities(page)
    return _SUBSET.sub(rb"\1>", page, 1) if b"[" in page[:_HEAD] else page


def check_entities(content: bytes) -> None:
    """Look through a file that is read as text or by a parser that knows no entities of its own.

    Raises:
        IngestionFailed: its entities stand for more than can be read.
    """
    if b"<!ENTITY" not in content:
        return
    entities = Entities()
    for match in _DECLARED.finditer(content):
        entities.declare(match[1].decode("latin-1"), (match[2] or match[3] or b"").decode("latin-1"))
    entities.refer(content.decode("latin-1"))
