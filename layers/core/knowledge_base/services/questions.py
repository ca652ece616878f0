"""Take questions in."""

from __future__ import annotations

from knowledge_base.domain.access import Principal
from knowledge_base.domain.answers import AnswerRecord, Question
from knowledge_base.domain.deadlines import QUESTION, due_in
from knowledge_base.domain.ids import new_token
from knowledge_base.domain.knowledge_bases import Dialect
from knowledge_base.ports.answer_log import AnswerLog
from knowledge_base.ports.clock import Clock
from knowledge_base.ports.queues import Queue, Queues


class Questions:
    """Takes questions in."""

    def __init__(self, *, answers: AnswerLog, queues: Queues, clock: Clock) -> None:
        self._answers = answers
        self._queues = queues
        self._clock = clock

    def ask(self, caller: Principal, dialect: Dialect, question: Question) -> AnswerRecord:
        """Start the answer to a question; its events are in the answer log under the record's token."""
        now = self._clock.now()
        record = AnswerRecord(new_token(), caller, dialect, question, now, due_in(QUESTION, now))
        self._answers.open(record)
        self._queues.send(Queue.QUESTION, {"question_token": record.token}, group=caller.tenant)
        return record
