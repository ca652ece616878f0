"""Take questions in."""

from __future__ import annotations

from contextlib import suppress

from knowledge_base.domain.access import Principal
from knowledge_base.domain.answers import AnswerRecord, Question
from knowledge_base.domain.deadlines import QUESTION, due_in
from knowledge_base.domain.errors import AnswerNotFound, StaleState, TokenTaken
from knowledge_base.domain.ids import new_token, token_of
from knowledge_base.domain.knowledge_bases import Dialect
from knowledge_base.ports.answer_log import AnswerLog
from knowledge_base.ports.clock import Clock
from knowledge_base.ports.queues import Queue, Queues
from knowledge_base.services.gateways import Gateways, gateway_of


class Questions:
    """Takes questions in."""

    def __init__(self, *, answers: AnswerLog, queues: Queues, gateways: Gateways, clock: Clock) -> None:
        self._answers = answers
        self._gateways = gateways
        self._queues = queues
        self._clock = clock

    def ask(self, caller: Principal, dialect: Dialect, question: Question) -> AnswerRecord:
        """Start the answer to a question; its events are in the answer log under the record's token.

        A question that the caller has given a token is asked once: again, it has the same answer.

        Raises:
            Overloaded: too many questions are waiting, or what answers them fails.
            TokenTaken: the caller has given another question this token.
        """
        now = self._clock.now()
        record = AnswerRecord(_token(caller, question), caller, dialect, question, now, due_in(QUESTION, now))
        if question.caller_token:
            with suppress(AnswerNotFound):
                return self._asked_before(record)
        self._gateways.admit(gateway_of(question))
        try:
            self._answers.open(record)
        except StaleState:
            return self._asked_before(record)
        self._queues.send(Queue.QUESTION, {"question_token": record.token}, group=caller.tenant)
        return record

    def _asked_before(self, record: AnswerRecord) -> AnswerRecord:
        known = self._answers.head(record.token)
        if known.question != record.question:
            raise TokenTaken(record.question.caller_token)
        return known


def _token(caller: Principal, question: Question) -> str:
    named = question.caller_token
    return token_of(caller.tenant, caller.user_id, named) if named else new_token()
