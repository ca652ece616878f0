"""Take in what people think of answers, and give it out to learn from."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from knowledge_base.domain.access import Principal
from knowledge_base.domain.answers import AnswerStatus
from knowledge_base.domain.errors import AnswerNotEnded
from knowledge_base.domain.feedback import CitedChunk, Feedback
from knowledge_base.ports.clock import Clock
from knowledge_base.ports.feedback import FeedbackStore
from knowledge_base.services.access import require_admin
from knowledge_base.services.answers import Answers


class FeedbackDesk:
    """Keeps the feedback on answers."""

    def __init__(self, *, answers: Answers, feedback: FeedbackStore, clock: Clock) -> None:
        self._answers = answers
        self._feedback = feedback
        self._clock = clock

    def give(self, caller: Principal, token: str, rating: int, comment: str) -> Feedback:
        """Store what the caller thinks of one of its answers; it may change its mind.

        Raises:
            AnswerNotFound: there is no such answer, or it is somebody else's.
            AnswerNotEnded: it is still being written.
        """
        found = self._answers.get(caller, token)
        record = found.record
        if record.status is AnswerStatus.RUNNING:
            raise AnswerNotEnded(token)
        cited = {CitedChunk(item.kb_id, item.document_id, item.chunk_id): None for item in found.references}
        given = Feedback(
            token=token,
            tenant=caller.tenant,
            user_id=caller.user_id,
            dialect=record.dialect.value,
            question=record.question.text,
            answer=found.text,
            rating=rating,
            comment=comment,
            cited=tuple(cited),
            asked_at=record.created_at,
            given_at=self._clock.now(),
        )
        self._feedback.put(given)
        return given

    def export(self, caller: Principal, since: datetime | None = None) -> Iterator[Feedback]:
        """Return all feedback in the caller's tenant, oldest question first.

        Raises:
            NotPermitted: the caller is no admin.
        """
        require_admin(caller)
        return self._feedback.all_of(caller.tenant, since=since)
