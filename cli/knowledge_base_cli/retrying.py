"""Tries a request again when that can help: when the service is busy, or when the connection broke."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

BUSY = frozenset({429, 503})
"""The service says that it did nothing and may be asked again."""
PASSING = BUSY | {500, 502, 504}
"""Errors that pass; the request may have been carried out, so that only what can be repeated is."""

Note = Callable[[float, str], None]
"""Is told how long is waited, and why."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how long; all figures are seconds. Waits double from `first` to `longest`."""

    tries: int = 7
    first: float = 0.5
    longest: float = 20.0
    longest_asked: float = 120.0
    """A service that asks for more than this is not waited for."""

    def wait(self, tried: int) -> float:
        """Return how long to wait after so many tries, spread so that many clients do not come back at once."""
        return min(self.longest, self.first * 2.0 ** (tried - 1)) * random.uniform(0.75, 1.25)  # noqa: S311


def no_note(_seconds: float, _why: str) -> None:
    """Tell nobody."""


async def with_patience(
    send: Callable[[], Awaitable[httpx.Response]], *, repeatable: bool, patience: Patience, note: Note = no_note
) -> httpx.Response:
    """Return the first reply that is worth no further try, or the last one.

    What is not `repeatable` is sent again only if it surely was not carried out.

    Raises:
        httpx.TransportError: no try got a reply.
    """
    for tried in range(1, patience.tries):
        try:
            reply = await send()
        except httpx.TransportError as error:
            if not may_help(error, repeatable=repeatable):
                raise
            wait, why = patience.wait(tried), "the connection broke"
        else:
            if reply.status_code not in (PASSING if repeatable else BUSY):
                return reply
            wait = asked_wait(reply) if "retry-after" in reply.headers else patience.wait(tried)
            why = f"the service is busy ({reply.status_code})"
            if wait > patience.longest_asked:
                return reply
            await reply.aclose()
        note(wait, why)
        await asyncio.sleep(wait)
    return await send()


def may_help(error: httpx.TransportError, *, repeatable: bool) -> bool:
    """Whether another try could end better, and does no harm."""
    if isinstance(error, httpx.UnsupportedProtocol | httpx.LocalProtocolError | httpx.ProxyError):
        return False
    return repeatable or isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)


def asked_wait(reply: httpx.Response) -> float:
    """Return the seconds that `Retry-After` asks for: a number, or a date (RFC 9110, 10.2.3)."""
    asked = reply.headers.get("retry-after", "").strip()
    if asked.isascii() and asked.isdigit():
        return float(asked[:9])
    try:
        moment = parsedate_to_datetime(asked)
    except ValueError:
        return 1.0
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
