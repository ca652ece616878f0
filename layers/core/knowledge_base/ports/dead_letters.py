"""Dead letters, kept for operators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from knowledge_base.domain.dead_letters import DeadLetter


@dataclass(frozen=True, slots=True)
class DeadLetterPage:
    """Dead letters, newest first; `next_cursor` is None on the last page."""

    dead_letters: tuple[DeadLetter, ...]
    next_cursor: str | None


class DeadLetters(Protocol):
    """Work that ended badly."""

    def put(self, dead_letter: DeadLetter) -> None:
        """Store a dead letter; one with the same id is replaced, its `first_at` kept."""

    def get(self, tenant: str, dead_letter_id: str) -> DeadLetter:
        """Return a tenant's dead letter.

        Raises:
            DeadLetterNotFound: there is none.
        """

    def page(self, tenant: str, *, limit: int, cursor: str | None = None) -> DeadLetterPage:
        """Return a tenant's dead letters.

        Raises:
            InvalidInput: the cursor is not one of ours.
        """

    def remove(self, tenant: str, dead_letter_id: str) -> None:
        """Forget a dead letter.

        Raises:
            DeadLetterNotFound: there is none.
        """
