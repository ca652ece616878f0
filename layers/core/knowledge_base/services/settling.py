"""Decide anew when others have changed meanwhile what a decision rests on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from knowledge_base.domain.errors import StaleState

TRIES = 12
"""So often a decision is made anew when others changed the catalog meanwhile."""

T = TypeVar("T")


def until_settled(decide: Callable[[], T]) -> T:
    """Return what is decided while nobody else changes what the decision rests on.

    Raises:
        StaleState: others keep changing it.
    """
    for _ in range(TRIES - 1):
        try:
            return decide()
        except StaleState:
            continue
    return decide()
