"""End answers, and call back who wants to be called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from knowledge_base.domain.answers import (
    Answer,
    AnswerEvent,
    AnswerFailed,
    AnswerFinished,
    AnswerRecord,
    AnswerStarted,
    AnswerStatus,
    Stage,
    TextDelta,
    fold,
)
from knowledge_base.domain.errors import AnswerNotFound
from knowledge_base.ports.answer_log import AnswerLog
from knowledge_base.services.outcomes import Outcomes

FIRST_WORDS = 1
"""The number of the answer stage's first event that a text begins with; number 0 says that it is being composed."""


class AnswerEndings:
    """The one place where answers end.

    `tell` is given each ended answer whose question names an address to call back, at least once: that it is
    owed is written together with the end, and the sweep tells what nobody has told.
    """

    def __init__(self, *, answers: AnswerLog, tell: Callable[[Answer], None], outcomes: Outcomes) -> None:
        self._answers = answers
        self._tell = tell
        self._outcomes = outcomes

    def running(self, message: Mapping[str, Any]) -> AnswerRecord | None:
        """Return the answer that a queue's message is about, None when it has ended or is gone.

        A message that comes again may do so because who ended the answer died before he told: it is told again.
        """
        try:
            record = self._answers.head(str(message.get("question_token", "")))
        except AnswerNotFound:
            return None
        if record.status is AnswerStatus.RUNNING:
            return record
        self.call_back(record)
        return None

    def end(self, record: AnswerRecord, event: AnswerFinished | AnswerFailed) -> bool:
        """End an answer; False when it has ended already."""
        has_ended = self._answers.close(record.token, event, untold=_is_owed(record))
        if has_ended:
            self._outcomes.answer_ended(record.question, event)
            self.call_back(record)
        return has_ended

    def conclude(self, record: AnswerRecord, text: str) -> bool:
        """End an answer with a text from elsewhere; False when a text has begun, or the answer has ended."""
        said: list[AnswerEvent] = [AnswerStarted(), TextDelta(text)]
        has_ended = self._answers.conclude(
            record.token, Stage.ANSWER, FIRST_WORDS, said, AnswerFinished(), untold=_is_owed(record)
        )
        if has_ended:
            self.call_back(record)
        return has_ended

    def call_back(self, record: AnswerRecord) -> None:
        """Tell an ended answer to the address that its question names, if it names one; again changes nothing."""
        if _is_owed(record):
            self._tell(fold(record, [logged.event for logged in self._answers.read(record.token)]))
            self._answers.told(record.token)


def _is_owed(record: AnswerRecord) -> bool:
    return bool(record.question.response_url)
