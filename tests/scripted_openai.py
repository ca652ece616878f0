"""An OpenAI-compatible server on 127.0.0.1 that does what a test tells it to, well or badly.

Each request takes the next act of the script; when the script is played, requests are answered as
`usually`, which is well: embeddings by `vector_of`, chats with `REPLY`.
"""

from __future__ import annotations

import base64
import json
import threading
from array import array
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DIMENSIONS = 4
REPLY = ("The pump ", "starts at ", "40 degrees.")


@dataclass(frozen=True, slots=True)
class Request:
    """A request as the server got it."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Exchange:
    """One request being answered."""

    def __init__(self, handler: BaseHTTPRequestHandler, request: Request, stopping: threading.Event) -> None:
        self.request = request
        self.stopping = stopping
        self._handler = handler

    def reply(self, status: int, body: object, **headers: str) -> None:
        """Answer with JSON, or with bytes as they are."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self._handler.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(content)), **headers}.items():
            self._handler.send_header(name.replace("_", "-"), value)
        self._handler.end_headers()
        self._handler.wfile.write(content)

    def hang_up(self) -> None:
        self._handler.close_connection = True

    def begin_stream(self) -> None:
        """Begin an event stream that ends with the connection."""
        self._handler.send_response(200)
        self._handler.send_header("Content-Type", "text/event-stream")
        self._handler.send_header("Connection", "close")
        self._handler.end_headers()

    def write(self, data: bytes) -> None:
        self._handler.wfile.write(data)
        self._handler.wfile.flush()

    def say(self, text: str, **more: Any) -> None:
        """Send a piece of text; `more` goes into the delta."""
        self.write(event({"choices": [{"index": 0, "delta": {"content": text, **more}}]}))

    def finish(self) -> None:
        self.write(event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}) + b"data: [DONE]\n\n")


Act = Callable[[Exchange], None]


@dataclass
class ScriptedOpenAI:
    """The server; `requests` are those it got."""

    base_url: str = ""
    script: deque[Act] = field(default_factory=deque)
    requests: list[Request] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)
    usually: Act = lambda exchange: answer_well(exchange)

    def will(self, *acts: Act) -> None:
        """Add to the script."""
        self.script.extend(acts)

    def inputs(self) -> list[list[str]]:
        """The texts of each embedding request."""
        return [request.body["input"] for request in self.requests]


@contextmanager
def scripted_openai() -> Iterator[ScriptedOpenAI]:
    """Run a server as long as the context lasts."""
    script = ScriptedOpenAI()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._act({})

        def do_POST(self) -> None:
            self._act(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _act(self, body: dict[str, Any]) -> None:
            request = Request(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            script.requests.append(request)
            act = script.script.popleft() if script.script else script.usually
            with suppress(ConnectionError):
                act(Exchange(self, request, script.stopping))

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    script.base_url = f"http://127.0.0.1:{server.server_port}/v1"
    yield script
    script.stopping.set()
    server.shutdown()
    server.server_close()


def answer_well(exchange: Exchange) -> None:
    """Answer as a good server does."""
    act = embed() if exchange.request.path.endswith("/embeddings") else write(*REPLY)
    act(exchange)


def vector_of(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """The vector that this server gives a text; another text has another one."""
    seed = sum(code * position for position, code in enumerate(text.encode("utf-8", "replace"), 1)) % 9973
    return [float(seed + number + 1) for number in range(dimensions)]


def embed(
    *,
    dimensions: int = DIMENSIONS,
    order: Callable[[list[dict[str, Any]]], Sequence[dict[str, Any]]] = list,
    as_numbers: bool = False,
) -> Act:
    """Answer with vectors; `order` may shuffle, drop or change the items of the reply."""

    def act(exchange: Exchange) -> None:
        items = [
            {"object": "embedding", "index": index, "embedding": _encoded(vector_of(text, dimensions), as_numbers)}
            for index, text in enumerate(exchange.request.body["input"])
        ]
        exchange.reply(200, {"object": "list", "model": exchange.request.body["model"], "data": order(items)})

    return act


def write(*pieces: str) -> Act:
    """Stream a reply to its end."""

    def act(exchange: Exchange) -> None:
        exchange.begin_stream()
        exchange.say("", role="assistant")
        for piece in pieces:
            exchange.say(piece)
        exchange.finish()

    return act


def fail(status: int, *, code: str = "", param: str = "", message: str = "internal detail", **headers: str) -> Act:
    """Answer with an error, whose message no caller may ever see."""
    error = {"message": message, "type": "error", "code": code or None, "param": param or None}
    return lambda exchange: exchange.reply(status, {"error": error}, **headers)


def give(body: bytes, **headers: str) -> Act:
    """Answer 200 with a body as it is."""
    return lambda exchange: exchange.reply(200, body, **headers)


def hang(exchange: Exchange) -> None:
    """Say nothing until the server stops."""
    exchange.stopping.wait(30)


def hang_up(exchange: Exchange) -> None:
    """Close the connection without a word."""
    exchange.hang_up()


def break_off(*pieces: str, tail: bytes = b"") -> Act:
    """Begin a reply, add raw bytes, and close the connection."""

    def act(exchange: Exchange) -> None:
        exchange.begin_stream()
        for piece in pieces:
            exchange.say(piece)
        exchange.write(tail)

    return act


def stall(*pieces: str, keep_alive: float = 0.0) -> Act:
    """Begin a reply and then hang; with `keep_alive`, send a comment every so many seconds."""

    def act(exchange: Exchange) -> None:
        exchange.begin_stream()
        for piece in pieces:
            exchange.say(piece)
        while not exchange.stopping.wait(keep_alive or 30):
            exchange.write(b": keep-alive\n\n")

    return act


def event(data: object) -> bytes:
    """A server-sent event; with characters as they are, not escaped."""
    return b"data: " + json.dumps(data, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n\n"


def _encoded(vector: list[float], as_numbers: bool) -> object:
    return vector if as_numbers else base64.b64encode(array("f", vector).tobytes()).decode()
