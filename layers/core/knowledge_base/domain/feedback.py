"""What people think of answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

WORST, BEST = 1, 5
"""The ends of the scale of ratings."""


@dataclass(frozen=True, slots=True)
class CitedChunk:
    """A chunk that the answer cited."""

    kb_id: str
    document_id: str
    chunk_id: str


@dataclass(frozen=True, slots=True)
class Feedback:
    """One person's rating of one answer, from 1 (useless) to 5 (just right); a later one replaces it.

    It outlives the answer's log, so it holds what is needed to learn from it.
    """

    token: str
    tenant: str
    user_id: str
    dialect: str
    question: str
    answer: str
    rating: int
    comment: str
    cited: tuple[CitedChunk, ...]
    asked_at: datetime
    given_at: datetime
