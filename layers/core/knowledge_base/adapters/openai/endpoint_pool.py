"""A pool of OpenAI-compatible endpoints: load balancing, failover, breakers, waiting as told."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from knowledge_base.adapters.openai.breakers import Breaker, BreakerOpen, ProcessBreakerStore
from knowledge_base.adapters.openai.endpoint_errors import EndpointClosed, EndpointDown, EndpointError, RequestRefused
from knowledge_base.adapters.openai.pool_member import Member
from knowledge_base.settings import Endpoint

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.circuit_breaker.persistence.base import CircuitBreakerPersistenceLayer

T = TypeVar("T")

ROUNDS = 3
"""How often an endpoint is asked, at most, for one request."""

FIRST_PAUSE = 0.2
"""The wait after the first round in which all failed; it doubles with each."""

logger = logging.getLogger(__name__)


class PoolExhausted(Exception):
    """No endpoint answers; after `retry_after` seconds one might."""

    def __init__(self, retry_after: float) -> None:
        super().__init__("no endpoint answers")
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Pace:
    """How patient to be: `limit` seconds with one endpoint, `patience` with all of them together."""

    limit: float
    patience: float


class EndpointPool:
    """Asks the endpoints of one purpose, the heavier ones more often, until one answers."""

    def __init__(
        self,
        endpoints: Sequence[Endpoint],
        *,
        purpose: str,
        breaker_store: CircuitBreakerPersistenceLayer | None = None,
    ) -> None:
        if not endpoints:
            raise ValueError(f"the {purpose} pool has no endpoint")
        store = breaker_store or ProcessBreakerStore()
        self._purpose = purpose
        self._members = [
            Member(endpoint, Breaker(f"{purpose}-{number}-{endpoint.base_url}", store))
            for number, endpoint in enumerate(endpoints)
        ]

    @property
    def members(self) -> Sequence[Member]:
        """All endpoints, whether they may be asked now or not."""
        return self._members

    def ask(
        self,
        action: Callable[[Member, float], T],
        pace: Pace,
        *,
        model: str = "",
        among: Sequence[Member] | None = None,
    ) -> T:
        """Return what an action gives with the first endpoint that answers.

        The action gets an endpoint and the seconds it may take there. `among` are those that can do
        it, None means all; endpoints of `model` come first.
        Each is asked at most three times; a 429 is waited for as long as it asks, while
        patience lasts, but a breaker that is open is not.

        Raises:
            RequestRefused: an endpoint refused the request, or none lets us in.
            PoolExhausted: none answered.
        """
        able = self._members if among is None else among
        asking = _Asking(able, action, pace)
        for number in range(ROUNDS):
            for member in _in_order(able, model):
                try:
                    return asking.ask(member)
                except (EndpointError, BreakerOpen) as error:
                    logger.warning("%s endpoint at %s %s", self._purpose, member.host, error)
                    asking.note(member, error)
            if number == ROUNDS - 1 or not asking.pause(FIRST_PAUSE * 2**number):
                break
        raise asking.verdict()


class _Asking(Generic[T]):
    """One request on its way through the pool."""

    def __init__(self, members: Sequence[Member], action: Callable[[Member, float], T], pace: Pace) -> None:
        self._members = members
        self._action = action
        self._pace = pace
        self._end = time.monotonic() + pace.patience
        self._closed: dict[Member, int] = {}
        self._worth_another_try: set[Member] = set()

    def ask(self, member: Member) -> T:
        seconds = min(self._pace.limit, self._end - time.monotonic())
        if seconds <= 0:
            raise EndpointDown("was not asked, for lack of time")
        if member in self._closed:
            raise EndpointClosed(self._closed[member])
        return member.ask(lambda asked: self._action(asked, seconds))

    def note(self, member: Member, error: Exception) -> None:
        """Remember what a failure means for the rest of the request; a refusal ends it."""
        if isinstance(error, RequestRefused):
            raise error
        if isinstance(error, EndpointClosed):
            self._closed[member] = error.status
        elif isinstance(error, EndpointError):
            self._worth_another_try.add(member)

    def pause(self, seconds: float) -> bool:
        """Wait until it is worth asking somebody again; False when it is not, or not in time."""
        waiting = {member for member in self._members if member.busy_for} | self._worth_another_try
        seconds = max(seconds, min((member.busy_for for member in waiting), default=0.0))
        if not waiting or time.monotonic() + seconds >= self._end:
            return False
        time.sleep(seconds)
        self._worth_another_try.clear()
        return True

    def verdict(self) -> PoolExhausted | RequestRefused:
        """What is to be said when nobody answered."""
        if len(self._closed) == len(self._members):
            return RequestRefused(next(iter(self._closed.values())))
        away = [member.away_for for member in self._members if member not in self._closed]
        return PoolExhausted(max(1.0, min(away)))


def _in_order(members: Sequence[Member], model: str) -> list[Member]:
    """Those who may be asked now: by model, then by chance and weight."""
    present = [member for member in members if not member.away_for]
    return sorted(present, key=lambda member: (member.endpoint.model != model, _draw(member.endpoint.weight)))


def _draw(weight: int) -> float:
    """A random key: sorted by it, weighted things stand as if drawn one after another (Efraimidis and Spirakis)."""
    return -(random.random() ** (1 / weight)) if weight > 0 else 0.0  # noqa: S311 for balance, not for secrecy
