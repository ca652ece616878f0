"""A proxy that cuts connections in the middle, as the networks between a laptop and a cloud do."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit


@contextmanager
def cutting_proxy(url: str, *, request: bytes, reply: bytes) -> Iterator[str]:
    """Pass everything on to a URL, but cut where a reply to such a request comes to such bytes; yield the address."""
    target = urlsplit(url)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        upstream = (target.hostname or "", target.port or 80)
        threading.Thread(target=_serve, args=(listening, upstream, request, reply), daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def _serve(listening: socket.socket, upstream: tuple[str, int], request: bytes, reply: bytes) -> None:
    with suppress(OSError):
        while True:
            client, _ = listening.accept()
            threading.Thread(target=_pass_on, args=(client, upstream, request, reply), daemon=True).start()


def _pass_on(client: socket.socket, upstream: tuple[str, int], request: bytes, reply: bytes) -> None:
    with suppress(OSError), client, socket.create_connection(upstream) as server:
        begun = client.recv(65536)
        server.sendall(begun)
        threading.Thread(target=_copy, args=(client, server, b""), daemon=True).start()
        _copy(server, client, reply if begun.startswith(request) else b"")


def _copy(source: socket.socket, sink: socket.socket, until: bytes) -> None:
    """Copy until the source ends, or until shortly after some bytes."""
    seen = b""
    with suppress(OSError):
        while piece := source.recv(65536):
            seen += piece
            if until and (at := seen.find(until)) >= 0:
                sink.sendall(piece[: len(piece) - len(seen) + at + len(until)])
                break
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_RDWR)
