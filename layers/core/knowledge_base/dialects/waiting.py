"""Serves the contracts' routes that answer in JSON, and may take longer than the gateway gives a plain function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import anyio
from anyio.to_thread import run_sync
from starlette import requests, responses

from knowledge_base.dialects.asgi import Endpoint, plain, read_request, refusal
from knowledge_base.dialects.contract import AnswerRoute, Contract, Reply, Request, Route, authenticated
from knowledge_base.dialects.polling import events_until_end
from knowledge_base.domain.answers import AnswerRecord
from knowledge_base.services.registry import Services

LONGEST_WAIT = 240.0
"""In seconds; a regional API Gateway cuts a connection that was silent for five minutes."""

SLOW_AT_ONCE = 16
"""So many slow routes run at a time in one process; they must not keep streams from their threads."""

CLIENT_LEFT = 499


def answer_endpoint(contract: Contract, route: AnswerRoute, get_services: Callable[[], Services]) -> Endpoint:
    """Return the endpoint that starts an answer and tells it when it has ended.

    A client that leaves ends the waiting, not the answer. One whose answer takes too long is told
    where it will be found.
    """

    async def respond(incoming: requests.Request) -> responses.Response:
        try:
            request = await read_request(incoming)
            record = await run_sync(_begin, route, request, get_services())
            return plain(await _told(contract, route, get_services(), record, incoming))
        except Exception as error:  # noqa: BLE001 - every error is told in the contract's form
            return refusal(contract, error)

    return respond


def slow_endpoint(contract: Contract, route: Route, get_services: Callable[[], Services]) -> Endpoint:
    """Return the endpoint of a plain route that may take its time."""
    limiter: list[anyio.CapacityLimiter] = []

    async def respond(incoming: requests.Request) -> responses.Response:
        if not limiter:
            limiter.append(anyio.CapacityLimiter(SLOW_AT_ONCE))
        try:
            request = await read_request(incoming)
            return plain(await run_sync(_handled, route, request, get_services(), limiter=limiter[0]))
        except Exception as error:  # noqa: BLE001 - every error is told in the contract's form
            return refusal(contract, error)

    return respond


def _begin(route: AnswerRoute, request: Request, services: Services) -> AnswerRecord:
    return route.start(authenticated(request, services), services)


def _handled(route: Route, request: Request, services: Services) -> Reply:
    return route.handle(authenticated(request, services, public=route.public), services)


async def _told(
    contract: Contract, route: AnswerRoute, services: Services, record: AnswerRecord, incoming: requests.Request
) -> Reply:
    token = {"X-Answer-Token": record.token}
    with anyio.move_on_after(LONGEST_WAIT) as scope:
        async for _ in events_until_end(services, record):
            if await incoming.is_disconnected():
                return Reply(CLIENT_LEFT, None, token)
    if scope.cancelled_caught:
        return contract.refusal(504, "timeout", f"not ready yet: read it at /answers/{record.token}", token)
    reply = route.tell(await run_sync(services.answers.get, record.principal, record.token))
    return replace(reply, headers={**reply.headers, **token})
