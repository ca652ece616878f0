"""Serves the contracts' streams and downloads over ASGI, under the Lambda Web Adapter and on a laptop alike.

A stream reads the answer log, slower the longer nothing comes. A client that leaves ends the
reading, not the answer; one that comes back with `Last-Event-ID` gets the rest.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence

import anyio
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
    Contract,
    Request,
    StreamEncoder,
    StreamRoute,
    authenticated,
)
from knowledge_base.dialects.downloads import download_endpoint
from knowledge_base.domain.answers import AnswerFailed, AnswerFinished, AnswerRecord, EventId, LoggedEvent, Stage
from knowledge_base.services.registry import Services

POLL_FIRST, POLL_LAST, POLL_GROWTH = 0.025, 0.25, 1.3
HEARTBEAT_SECONDS = 15.0
"""Longest silence of a stream; proxies on the way cut idle connections, some after 30 seconds."""

HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

logger = logging.getLogger(__name__)


def streaming_application(
    contracts: Iterable[Contract], get_services: Callable[[], Services], *, cors_origins: Sequence[str] = ()
) -> Starlette:
    """Return the application that answers every stream and download route of the contracts."""
    routes = [route for contract in contracts for route in _routes(contract, get_services)]
    return Starlette(middleware=_cors(cors_origins), routes=routes)


def _routes(contract: Contract, get_services: Callable[[], Services]) -> Iterator[Route]:
    for stream in contract.streams:
        yield Route(stream.path, _endpoint(contract, stream, get_services), methods=[stream.method])
    for download in contract.downloads:
        yield Route(download.path, download_endpoint(contract, download, get_services), methods=[download.method])


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
        async for logged in _events(services, record):
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


async def _events(services: Services, record: AnswerRecord) -> AsyncIterator[LoggedEvent | None]:
    """Yield events as they are written, up to the terminal one, and None after each long silence."""
    last: EventId | None = None
    pause, silent = POLL_FIRST, 0.0
    while True:
        events = await run_sync(services.answers.events, record, last)
        for logged in events:
            yield logged
            last = logged.event_id
            if isinstance(logged.event, AnswerFinished | AnswerFailed):
                return
        pause = POLL_FIRST if events else min(POLL_LAST, pause * POLL_GROWTH)
        silent = 0.0 if events else silent + pause
        if silent >= HEARTBEAT_SECONDS:
            silent = 0.0
            yield None
        await anyio.sleep(pause)


def _last_event_id(headers: Mapping[str, str]) -> EventId | None:
    """Return where a returning client left off; what is not an id of ours is no id."""
    stage, _, number = headers.get("last-event-id", "").partition(".")
    if stage not in list(Stage) or not (number.isascii() and number.isdigit() and len(number) < 10):
        return None
    return EventId(Stage(stage), int(number))
