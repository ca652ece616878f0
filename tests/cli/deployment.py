"""A deployment made of the routes that `kb` calls, with an object store beside it; both say what tests let them say."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.unit.local.serving import serving

KEY = "kb_test-key"
STATES = ("pending", "parsing", "embedding", "ready")
PROGRESS = {"pending": 0.0, "parsing": 0.1, "embedding": 0.6, "ready": 1.0, "failed": 1.0}


@dataclass
class Document:
    """A document of the fake: what was announced, what came, and how often somebody looked."""

    document_id: str
    repository: str
    name: str
    announced: dict[str, Any]
    content: bytes | None = None
    version: int = 1
    looks: int = 0


@dataclass
class Seen:
    """A request as it came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Deployment:
    """The service; everything that a test may want to set or to look at."""

    url: str = ""
    bucket_url: str = ""
    documents: dict[str, Document] = field(default_factory=dict)
    failures: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By document name: the code and the message that its ingestion ends with."""
    stuck: bool = False
    """Whether ingestions stay where they are."""
    next_replies: dict[str, list[Response]] = field(default_factory=dict)
    """By `METHOD /path`: what is answered first, one after the other, instead of what would be."""
    seen: list[Seen] = field(default_factory=list)
    uploaded: list[Seen] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    bucket_opens: threading.Event = field(default_factory=threading.Event)
    parts: dict[str, bool] = field(default_factory=lambda: {"catalog": True, "queues": True})
    frames: list[str] = field(default_factory=list)
    """What the stream of a question brings; `CUT` breaks the connection there."""
    resumed_frames: list[list[str]] = field(default_factory=list)
    """What each stream of the answer's events brings, one after the other."""
    answer: dict[str, Any] = field(default_factory=dict)

    def named(self, name: str) -> Document:
        return next(document for document in self.documents.values() if document.name == name)

    def called(self, method: str, path: str) -> list[Seen]:
        return [seen for seen in self.seen if seen.method == method and seen.path == path]


CUT = "cut"


@contextmanager
def deployed() -> Iterator[Deployment]:
    """Serve a deployment and its object store, each on a port of its own."""
    made = Deployment()
    made.bucket_opens.set()
    with serving(_bucket(made)) as bucket_port, serving(_service(made)) as port:
        made.url = f"http://127.0.0.1:{port}"
        made.bucket_url = f"http://localhost:{bucket_port}/documents"
        yield made


def _service(made: Deployment) -> Starlette:
    def route(method: str, path: str, answer: Callable[[Deployment, Request, bytes], Response]) -> Route:
        async def respond(request: Request) -> Response:
            body = await request.body()
            made.seen.append(Seen(method, request.url.path, dict(request.headers), body))
            if waiting := made.next_replies.get(f"{method} {request.url.path}"):
                return waiting.pop(0)
            if not path.startswith("/health") and request.headers.get("authorization") != f"Bearer {KEY}":
                return error(401, "not_authenticated", "this key is not known")
            return answer(made, request, body)

        return Route(path, respond, methods=[method])

    return Starlette(
        routes=[
            route("GET", "/health", lambda *_: JSONResponse({"status": "ok"})),
            route("GET", "/health/ready", _ready),
            route("POST", "/uploads", _announce),
            route("GET", "/ingestions", _ingestions),
            route("GET", "/ingestions/{document_id}", _ingestion),
            route("POST", "/uran/lm/question", _question),
            route("GET", "/answers/{token}/events", _events),
            route("GET", "/answers/{token}", lambda made, *_: JSONResponse(made.answer)),
            route("DELETE", "/answers/{token}", lambda *_: Response(status_code=204)),
            route("DELETE", "/uran/lm/documents", _delete),
        ]
    )


def error(status: int, code: str, message: str, **headers: str) -> Response:
    """An error as the platform's contract tells it."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return JSONResponse({"error": {"code": code, "message": message}}, status, named)


def uran_error(status: int, message: str) -> Response:
    """An error as the uran contract tells it."""
    return JSONResponse({"status": status, "message": message}, status)


def _ready(made: Deployment, _request: Request, _body: bytes) -> Response:
    is_ready = all(made.parts.values())
    body = {"status": "ready" if is_ready else "not_ready", "parts": made.parts}
    return JSONResponse(body, 200 if is_ready else 503)


def _announce(made: Deployment, _request: Request, body: bytes) -> Response:
    announced = json.loads(body)
    target = announced["target"]
    for known in made.documents.values():
        if (known.repository, known.name) == (target["repository"], target["name"]):
            if known.announced["sha256"] == announced["sha256"] and known.name not in made.failures:
                return _duplicate(known)
            known.version, known.announced, known.content, known.looks = known.version + 1, announced, None, 0
            return _ticket(made, known)
    document = Document(f"id-{len(made.documents) + 1}", target["repository"], target["name"], announced)
    made.documents[document.document_id] = document
    return _ticket(made, document)


def _duplicate(document: Document) -> Response:
    known = {"document_id": document.document_id, "duplicate": True}
    return JSONResponse({**known, "url": None, "fields": None, "expires_at": None})


def _ticket(made: Deployment, document: Document) -> Response:
    fields = {"key": f"uploads/default/{document.document_id}/{document.version}", "policy": "signed"}
    body = {
        "document_id": document.document_id,
        "duplicate": False,
        "url": made.bucket_url,
        "fields": fields,
        "expires_at": "2030-01-01",
    }
    return JSONResponse(body, 201)


def _ingestions(made: Deployment, request: Request, _body: bytes) -> Response:
    """A page holds one document, so that a client has to turn the pages."""
    asked = request.query_params
    known = [one for one in made.documents.values() if one.repository == asked["repository"]]
    if not known:
        return error(404, "knowledge_base_not_found", f"knowledge base not found: {asked['repository']}")
    if "name" in asked:
        known = [one for one in known if one.name == asked["name"]]
    at = int(asked.get("cursor", "0"))
    views = [_view(made, one) for one in known[at : at + 1]]
    return JSONResponse({"ingestions": views, "next_cursor": str(at + 1) if at + 1 < len(known) else None})


def _ingestion(made: Deployment, request: Request, _body: bytes) -> Response:
    document = made.documents.get(request.path_params["document_id"])
    if document is None:
        return error(404, "document_not_found", f"document not found: {request.path_params['document_id']}")
    return JSONResponse(_view(made, document))


def _view(made: Deployment, document: Document) -> dict[str, Any]:
    state = "pending" if document.content is None or made.stuck else _state(made, document)
    document.looks += document.content is not None and not made.stuck
    failure = made.failures.get(document.name) if state == "failed" else None
    return {
        "document_id": document.document_id,
        "version": document.version,
        "state": state,
        "progress": PROGRESS[state],
        "chunk_count": 3 if state == "ready" else 0,
        "name": document.name,
        "error": {"code": failure[0], "message": failure[1]} if failure else None,
        "accepted_at": "2030-01-01T00:00:00Z",
        "updated_at": f"2030-01-01T00:00:{min(document.looks, 59):02d}Z",
    }


def _state(made: Deployment, document: Document) -> str:
    state = STATES[min(document.looks, len(STATES) - 1)]
    return "failed" if state == "ready" and document.name in made.failures else state


def _question(made: Deployment, _request: Request, _body: bytes) -> Response:
    return _stream(made.frames, {"X-Answer-Token": "token-1"})


def _events(made: Deployment, _request: Request, _body: bytes) -> Response:
    return _stream(made.resumed_frames.pop(0) if made.resumed_frames else [], {})


def _stream(frames: list[str], headers: dict[str, str]) -> Response:
    async def sent() -> AsyncIterator[str]:
        for frame in frames:
            if frame == CUT:
                raise ConnectionAbortedError
            yield frame
            await anyio.sleep(0.005)

    return StreamingResponse(sent(), media_type="text/event-stream", headers=headers)


def _delete(made: Deployment, _request: Request, body: bytes) -> Response:
    wanted = json.loads(body)
    here = {document.name: document for document in made.documents.values()}
    missing = [name for name in wanted["documents"] if name not in here]
    for name in wanted["documents"]:
        if name in here:
            del made.documents[here[name].document_id]
    if len(missing) == len(wanted["documents"]):
        return uran_error(404, f"document not found: {', '.join(missing)}")
    return JSONResponse({"status": 200, "message": "success", **({"data": {"notFound": missing}} if missing else {})})


def _bucket(made: Deployment) -> Starlette:
    async def take(request: Request) -> Response:
        made.at_once += 1
        made.most_at_once = max(made.most_at_once, made.at_once)
        try:
            body = await request.body()
            while not made.bucket_opens.is_set():
                await anyio.sleep(0.01)
        finally:
            made.at_once -= 1
        made.uploaded.append(Seen("POST", request.url.path, dict(request.headers), body))
        if waiting := made.next_replies.get("POST bucket"):
            return waiting.pop(0)
        return _stored(made, form_of(made.uploaded[-1]))

    return Starlette(routes=[Route("/documents", take, methods=["POST"])])


def _stored(made: Deployment, form: list[tuple[str, bytes]]) -> Response:
    fields = dict(form)
    document = made.documents[fields["key"].decode().split("/")[2]]
    content = fields["file"]
    if hashlib.sha256(content).hexdigest() != document.announced["sha256"]:
        return bucket_error(400, "BadDigest", "The content is not what was announced.")
    document.content = content
    return Response(status_code=204)


def bucket_error(status: int, code: str, message: str) -> Response:
    """An error as S3 tells it."""
    body = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{code}</Code><Message>{message}</Message></Error>'
    return Response(body, status, media_type="application/xml")


def form_of(request: Seen) -> list[tuple[str, bytes]]:
    """Return the parts of a multipart form, in order."""
    boundary = request.headers["content-type"].partition("boundary=")[2].encode()
    parts = request.body.split(b"--" + boundary)[1:-1]
    found = []
    for part in parts:
        head, _, content = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        name = re.search(rb'name="([^"]*)"', head)
        assert name
        found.append((name.group(1).decode(), content.removesuffix(b"\r\n")))
    return found
