"""Read, follow and cancel answers."""

from __future__ import annotations

from collections.abc import Iterable

from knowledge_base.domain.access import Principal
from knowledge_base.domain.answers import (
    Answer,
    AnswerFailed,
    AnswerFinished,
    AnswerRecord,
    EventId,
    LoggedEvent,
    SourceFound,
    TextDelta,
)
from knowledge_base.domain.deadlines import due_in
from knowledge_base.domain.errors import AnswerNotFound
from knowledge_base.domain.traces import StageTrace
from knowledge_base.ports.answer_log import AnswerLog
from knowledge_base.ports.clock import Clock


class Answers:
    """Shows an answer to who asked for it, and to nobody else."""

    def __init__(self, *, answers: AnswerLog, clock: Clock) -> None:
        self._answers = answers
        self._clock = clock

    def head(self, caller: Principal, token: str) -> AnswerRecord:
        """Return the head of one of the caller's answers.

        Raises:
            AnswerNotFound: there is none, or it is somebody else's.
        """
        record = self._answers.head(token)
        if (record.principal.tenant, record.principal.user_id) != (caller.tenant, caller.user_id):
            raise AnswerNotFound(token)
        return record

    def get(self, caller: Principal, token: str) -> Answer:
        """Return an answer as far as it has come.

        Raises:
            AnswerNotFound: there is none, or it is somebody else's.
        """
        record = self.head(caller, token)
        return fold(record, [logged.event for logged in self._answers.read(token)])

    def traces(self, caller: Principal, token: str) -> list[StageTrace]:
        """Return how one of the caller's answers came about.

        Raises:
            AnswerNotFound: there is none, or it is somebody else's.
        """
        self.head(caller, token)
        return self._answers.notes(token)

    def events(self, record: AnswerRecord, after: EventId | None) -> list[LoggedEvent]:
        """Return the events that came after an id; an answer past its deadline is ended here and now."""
        events = self._answers.read(record.token, after=after)
        if not events and record.deadline < due_in(0, self._clock.now()):
            self._answers.close(record.token, AnswerFailed("timeout", "the answer was not ready in time"))
            return self._answers.read(record.token, after=after)
        return events

    def cancel(self, caller: Principal, token: str) -> None:
        """End a running answer as cancelled; one that has ended stays as it is.

        Raises:
            AnswerNotFound: there is none, or it is somebody else's.
        """
        self.head(caller, token)
        self._answers.close(token, AnswerFailed("cancelled", "the answer was cancelled"))


def fold(record: AnswerRecord, events: Iterable[object]) -> Answer:
    """Put an answer together from its events: the same for every reader at any time."""
    events = list(events)
    last = events[-1] if events else None
    return Answer(
        record,
        text="".join(event.text for event in events if isinstance(event, TextDelta)),
        references=tuple(event.reference for event in events if isinstance(event, SourceFound)),
        degraded=last.degraded if isinstance(last, AnswerFinished) else (),
        error=last if isinstance(last, AnswerFailed) else None,
    )
