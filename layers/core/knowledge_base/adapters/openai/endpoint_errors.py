"""What can go wrong with one endpoint, and what that means for the others.

EndpointError
├── EndpointDown      silent, broken or failing: try another, and this one again later
├── EndpointBusy      429: try another, and this one when it said
├── EndpointClosed    401, 403, 404: its key or its address is wrong; try another, never this one
└── RequestRefused    any other 4xx: about the request itself, so nobody else is asked

Their texts hold neither keys nor bodies: the SDK's own errors quote both.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from openai import APIStatusError

T = TypeVar("T")

MAX_WAIT = 3600.0

_CLOSED = frozenset({401, 403, 404})
_PASSING = frozenset({408, 409, 425})


class EndpointError(Exception):
    """One endpoint did not do what it was asked."""


class EndpointDown(EndpointError):
    """The endpoint does not work now."""


class EndpointBusy(EndpointError):
    """The endpoint wants us to wait; `retry_after` in seconds, None where it did not say how long."""

    def __init__(self, retry_after: float | None) -> None:
        super().__init__("is busy (status 429)")
        self.retry_after = retry_after


class EndpointClosed(EndpointError):
    """The endpoint does not let us in."""

    def __init__(self, status: int) -> None:
        super().__init__(f"does not let us in (status {status})")
        self.status = status


class RequestRefused(EndpointError):
    """The endpoint does not accept the request; `parameter` is what it says it does not know."""

    def __init__(self, status: int, parameter: str | None = None) -> None:
        super().__init__(f"refused the request (status {status})")
        self.status = status
        self.parameter = parameter


def translated(action: Callable[[], T]) -> T:
    """Return what an action on the SDK gives.

    Raises:
        EndpointError: the SDK raised anything at all; nothing of that goes with it.
    """
    found: EndpointError
    try:
        return action()
    except EndpointError:
        raise
    except Exception as error:  # noqa: BLE001 the SDK lets anything through that a strange reply provokes
        found = _endpoint_error(error)
    # Raised out here, so that the SDK's error is not chained to it and shown in a log.
    raise found


def _endpoint_error(error: Exception) -> EndpointError:
    import httpx2
    import openai

    if isinstance(error, openai.APIStatusError):
        return _by_status(error)
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
        return EndpointDown("did not answer in time")
    if isinstance(error, openai.APIConnectionError | httpx2.TransportError):
        return EndpointDown("cannot be reached, or broke off")
    return EndpointDown(f"gave a reply that is not understood ({type(error).__name__})")


def _by_status(error: APIStatusError) -> EndpointError:
    status = error.status_code
    if status == 429:
        return EndpointBusy(seconds_to_wait(error.response.headers, time.time()))
    if status in _CLOSED:
        return EndpointClosed(status)
    if status < 500 and status not in _PASSING:
        return RequestRefused(status, error.param)
    return EndpointDown(f"failed (status {status})")


def seconds_to_wait(headers: Mapping[str, str], now: float) -> float | None:
    """Return what Retry-After says, as seconds or as a date, at most an hour; None where it says nothing useful."""
    value = headers.get("retry-after", "").strip()
    try:
        seconds = float(value) if value[:1].isdigit() else parsedate_to_datetime(value).timestamp() - now
    except ValueError:
        return None
    return min(max(0.0, seconds), MAX_WAIT)
