"""Circuit breakers of the gateways: how failures open them, and how a single probe closes them again.

Pure transitions; where the state lives is a port's business (`ports/breakers.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

PROBE = timedelta(seconds=30)
"""For so long one probe may take before the next is let in: a caller's mistake, for one, tells nothing."""


class BreakerState(StrEnum):
    """Whether callers are let in: all of them, none, or one at a time to see whether it works again."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


@dataclass(frozen=True, slots=True)
class BreakerRule:
    """So many failures in a row open a breaker, and it stays open for so long before it is probed."""

    failures: int = 10
    rest: timedelta = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class Breaker:
    """What is known of what stands behind a gateway; `turn` is raised by every change.

    `since` is when it last opened or closed, `opened_at` when its present rest began, None while it is closed.
    `full_since` is about the queue behind it, which no failure fills and no probe empties.
    """

    turn: int = 0
    failures: int = 0
    since: datetime | None = None
    reason: str = ""
    opened_at: datetime | None = None
    probe_at: datetime | None = None
    full_since: datetime | None = None

    def state(self, now: datetime, rule: BreakerRule) -> BreakerState:
        """Return whom it lets in at a moment."""
        if self.opened_at is None:
            return BreakerState.CLOSED
        return BreakerState.OPEN if now < self.opened_at + rule.rest else BreakerState.HALF_OPEN

    def retry_after(self, now: datetime, rule: BreakerRule) -> float:
        """Return the seconds after which a refused caller may be the probe."""
        if self.opened_at is None:
            return 0.0
        next_probe = self.probe_at + PROBE if self.probe_at else self.opened_at + rule.rest
        return max(1.0, (next_probe - now).total_seconds())


def failed(breaker: Breaker, reason: str, now: datetime, rule: BreakerRule) -> Breaker:
    """Return the breaker after a failure: one more in a row, open, or open anew after a probe.

    While it rests, what was let in before may still fail; that tells nothing new.
    """
    state = breaker.state(now, rule)
    if state is BreakerState.OPEN:
        return breaker
    failures = breaker.failures + 1
    if state is BreakerState.HALF_OPEN:
        return replace(breaker, failures=failures, reason=reason, opened_at=now, probe_at=None)
    if failures < rule.failures:
        return replace(breaker, failures=failures, reason=reason)
    return replace(breaker, failures=failures, reason=reason, since=now, opened_at=now, probe_at=None)


def worked(breaker: Breaker, now: datetime, rule: BreakerRule) -> Breaker:
    """Return the breaker after something went well: closed, unless it still rests; no failures in a row."""
    state = breaker.state(now, rule)
    if state is BreakerState.OPEN or (state is BreakerState.CLOSED and not breaker.failures):
        return breaker
    since = breaker.since if state is BreakerState.CLOSED else now
    return replace(breaker, failures=0, reason="", since=since, opened_at=None, probe_at=None)


def probed(breaker: Breaker, now: datetime, rule: BreakerRule) -> Breaker | None:
    """Return the half-open breaker with its one probe let in; None when it is not, or another is under way."""
    if breaker.state(now, rule) is not BreakerState.HALF_OPEN:
        return None
    is_taken = breaker.probe_at is not None and now < breaker.probe_at + PROBE
    return None if is_taken else replace(breaker, probe_at=now)
