"""Keep more work from coming in than is being done, or than can be done: it is refused at once.

A gateway is a circuit breaker. What its work came to is told by who does that work (`services/outcomes.py`), its
state is shared by all processes (`ports/breakers.py`); depths of queues are looked at by each for itself.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from knowledge_base.domain.access import Principal
from knowledge_base.domain.answers import Question
from knowledge_base.domain.breakers import Breaker, BreakerRule, BreakerState, probed
from knowledge_base.domain.errors import NotPermitted, Overloaded, StaleState
from knowledge_base.ports.breakers import Breakers
from knowledge_base.ports.clock import Clock
from knowledge_base.ports.queues import Queue, Queues

LOOKED_AT = timedelta(seconds=1)
"""For so long a state is believed: SQS itself tells a depth no more exactly."""

logger = logging.getLogger(__name__)


class Gateway(StrEnum):
    """Where work comes in. What a model alone can answer is the assistant's, whichever route it came by."""

    DOCUMENTS = "documents"
    QUESTIONS = "questions"
    ASSISTANT = "assistant"


QUEUES: Mapping[Gateway, tuple[Queue, ...]] = {
    Gateway.DOCUMENTS: (Queue.FETCH, Queue.PARSE, Queue.EMBED),
    Gateway.QUESTIONS: (Queue.QUESTION,),
    Gateway.ASSISTANT: (Queue.QUESTION,),
}
"""Whose messages a gateway counts: those that it fills, and those that fill up behind them."""

COME_BACK: Mapping[Gateway, int] = {Gateway.DOCUMENTS: 60, Gateway.QUESTIONS: 5, Gateway.ASSISTANT: 5}
"""When a caller may try again who was refused because of a queue, in seconds."""


def gateway_of(question: Question) -> Gateway:
    """Return the gateway that a question comes in by: one that nothing but a model can answer has its own."""
    return Gateway.QUESTIONS if question.kb_ids or question.texts else Gateway.ASSISTANT


@dataclass(frozen=True, slots=True)
class GatewayState:
    """How a gateway stands: whom it lets in since when and why, and how much waits behind it."""

    gateway: Gateway
    breaker: Breaker
    breaker_state: BreakerState
    waiting: int
    limit: int

    @property
    def is_full(self) -> bool:
        """Whether so much waits that nothing more is let in."""
        return self.waiting >= self.limit

    @property
    def state(self) -> BreakerState:
        """Whom it lets in: a full one nobody, whatever its breaker says."""
        return BreakerState.OPEN if self.is_full else self.breaker_state

    @property
    def since(self) -> datetime | None:
        """Since when, None where it has never been otherwise."""
        return self.breaker.full_since if self.is_full else self.breaker.since

    @property
    def reason(self) -> str:
        """Why not everybody is let in, or what failed last; empty where all is well."""
        return f"{self.waiting} messages wait, of {self.limit} at most" if self.is_full else self.breaker.reason


class Gateways:
    """Lets callers in, as long as what waits is within the limits and what stands behind works.

    Who is turned away adds nothing to the queue, so it drains, and the next look at it lets callers in again. A
    breaker that has rested lets one caller in, of all processes together; if that goes well, it lets in everybody.
    """

    def __init__(
        self, *, queues: Queues, limits: Mapping[Gateway, int], breakers: Breakers, rule: BreakerRule, clock: Clock
    ) -> None:
        self._queues = queues
        self._limits = limits
        self._breakers = breakers
        self._rule = rule
        self._clock = clock
        self._seen: dict[Gateway, tuple[datetime, GatewayState]] = {}

    def admit(self, gateway: Gateway) -> None:
        """Let a caller in.

        Raises:
            Overloaded: too much is waiting, or what stands behind fails; it says when to come back.
        """
        state = self._state(gateway)
        if state.is_full:
            raise Overloaded(f"too many {gateway} are waiting", retry_after=COME_BACK[gateway])
        if state.state is not BreakerState.CLOSED:
            self._admit_probe(gateway)

    def states(self, caller: Principal) -> list[GatewayState]:
        """Return how all gateways stand.

        Raises:
            NotPermitted: the caller is no operator; what waits is all tenants'.
        """
        if not caller.is_operator:
            raise NotPermitted("this needs the role operator")
        return [self._look(gateway) for gateway in Gateway]

    def _admit_probe(self, gateway: Gateway) -> None:
        """Let a caller in if it is the one to try whether it works again."""
        now, breaker = self._clock.now(), self._breakers.get(gateway)
        if breaker.state(now, self._rule) is BreakerState.CLOSED:
            return
        probe = probed(breaker, now, self._rule)
        try:
            if probe:
                self._breakers.put(gateway, probe, before=breaker)
                logger.info("gateway %s lets one caller in to see whether it works again", gateway)
                return
        except StaleState:
            breaker = self._breakers.get(gateway)
        raise Overloaded(f"{gateway} are not taken: {breaker.reason}", retry_after=breaker.retry_after(now, self._rule))

    def _state(self, gateway: Gateway) -> GatewayState:
        seen = self._seen.get(gateway)
        if seen and abs(self._clock.now() - seen[0]) < LOOKED_AT:
            return seen[1]
        return self._look(gateway)

    def _look(self, gateway: Gateway) -> GatewayState:
        now, breaker = self._clock.now(), self._breakers.get(gateway)
        waiting, limit = sum(self._queues.waiting(queue) for queue in QUEUES[gateway]), self._limits[gateway]
        breaker = self._noted(gateway, breaker, is_full=waiting >= limit)
        state = GatewayState(gateway, breaker, breaker.state(now, self._rule), waiting, limit)
        self._seen[gateway] = (now, state)
        return state

    def _noted(self, gateway: Gateway, breaker: Breaker, *, is_full: bool) -> Breaker:
        """Note since when a queue has been full, once, for all processes to see."""
        if is_full is (breaker.full_since is not None):
            return breaker
        noted = replace(breaker, full_since=self._clock.now() if is_full else None)
        try:
            self._breakers.put(gateway, noted, before=breaker)
        except StaleState:
            return self._breakers.get(gateway)
        logger.warning("gateway %s is %s", gateway, "full" if is_full else "no longer full")
        return noted
