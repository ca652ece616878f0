"""Builds requests and reads replies; it does no input or output itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from urllib.parse import quote

import httpx

from knowledge_base_client.connection import Connection
from knowledge_base_client.errors import Unreachable, WrongUse
from knowledge_base_client.models.engineering import Filters
from knowledge_base_client.replies import refusal
from knowledge_base_client.retrying import Patience, asked_wait
from knowledge_base_client.steps import Call, Flow, Open, Pause, Send

INLINE_BYTES = 4_000_000
"""Larger content goes by a form of its own; a deployment on AWS takes 4.4 MB in a request, all around it included."""


@dataclass(frozen=True, slots=True)
class Core:
    """What every flow needs to know of the client that drives it; `seconds` is how long a reply may take."""

    connection: Connection
    patience: Patience = field(default_factory=Patience)
    seconds: float = 60.0
    inline_bytes: int = INLINE_BYTES
    clock: Callable[[], float] = time.monotonic

    def request(self, call: Call) -> httpx.Request:
        """Return a call as a request; the key goes to the service alone."""
        timeout = httpx.Timeout(call.seconds or self.seconds, connect=10)
        return httpx.Request(
            call.method,
            call.target if call.is_elsewhere else self.connection.url + call.target,
            params=list(call.query) or None,
            headers={**({} if call.is_elsewhere else self._own_headers()), **call.headers},
            json=call.json,
            data=dict(call.form) if call.form else None,
            files=dict(call.files) if call.files else None,
            extensions={"timeout": timeout.as_dict()},
        )

    def _own_headers(self) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {self.connection.key}",
            "Accept": "application/json",
            "User-Agent": "knowledge-base-client",
        }


def exchange(core: Core, call: Call, *, opens: bool = False, patience: Patience | None = None) -> Flow[httpx.Response]:
    """Return a call's successful reply, after as many tries as may help.

    Raises:
        Refused: the service says no.
        Unreachable: it does not answer.
    """
    reply = yield from attempt(core, call, opens=opens, patience=patience)
    if reply.is_success:
        return reply
    raise refusal(reply, asked_wait(reply))


def attempt(core: Core, call: Call, *, opens: bool = False, patience: Patience | None = None) -> Flow[httpx.Response]:
    """Return a call's reply, whatever it says, after as many tries as may help.

    Raises:
        Unreachable: the service does not answer.
    """
    patience = patience or core.patience
    is_in_doubt = False
    for tried in count(1):
        try:
            reply: httpx.Response = yield Open(call) if opens else Send(call)
        except httpx.TransportError as error:
            wait = patience.wait_after_break(tried, error, repeatable=call.repeatable)
            if wait is None:
                raise unreachable(core, call, error) from None
        else:
            wait = patience.wait_after_reply(tried, reply, repeatable=call.repeatable)
            if wait is None:
                return _settled(call, reply) if is_in_doubt else reply
        is_in_doubt = True
        yield Pause(wait)
    raise AssertionError  # pragma: no cover - the count has no end


def _settled(call: Call, reply: httpx.Response) -> httpx.Response:
    """What an earlier try may have removed is not there any more: that is what was asked for."""
    return httpx.Response(204) if call.method == "DELETE" and reply.status_code == 404 else reply


def unreachable(core: Core, call: Call, error: httpx.TransportError) -> Unreachable:
    """Return what is raised when an address does not answer; nothing of the request is in it but its host."""
    address = httpx.URL(call.target if call.is_elsewhere else core.connection.url)
    if isinstance(error, httpx.TimeoutException):
        why = "no connection in time" if isinstance(error, httpx.ConnectTimeout) else "no reply in time"
    else:
        why = str(error) or type(error).__name__
    return Unreachable(f"{address.scheme}://{address.netloc.decode()} cannot be reached: {why}")


def path(*parts: str | int) -> str:
    """Return a path of the service; its parts are data, whatever they hold.

    Raises:
        WrongUse: a part would lead elsewhere.
    """
    if any(str(part) in ("", ".", "..") for part in parts):
        raise WrongUse("an id is missing, or is none")
    return "".join(f"/{quote(str(part), safe='')}" for part in parts)


def filter_query(filters: Filters | None) -> tuple[tuple[str, str], ...]:
    """Return filters as query parameters: tags are repeated, free fields are `metadata.<name>`."""
    if filters is None:
        return ()
    said = filters.model_dump(mode="json", exclude_none=True)
    repeated = [(name, tag) for name in ("tags", "any_tags") for tag in said.pop(name)]
    free = [(f"metadata.{name}", _text(value)) for name, value in said.pop("metadata", {}).items()]
    return (*repeated, *((name, str(value)) for name, value in said.items()), *free)


def given(**fields: str | float | bool | None) -> tuple[tuple[str, str], ...]:
    """Return the query parameters that are given."""
    return tuple((name, _text(value)) for name, value in fields.items() if value is not None)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
