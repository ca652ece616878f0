"""What people think of answers, kept for good."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Protocol

from knowledge_base.domain.feedback import Feedback


class FeedbackStore(Protocol):
    """Holds one feedback for each answer."""

    def put(self, feedback: Feedback) -> None:
        """Store a feedback; one on the same answer is replaced."""

    def all_of(self, tenant: str, *, since: datetime | None = None) -> Iterator[Feedback]:
        """Yield a tenant's feedback in the order in which the questions were asked, from a moment on. Consistent."""
