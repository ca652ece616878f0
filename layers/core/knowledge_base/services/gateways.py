"""Keep more work from coming in than is being done: what would wait too long is refused at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from knowledge_base.domain.access import Principal
from knowledge_base.domain.errors import NotPermitted, Overloaded
from knowledge_base.ports.clock import Clock
from knowledge_base.ports.queues import Queue, Queues

LOOKED_AT = 1.0
"""For so long a queue's depth is believed, in seconds: SQS itself tells it no more exactly."""


class Gateway(StrEnum):
    """Where work comes in; the assistant's questions are questions."""

    DOCUMENTS = "documents"
    QUESTIONS = "questions"


QUEUES: Mapping[Gateway, tuple[Queue, ...]] = {
    Gateway.DOCUMENTS: (Queue.FETCH, Queue.PARSE, Queue.EMBED),
    Gateway.QUESTIONS: (Queue.QUESTION,),
}
"""Whose messages a gateway counts: those that it fills, and those that fill up behind them."""

COME_BACK: Mapping[Gateway, int] = {Gateway.DOCUMENTS: 60, Gateway.QUESTIONS: 5}
"""When a refused caller may try again, in seconds."""


@dataclass(frozen=True, slots=True)
class GatewayState:
    """How much waits behind a gateway; from `limit` on, nothing more is let in."""

    gateway: Gateway
    waiting: int
    limit: int

    @property
    def is_refusing(self) -> bool:
        """Whether callers are turned away."""
        return self.waiting >= self.limit


class Gateways:
    """Lets callers in, as long as what waits is within the limits.

    Who is turned away adds nothing to the queue, so it drains, and the next look at it lets callers in again.
    """

    def __init__(self, *, queues: Queues, limits: Mapping[Gateway, int], clock: Clock) -> None:
        self._queues = queues
        self._limits = limits
        self._clock = clock
        self._seen: dict[Gateway, tuple[float, GatewayState]] = {}

    def admit(self, gateway: Gateway) -> None:
        """Let a caller in.

        Raises:
            Overloaded: too much is waiting; it says when to come back.
        """
        state = self._state(gateway)
        if state.is_refusing:
            raise Overloaded(f"too many {gateway} are waiting", retry_after=COME_BACK[gateway])

    def states(self, caller: Principal) -> list[GatewayState]:
        """Return how all gateways stand.

        Raises:
            NotPermitted: the caller is no operator; what waits is all tenants'.
        """
        if not caller.is_operator:
            raise NotPermitted("this needs the role operator")
        return [self._state(gateway) for gateway in Gateway]

    def _state(self, gateway: Gateway) -> GatewayState:
        now = self._clock.now().timestamp()
        seen = self._seen.get(gateway)
        if seen and abs(now - seen[0]) < LOOKED_AT:
            return seen[1]
        waiting = sum(self._queues.waiting(queue) for queue in QUEUES[gateway])
        state = GatewayState(gateway, waiting, self._limits[gateway])
        self._seen[gateway] = (now, state)
        return state
