"""A service that answers as a test says, and both faces of the client to call it with."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import anyio
import httpx

from knowledge_base_client import AsyncKnowledgeBase, KnowledgeBase, Patience

URL = "https://kb.example.org/v1"
KEY = "kb_secret-of-ann"
AT_ONCE = Patience(tries=3, first=0, longest=0)

Answer: TypeAlias = httpx.Response | Exception | Callable[[httpx.Request], httpx.Response]


@dataclass
class Service:
    """Answers requests one after the other, by `METHOD /path`; the last answer stands for all that follow."""

    answers: dict[str, list[Answer]] = field(default_factory=dict)
    seen: list[httpx.Request] = field(default_factory=list)

    def on(self, route: str, *answers: Answer) -> None:
        self.answers[route] = list(answers)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix("/v1") if request.url.host == "kb.example.org" else str(request.url)
        self.seen.append(request)
        waiting = self.answers[f"{request.method} {path}"]
        answer = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        if isinstance(answer, Exception):
            raise answer
        # A response can be sent once; what a test has given stays as it is.
        return (
            answer(request)
            if callable(answer)
            else httpx.Response(answer.status_code, headers=answer.headers, stream=answer.stream, request=request)
        )

    @property
    def routes(self) -> list[str]:
        return [f"{request.method} {request.url.path.removeprefix('/v1')}" for request in self.seen]

    def body(self, number: int = -1) -> Any:
        return json.loads(self.seen[number].content)


class Awaited:
    """The face that awaits, called as the one that blocks is; every call has an event loop of its own."""

    def __init__(self, client: AsyncKnowledgeBase) -> None:
        self._client = client

    def __repr__(self) -> str:
        return repr(self._client)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            made = getattr(self._client, name)(*arguments, **named)
            return _Collected(made) if hasattr(made, "__anext__") else anyio.run(_result, made)

        return call


class _Collected:
    """What an asynchronous iteration gives, up to the error that ends it."""

    def __init__(self, feed: AsyncIterator[Any]) -> None:
        self._feed = feed

    def __iter__(self) -> Iterator[Any]:
        items, error = anyio.run(self._collect)
        yield from items
        if error:
            raise error

    async def _collect(self) -> tuple[list[Any], Exception | None]:
        items: list[Any] = []
        try:
            async for item in self._feed:
                items.append(item)  # noqa: PERF401 - what came before an error counts
        except Exception as error:  # noqa: BLE001 - whatever ends the iteration is raised where it is iterated
            return items, error
        return items, None


async def _result(made: Any) -> Any:
    return await made


Face: TypeAlias = KnowledgeBase | Awaited


def face(name: str, service: Service, patience: Patience = AT_ONCE) -> Any:
    """Return a face of the client that speaks to a service."""
    transport = httpx.MockTransport(service)
    if name == "blocking":
        return KnowledgeBase(URL, KEY, transport=transport, patience=patience)
    return Awaited(AsyncKnowledgeBase(URL, KEY, transport=transport, patience=patience))


def reply(body: Any, status: int = 200, **headers: str) -> httpx.Response:
    return httpx.Response(status, json=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


def problem(status: int, code: str, detail: str = "no", **headers: str) -> httpx.Response:
    body = {"type": "about:blank", "title": "Title", "status": status, "detail": detail, "code": code}
    return reply(body, status, **headers)


def document(document_id: str = "d1", status: str = "ready", **more: Any) -> dict[str, Any]:
    metadata = {
        "title": "Leave",
        "format": "text",
        "tags": ["hr"],
        "source": "",
        "created_at": "2030-01-01T00:00:00Z",
        "updated_at": "2030-01-01T00:00:00Z",
        "size": 12,
        "owner": "ann",
        "acl": {"user:ann": ["read", "write", "delete"]},
        "public": False,
        "version": 1,
        "team": "core",
    }
    return {
        "document_id": document_id,
        "status": status,
        "error": None,
        "progress": 1.0,
        "metadata": metadata,
        **more,
    }


class Frames(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A stream of events; an exception among them breaks the connection there."""

    def __init__(self, *frames: bytes | Exception) -> None:
        self._frames = frames

    def __iter__(self) -> Iterator[bytes]:
        for frame in self._frames:
            if isinstance(frame, Exception):
                raise frame
            yield frame

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for frame in self:
            yield frame


def frame(event: str, number: str = "", **data: Any) -> bytes:
    head = f"id: {number}\n" if number else ""
    return f"{head}event: {event}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def stream(*frames: bytes | Exception, token: str = "t1") -> httpx.Response:
    headers = {"content-type": "text/event-stream", "x-answer-token": token}
    return httpx.Response(200, headers=headers, stream=Frames(*frames))
