"""Serves what streams, downloads or takes its time over ASGI, under the Lambda Web Adapter and on a laptop alike.

A stream reads the answer log, slower the longer nothing comes. A client that leaves ends the
reading, not the answer; one that comes back with `Last-Event-ID` gets the rest.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence

from anyio.to_thread import run_sync
from starlette import requests, responses
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Route

from knowledge_base.dialects.asgi import Endpoint, read_request, refusal
from knowledge_base.dialects.contract import (
    ALLOWED_HEADERS,
    EXPOSED_HEADERS,
    AnswerRoute,
    Contract,
    Request,
    StreamEncoder,
    StreamRoute,
    authenticated,
)
from knowledge_base.dialects.downloads import download_endpoint
from knowledge_base.dialects.polling import events_until_end
from knowledge_base.dialects.waiting import answer_endpoint, slow_endpoint
from knowledge_base.domain.answers import AnswerFailed, AnswerFinished, AnswerRecord, EventId, Stage
from knowledge_base.services.registry import Services

HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

logger = logging.getLogger(__name__)


def streaming_application(
    contracts: Iterable[Contract], get_services: Callable[[], Services], *, cors_origins: Sequence[str] = ()
) -> Starlette:
    """Return the application that answers what the contracts do not leave to plain functions."""
    routes = [route for contract in contracts for route in _routes(contract, get_services)]
    return Starlette(middleware=_cors(cors_origins), routes=routes)


def _routes(contract: Contract, get_services: Callable[[], Services]) -> Iterator[Route]:
    for stream in contract.streams:
        yield Route(stream.path, _endpoint(contract, stream, get_services), methods=[stream.method])
    for download in contract.downloads:
        yield Route(download.path, download_endpoint(contract, download, get_services), methods=[download.method])
    for answer in contract.answers:
        yield Route(answer.path, _answer_endpoint(contract, answer, get_services), methods=[answer.method])
    for slow in contract.slow:
        yield Route(slow.path, slow_endpoint(contract, slow, get_services), methods=[slow.method])


def _cors(origins: Sequence[str]) -> list[Middleware]:
    if not origins:
        return []
    return [
        Middleware(
            CORSMiddleware,
            allow_origins=origins,
            allow_methods=("GET", "POST"),
            allow_headers=ALLOWED_HEADERS,
            expose_headers=EXPOSED_HEADERS,
        )
    ]


def _answer_endpoint(contract: Contract, route: AnswerRoute, get_services: Callable[[], Services]) -> Endpoint:
    waiting = answer_endpoint(contract, route, get_services)
    if route.encoder is None:
        return waiting
    streaming = _endpoint(
        contract, StreamRoute(route.method, route.path, route.start, route.encoder, route.summary), get_services
    )

    async def respond(incoming: requests.Request) -> responses.Response:
        try:
            wants_stream = route.wants_stream(await read_request(incoming))
        except Exception as error:  # noqa: BLE001 - every error is told in the contract's form
            return refusal(contract, error)
        return await (streaming if wants_stream else waiting)(incoming)

    return respond


def _endpoint(contract: Contract, route: StreamRoute, get_services: Callable[[], Services]) -> Endpoint:
    async def respond(incoming: requests.Request) -> responses.Response:
        try:
            request = await read_request(incoming)
            record = await run_sync(_begin, route, request, get_services())
        except Exception as error:  # noqa: BLE001 - every error is told in the contract's form
            return refusal(contract, error)
        frames = follow(get_services(), record, route.encoder(), _last_event_id(request.headers))
        headers = HEADERS | {"X-Answer-Token": record.token}
        return responses.StreamingResponse(frames, media_type="text/event-stream", headers=headers)

    return respond


def _begin(route: StreamRoute, request: Request, services: Services) -> AnswerRecord:
    """Start an answer, or return to the one that a client names who says how far it has read."""
    known = authenticated(request, services)
    token = known.headers.get("x-answer-token")
    if token and "last-event-id" in known.headers:
        return services.answers.head(known.principal, token)
    return route.start(known, services)


async def follow(
    services: Services, record: AnswerRecord, encoder: StreamEncoder, after: EventId | None
) -> AsyncIterator[str]:
    """Yield an answer's frames until its terminal event; events up to `after` are not sent again.

    The encoder still sees them, since a later frame may need what they said. The terminal event is
    always sent: a client that asks again has not understood that it was the end.
    """
    try:
        async for logged in events_until_end(services, record):
            if logged is None:
                yield ": heartbeat\n\n"
                continue
            frames = list(encoder.encode(logged))
            if after is None or logged.event_id > after or isinstance(logged.event, AnswerFinished | AnswerFailed):
                for frame in frames:
                    yield frame
    except Exception:
        logger.exception("stream broke", extra={"answer_token": record.token})
        for frame in encoder.fail(500, "internal error"):
            yield frame


def _last_event_id(headers: Mapping[str, str]) -> EventId | None:
    """Return where a returning client left off; what is not an id of ours is no id."""
    stage, _, number = headers.get("last-event-id", "").partition(".")
    if stage not in list(Stage) or not (number.isascii() and number.isdigit() and len(number) < 10):
        return None
    return EventId(Stage(stage), int(number))
