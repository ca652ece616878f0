"""One endpoint of a pool: its client, its breaker, and when it wants to be asked again."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from knowledge_base.adapters.openai.breakers import Breaker, BreakerOpen
from knowledge_base.adapters.openai.endpoint_errors import EndpointBusy, translated
from knowledge_base.settings import Endpoint

if TYPE_CHECKING:
    from openai import OpenAI, Timeout

T = TypeVar("T")

CONNECT_SECONDS = 3.0

UNSAID_WAIT = 1.0
"""How long an endpoint is left alone that answers 429 without saying how long."""

LONE_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
"""For str.translate: halves of characters, which JSON may hold but no request can be sent with."""


class Member:
    """An endpoint with what is known of its health."""

    def __init__(self, endpoint: Endpoint, breaker: Breaker) -> None:
        self.endpoint = endpoint
        self.host = urlsplit(endpoint.base_url).hostname or ""
        self._breaker = breaker
        self._busy_until = 0.0
        self._open_until = 0.0

    @cached_property
    def client(self) -> OpenAI:
        """The SDK's client: its retries are off, the pool has its own; a proxy is not asked for this machine."""
        from openai import DefaultHttpx2Client, OpenAI

        return OpenAI(
            base_url=self.endpoint.base_url,
            api_key=self.endpoint.api_key.strip() or "none",
            max_retries=0,
            http_client=DefaultHttpx2Client(trust_env=not _is_loopback(self.host)),
        )

    @property
    def busy_for(self) -> float:
        """The seconds for which it asked to be left alone."""
        return max(0.0, self._busy_until - time.monotonic())

    @property
    def away_for(self) -> float:
        """The seconds for which there is no use in asking it, for whatever reason."""
        return max(self.busy_for, self._open_until - time.monotonic())

    def ask(self, action: Callable[[Member], T]) -> T:
        """Return what an action gives; remember what its failure says of the endpoint.

        Raises:
            EndpointError: it failed.
            BreakerOpen: it was not tried, after too many failures.
        """
        try:
            return self._breaker.call(lambda: translated(lambda: action(self)))
        except EndpointBusy as busy:
            self._busy_until = time.monotonic() + (UNSAID_WAIT if busy.retry_after is None else busy.retry_after)
            raise
        except BreakerOpen as breaker:
            self._open_until = time.monotonic() + breaker.retry_after
            raise


def timeout(seconds: float) -> Timeout:
    """Return the SDK's time-out for a request that may be silent for so long."""
    from openai import Timeout

    return Timeout(connect=min(CONNECT_SECONDS, seconds), read=seconds, write=seconds, pool=seconds)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
