"""What lies outside of the product in the demonstration: a server with files, which is also told how imports ended."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

NOTIFICATIONS = "/notifications"


class Outside:
    """Serves the files of one folder under `/files/`, and gathers what is posted to `/notifications`."""

    def __init__(self, server: ThreadingHTTPServer, notifications: queue.Queue[dict[str, Any]]) -> None:
        self._notifications = notifications
        self.host = f"127.0.0.1:{server.server_port}"
        self.notify_url = f"http://{self.host}{NOTIFICATIONS}"

    def url_of(self, file: Path) -> str:
        """Return where a file can be fetched."""
        return f"http://{self.host}/files/{quote(file.name)}"

    def next_notification(self, seconds: float) -> dict[str, Any]:
        """Return the next thing that was told.

        Raises:
            queue.Empty: nothing was, for so long.
        """
        return self._notifications.get(timeout=seconds)


@contextmanager
def serve_outside(folder: Path) -> Iterator[Outside]:
    """Serve a folder's files on a free port of this machine."""
    notifications: queue.Queue[dict[str, Any]] = queue.Queue()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(folder, notifications))
    threading.Thread(target=server.serve_forever, name="outside", daemon=True).start()
    try:
        yield Outside(server, notifications)
    finally:
        server.shutdown()
        server.server_close()


def _handler(folder: Path, notifications: queue.Queue[dict[str, Any]]) -> type[BaseHTTPRequestHandler]:
    files = {f"/files/{file.name}": file for file in folder.iterdir() if file.is_file()}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            file = files.get(unquote(self.path))
            self._reply(200 if file else 404, file.read_bytes() if file else b"")

        def do_POST(self) -> None:
            notifications.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self._reply(200, b"")

        def _reply(self, status: int, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None: ...

    return Handler
