"""An HTTP server on 127.0.0.1 that says, byte for byte and second for second, what a test tells it to."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Script = Callable[[socket.socket, bytes], object]


class ScriptedServer:
    """Answers each path by its script; remembers the requests it got."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.scripts: dict[str, Script] = {}
        self.requests: list[bytes] = []
        self.stopping = threading.Event()
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def host_port(self) -> str:
        return f"127.0.0.1:{self.port}"

    def url(self, path: str = "/") -> str:
        return f"http://{self.host_port}{path}"

    def says(self, path: str, reply: bytes) -> str:
        """Answer a path with these bytes; return the path's URL."""
        return self.runs(path, lambda connection, _: connection.sendall(reply))

    def runs(self, path: str, script: Script) -> str:
        """Answer a path with a script; return the path's URL."""
        self.scripts[path] = script
        return self.url(path)

    def drips(self, path: str, start: bytes, piece: bytes, every: float) -> str:
        """Answer a path with a start, and then a piece again and again, for ever."""

        def script(connection: socket.socket, _: bytes) -> None:
            connection.sendall(start)
            while not self.stopping.wait(every):
                connection.sendall(piece)

        return self.runs(path, script)

    def _accept(self) -> None:
        while not self.stopping.is_set():
            with suppress(OSError):
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            channel = self._tls.wrap_socket(connection, server_side=True) if self._tls else connection
            with channel:
                request = _read_request(channel)
                self.requests.append(request)
                path = request.split(b" ")[1].decode()
                self.scripts[path](channel, request)

    def stop(self) -> None:
        self.stopping.set()
        self._listener.close()


@contextmanager
def serving(tls: ssl.SSLContext | None = None) -> Iterator[ScriptedServer]:
    server = ScriptedServer(tls)
    yield server
    server.stop()


def ok(body: bytes, *headers: str) -> bytes:
    """A complete answer with status 200."""
    return reply(200, body, f"Content-Length: {len(body)}", *headers)


def reply(status: int, body: bytes, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} Something", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def redirect(location: str, status: int = 302) -> bytes:
    return reply(status, b"", f"Location: {location}", "Content-Length: 0")


def _read_request(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += _receive(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        (int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-le")), 0
    )
    while len(body) < length:
        body += _receive(connection)
    return head + b"\r\n\r\n" + body


def _receive(connection: socket.socket) -> bytes:
    if data := connection.recv(65536):
        return data
    raise ConnectionResetError
