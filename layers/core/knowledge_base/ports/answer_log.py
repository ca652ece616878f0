"""The log of answers: heads, and numbered events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from knowledge_base.domain.answers import (
    AnswerEvent,
    AnswerFailed,
    AnswerFinished,
    AnswerRecord,
    EventId,
    LoggedEvent,
    Stage,
)
from knowledge_base.domain.traces import StageTrace


class AnswerLog(Protocol):
    """Holds each answer's events until their time to live runs out.

    An event is written once: the same id again changes nothing. After the terminal event nothing is
    written, so what a reader has put together by then is the answer, whoever reads it and when.
    """

    def open(self, record: AnswerRecord) -> None:
        """Store a new answer's head.

        Raises:
            StaleState: the token is in use.
        """

    def head(self, token: str) -> AnswerRecord:
        """Return an answer's head.

        Raises:
            AnswerNotFound: there is none.
        """

    def append(self, token: str, stage: Stage, first: int, events: Sequence[AnswerEvent]) -> bool:
        """Write events of a stage under the numbers from `first` on; at most 20 at once.

        Returns False, and writes none that is not there already, when the answer has ended.
        """

    def close(self, token: str, event: AnswerFinished | AnswerFailed, *, untold: bool = False) -> bool:
        """Write the terminal event and end the answer; False when it has ended already.

        `untold` says, in the same write, that somebody is still to be told of the end.
        """

    def conclude(
        self,
        token: str,
        stage: Stage,
        first: int,
        events: Sequence[AnswerEvent],
        end: AnswerFinished,
        *,
        untold: bool = False,
    ) -> bool:
        """Write a stage's events from a number on and end the answer, all at once; at most 20.

        Returns False, and writes nothing, when the answer has ended or one of these events is there.
        """

    def told(self, token: str) -> None:
        """Record that who was to be told of an answer's end has been; again changes nothing."""

    def untold(self, now: int, *, limit: int) -> list[AnswerRecord]:
        """Return answers that ended at second `now` or before and are not told yet; may lag by a second."""

    def read(self, token: str, *, after: EventId | None = None) -> list[LoggedEvent]:
        """Return the events after an id, in order; all of them without one. Consistent."""

    def note(self, token: str, trace: StageTrace) -> None:
        """Store what a stage did; that of the same stage is replaced. Also after the answer has ended."""

    def notes(self, token: str) -> list[StageTrace]:
        """Return what the stages noted, in their order."""

    def overdue(self, now: int, *, limit: int) -> list[AnswerRecord]:
        """Return running answers whose deadline has passed; may lag by a second."""
