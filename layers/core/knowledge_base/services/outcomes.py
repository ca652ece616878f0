"""Tell the gateways' breakers what became of the work that was let in.

What a caller did wrong, or a deployment left out, tells nothing of what stands behind a gateway: it neither opens a
breaker nor closes it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from knowledge_base.domain.answers import AnswerFailed, AnswerFinished, Question
from knowledge_base.domain.breakers import Breaker, BreakerRule, failed, worked
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import KnowledgeBaseError, StaleState
from knowledge_base.ports.breakers import Breakers
from knowledge_base.ports.clock import Clock
from knowledge_base.services.gateways import Gateway, gateway_of

FAILED_ANSWERS = frozenset({"unavailable", "timeout", "internal", "interrupted"})
"""Codes of answers that failed for want of what they are made by."""

TRIES = 3
"""Whoever loses against others so often is not needed: they tell the same."""

logger = logging.getLogger(__name__)


class Outcomes:
    """Hears what work came to; work never fails because that could not be noted."""

    def __init__(self, *, breakers: Breakers, rule: BreakerRule, clock: Clock) -> None:
        self._breakers = breakers
        self._rule = rule
        self._clock = clock

    def answer_ended(self, question: Question, event: AnswerFinished | AnswerFailed) -> None:
        """Hear how an answer has ended."""
        if isinstance(event, AnswerFinished):
            self._worked(gateway_of(question))
        elif event.code in FAILED_ANSWERS:
            self._failed(gateway_of(question), f"answers end as failed ({event.code})")

    def ingestion_ready(self) -> None:
        """Hear that a document has gone all the way."""
        self._worked(Gateway.DOCUMENTS)

    def ingestion_failed(self, code: FailureCode) -> None:
        """Hear that a document has failed; most do so for what they are."""
        if code is FailureCode.STALLED:
            self._failed(Gateway.DOCUMENTS, "ingestions come to a standstill")

    def is_silent(self, part: str) -> None:
        """Hear that a part which every document needs does not answer."""
        self._failed(Gateway.DOCUMENTS, f"the {part} does not answer")

    def _failed(self, gateway: Gateway, reason: str) -> None:
        self._change(gateway, lambda breaker: failed(breaker, reason, self._clock.now(), self._rule))

    def _worked(self, gateway: Gateway) -> None:
        self._change(gateway, lambda breaker: worked(breaker, self._clock.now(), self._rule))

    def _change(self, gateway: Gateway, change: Callable[[Breaker], Breaker]) -> None:
        try:
            for _ in range(TRIES):
                if self._changed(gateway, change):
                    return
        except KnowledgeBaseError:
            logger.warning("what became of work let in by gateway %s could not be noted", gateway)

    def _changed(self, gateway: Gateway, change: Callable[[Breaker], Breaker]) -> bool:
        """Change a breaker; False when another process was faster."""
        before = self._breakers.get(gateway)
        after = change(before)
        if after == before:
            return True
        try:
            self._breakers.put(gateway, after, before=before)
        except StaleState:
            return False
        if after.opened_at != before.opened_at:
            told = f"opens: {after.reason}" if after.opened_at else "closes"
            logger.warning("gateway %s %s", gateway, told)
        return True
