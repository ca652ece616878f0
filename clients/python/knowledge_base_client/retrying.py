"""When a call is made again: after a broken connection, and when the service is busy."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from knowledge_base_client.replies import fault_of

PASSING = frozenset({429, 502, 503, 504})
"""Errors that pass. By 502 and 504 the call may have been carried out, and so it may by a 503 that names no time."""

SETTING_MISSING = "not_configured"
"""The code of a 503 that no waiting mends."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how long; all figures are seconds. Waits double from `first` to `longest`.

    A call that can be repeated is made again after a connection error or a time-out, and after 429, 502, 503 and
    504. Any other is made again only if it surely was not carried out: no connection came about, or the service
    refused it before any work, by 429 or by 503 with `Retry-After`.
    """

    tries: int = 5
    first: float = 0.5
    longest: float = 20.0
    longest_asked: float = 120.0
    """A service that asks for more than this is not waited for."""

    def wait(self, tried: int) -> float:
        """Return how long to wait after so many tries, spread so that many clients do not come back at once."""
        return min(self.longest, self.first * 2.0 ** (tried - 1)) * random.uniform(0.75, 1.25)  # noqa: S311 - spreads tries

    def wait_after_break(self, tried: int, error: httpx.TransportError, *, repeatable: bool) -> float | None:
        """Return how long to wait after a call that got no reply; None: do not try again."""
        if tried >= self.tries or not _may_help(error, repeatable=repeatable):
            return None
        return self.wait(tried)

    def wait_after_reply(self, tried: int, reply: httpx.Response, *, repeatable: bool) -> float | None:
        """Return how long to wait after a reply; None: it stands."""
        if tried >= self.tries or not _may_pass(reply, repeatable=repeatable):
            return None
        asked = asked_wait(reply)
        if asked is None:
            return self.wait(tried)
        return asked if asked <= self.longest_asked else None


NONE = Patience(tries=1)


def asked_wait(reply: httpx.Response) -> float | None:
    """Return the seconds that `Retry-After` asks for: a number, or a date (RFC 9110, 10.2.3); None without one."""
    asked = reply.headers.get("retry-after", "").strip()
    if asked.isascii() and asked.isdigit():
        return float(asked[:9])
    try:
        moment = parsedate_to_datetime(asked)
    except ValueError:
        return None
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def _may_help(error: httpx.TransportError, *, repeatable: bool) -> bool:
    if isinstance(error, httpx.UnsupportedProtocol | httpx.LocalProtocolError | httpx.ProxyError):
        return False
    return repeatable or isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)


def _may_pass(reply: httpx.Response, *, repeatable: bool) -> bool:
    if reply.status_code not in PASSING or fault_of(reply)[0] == SETTING_MISSING:
        return False
    is_untouched = reply.status_code == 429 or (reply.status_code == 503 and asked_wait(reply) is not None)
    return repeatable or is_untouched
