"""What people say of what a search found, and how far that moves it (relevance feedback)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

FARTHEST = 0.15
"""So much of a score, which goes from 0 to 1, votes add or take at most, however many they are."""

DOUBT = 2
"""Votes that are assumed to have been cast either way: one vote moves a third of the way, ten move most of it."""


class Rating(StrEnum):
    """What somebody says of a chunk as an answer to a query; NONE takes it back."""

    UP = "up"
    DOWN = "down"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Votes:
    """How many people find a chunk right for a query, and how many find it wrong."""

    up: int = 0
    down: int = 0

    @property
    def prior(self) -> float:
        """What they add to the score: in (-0.15, 0.15), towards the end as they are many and of one mind.

        The mean of a vote under a symmetric Beta prior: (up - down) / (up + down + 2).
        """
        return FARTHEST * (self.up - self.down) / (self.up + self.down + DOUBT)


@dataclass(frozen=True, slots=True)
class VotePlace:
    """What a vote is on: a query and a text, by their fingerprints, in one knowledge base."""

    kb_id: str
    query: str
    text: str


VotesByText = Mapping[str, Votes]
"""The votes on a query, by the fingerprint of the text."""
