"""Sets of words, such as the names of elements, written as they are read: one after the other."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Return the words of a text that are divided by spaces."""
    return frozenset(text.split())
