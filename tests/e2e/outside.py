"""The world outside the stack: a server with pages, and a mailbox for what the stack posts."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote, unquote

Told = dict[str, Any]


@dataclass
class Outside:
    """Pages by path, and the notifications that came, in order."""

    host: str = ""
    pages: dict[str, bytes] = field(default_factory=dict)
    told: list[Told] = field(default_factory=list)
    refusals: int = 0
    """How many of the next POSTs are answered with 500."""

    @property
    def notify_url(self) -> str:
        return f"http://{self.host}/told"

    def page(self, name: str, content: bytes, kind: str) -> dict[str, str]:
        """Put a page on the server, and return it as a document to import."""
        path = f"/{len(self.pages)}/{name}"
        self.pages[path] = content
        md5 = hashlib.md5(content).hexdigest()
        return {"name": name, "type": kind, "url": f"http://{self.host}{quote(path)}", "md5": md5}

    def wait_for(
        self, names: set[str], *, seconds: float, every: Callable[[], object] = lambda: None
    ) -> dict[str, Told]:
        """Return the notification of each name, once all have come; `every` is called now and then meanwhile."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            every()
            documents = {each["name"]: each for told in list(self.told) for each in told.get("documents", ())}
            if names <= documents.keys():
                return {name: documents[name] for name in names}
            time.sleep(0.05)
        raise AssertionError(f"never told of {names - documents.keys()}")

    def wait_for_version(self, name: str, md5: str, *, seconds: float) -> None:
        """Wait until the document of this name has been told of with this content, whatever else is told twice."""
        until = time.monotonic() + seconds
        while not any(
            (document["name"], document["md5"]) == (name, md5)
            for told in list(self.told)
            for document in told.get("documents", ())
        ):
            assert time.monotonic() < until, f"never told of {name} with {md5}"
            time.sleep(0.05)


@contextmanager
def outside_world() -> Iterator[Outside]:
    world = Outside()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(world))
    world.host = f"127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield world
    finally:
        server.shutdown()
        server.server_close()


def _handler(world: Outside) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            page = world.pages.get(unquote(self.path))
            self._reply(404 if page is None else 200, page or b"")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if world.refusals:
                world.refusals -= 1
                self._reply(500, b"")
                return
            world.told.append(json.loads(body))
            self._reply(200, b'{"status": 200, "message": "success"}')

        def _reply(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    return Handler
