"""What a client talks to in place of API Gateway: streams are served here, all else is passed on to the emulator.

The emulator's gateway holds a reply back until it is whole. So the function that streams is served by this very
process, as the Lambda Web Adapter serves it on AWS; every other request goes through the emulated gateway.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import Message, Receive, Scope, Send

from infra.local.gateway_replies import GatewayReplies, GatewayReply

MEGABYTE = 1024 * 1024
MOST_BYTES = 51 * MEGABYTE
"""The largest body: a document of 50 MB and the form around it."""
_STILL_READ = 4 * MOST_BYTES
"""So much of a body that is too large is read all the same: a client that still sends does not see the reply."""

_UNMAPPED = b"Missing Authentication Token"
_OF_ONE_HOP = frozenset(
    (
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "host",
        "content-length",
        "date",
        "server",
    )
)
_EMULATORS_OWN = ("x-amz-", "x-ministack-")
"""Headers by which the emulator chooses a service; a client must not."""

logger = logging.getLogger(__name__)


class BodyTooLarge(Exception):
    """A request's body is larger than any that is taken."""


class FrontDoor:
    """The ASGI application of the front door."""

    def __init__(self, *, stream: Starlette, api_url: str, client: httpx.AsyncClient, replies: GatewayReplies) -> None:
        self._stream = stream
        self._api = httpx.URL(api_url)
        self._client = client
        self._replies = replies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        try:
            body = await read_body(request)
        except BodyTooLarge:
            await _response(self._replies.too_large)(scope, receive, send)
            return
        plain = {**scope, "path": scope["path"].rstrip("/") or "/"}
        if _is_streamed(self._stream.routes, plain):
            await self._stream(plain, _replayed(body, receive), send)
        else:
            response = await self._pass_on(request, body)
            await response(scope, receive, send)

    async def _pass_on(self, request: Request, body: bytes) -> Response:
        path: bytes = request.scope.get("raw_path") or request.scope["path"].encode()
        if _climbs(path):
            return _response(self._replies.not_found)
        try:
            reply = await self._client.send(self._outgoing(request, path, body))
        except httpx.HTTPError as error:
            logger.warning("the emulator does not answer: %s", type(error).__name__)
            return _response(self._replies.broken.saying("INTEGRATION_FAILURE", "the emulated gateway does not answer"))
        return self._passed_back(reply)

    def _outgoing(self, request: Request, path: bytes, body: bytes) -> httpx.Request:
        query: bytes = request.scope.get("query_string", b"")
        target = self._api.raw_path + path + (b"?" + query if query else b"")
        # The target goes out byte by byte as it came in; a URL would be normalised.
        return self._client.build_request(
            request.method,
            self._api,
            headers=_outgoing_headers(request),
            content=body,
            extensions={"target": target},
        )

    def _passed_back(self, reply: httpx.Response) -> Response:
        if reply.status_code == 403 and _UNMAPPED in reply.content:
            return _response(self._replies.not_found)
        if reply.status_code == 502:
            return _response(self._replies.broken.saying("INTEGRATION_FAILURE", "the function failed; see its log"))
        response = Response(reply.content, reply.status_code)
        response.raw_headers += [
            (name.lower(), value) for name, value in reply.headers.raw if name.lower().decode() not in _OF_ONE_HOP
        ]
        return response


async def read_body(request: Request) -> bytes:
    """Return a request's body.

    Raises:
        BodyTooLarge: it has more than `MOST_BYTES`.
    """
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size <= MOST_BYTES:
            parts.append(part)
        elif size > _STILL_READ:
            break
    if size > MOST_BYTES:
        raise BodyTooLarge
    return b"".join(parts)


def _is_streamed(routes: Iterable[BaseRoute], scope: Scope) -> bool:
    """Whether the template gives a request to the function that streams: its methods, and what a browser asks first."""
    wanted = (Match.FULL, Match.PARTIAL) if scope["method"] == "OPTIONS" else (Match.FULL,)
    return any(route.matches(scope)[0] in wanted for route in routes)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body that was read already, and after it what still comes."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return messages.pop() if messages else await receive()

    return receive_again


def _climbs(path: bytes) -> bool:
    """Whether a path holds `.` or `..`, by which it could leave the API for the emulator's own paths."""
    segments = path.lower().replace(b"%2e", b".").replace(b"%2f", b"/").replace(b"%5c", b"/").split(b"/")
    return b"." in segments or b".." in segments


def _outgoing_headers(request: Request) -> list[tuple[bytes, bytes]]:
    """Return what is passed on; the emulator takes a client's address from a header, so no client may set that."""
    client = request.client.host if request.client else "127.0.0.1"
    kept = [
        (name, value)
        for name, value in request.headers.raw
        if (text := name.decode("latin-1").lower()) not in _OF_ONE_HOP
        and text != "x-forwarded-for"
        and not text.startswith(_EMULATORS_OWN)
    ]
    return [*kept, (b"x-forwarded-for", client.encode())]


def _response(reply: GatewayReply) -> Response:
    return Response(reply.body, reply.status, dict(reply.headers), media_type="application/json")
