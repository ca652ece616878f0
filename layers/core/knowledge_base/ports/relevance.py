"""Votes on what searches found."""

from __future__ import annotations

from typing import Protocol

from knowledge_base.domain.relevance import Rating, VotePlace, VotesByText


class RelevanceVotes(Protocol):
    """Holds one vote of each voter for each place."""

    def cast(self, place: VotePlace, voter: str, rating: Rating) -> None:
        """Store a vote in place of the voter's earlier one, and count it at the knowledge base, both or neither.

        Raises:
            KnowledgeBaseNotFound: there is no such knowledge base.
        """

    def of(self, kb_id: str, query: str) -> VotesByText:
        """Return the votes on a query. Consistent."""
