"""The guarded client over TLS: connected by address, verified by name."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from pathlib import Path

import pytest

from knowledge_base.adapters.web.guarded import GuardedWeb
from knowledge_base.domain.errors import DownloadFailed
from tests.unit.web.certificates import client_context, server_context
from tests.unit.web.scripted_server import ScriptedServer, ok, reply, serving

NAME = "files.example"


def client(server: ScriptedServer, tls: ssl.SSLContext, *, name: str = NAME, **changes: float) -> GuardedWeb:
    allowed = frozenset({f"{name}:{server.port}"})
    return GuardedWeb(allowed, resolve=lambda host, port: ["127.0.0.1"], tls=lambda: tls, **changes)


def test_a_pinned_connection_is_verified_by_the_name_in_the_url(tmp_path: Path) -> None:
    asked: list[str | None] = []
    context = server_context(NAME, tmp_path)
    context.sni_callback = lambda channel, name, ctx: asked.append(name)
    with serving(context) as server:
        server.says("/a", ok(b"safe"))

        download = client(server, client_context(NAME, tmp_path)).download(
            f"https://{NAME}:{server.port}/a", max_size=10
        )

    assert (download.content, asked) == (b"safe", [NAME])


def test_a_certificate_for_another_name_is_refused(tmp_path: Path) -> None:
    with serving(server_context("other.example", tmp_path)) as server:
        web = client(server, client_context("other.example", tmp_path))

        with pytest.raises(DownloadFailed, match="certificate is not valid for this host"):
            web.download(f"https://{NAME}:{server.port}/a", max_size=10)

    assert server.requests == []


def test_an_expired_certificate_is_refused(tmp_path: Path) -> None:
    with serving(server_context(NAME, tmp_path, expired=True)) as server:
        web = client(server, client_context(NAME, tmp_path))

        with pytest.raises(DownloadFailed, match="certificate"):
            web.download(f"https://{NAME}:{server.port}/a", max_size=10)


def test_a_certificate_that_nobody_vouches_for_is_refused(tmp_path: Path) -> None:
    with serving(server_context(NAME, tmp_path)) as server:
        web = client(server, ssl.create_default_context())

        with pytest.raises(DownloadFailed, match="certificate"):
            web.post(f"https://{NAME}:{server.port}/a", b"{}", {})


def test_a_server_that_speaks_plain_http_fails_over_https() -> None:
    hello = b"HTTP/1.1 400 Bad Request\r\n\r\n"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        threading.Thread(target=lambda: listener.accept()[0].sendall(hello), daemon=True).start()
        web = GuardedWeb(frozenset({f"127.0.0.1:{port}"}))

        with pytest.raises(DownloadFailed, match="no secure connection"):
            web.download(f"https://127.0.0.1:{port}/a", max_size=10)


@pytest.mark.parametrize("idle", [0.3, 20])
def test_a_handshake_that_never_ends_is_cut(idle: float) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        # Nobody accepts: the connection stands, and stays silent.
        web = GuardedWeb(frozenset({f"127.0.0.1:{port}"}), download_seconds=1, idle_seconds=idle)

        before = time.monotonic()
        with pytest.raises(DownloadFailed, match="timed out"):
            web.download(f"https://127.0.0.1:{port}/", max_size=10)

    assert time.monotonic() - before < 3


def test_a_body_that_drips_over_tls_is_cut_at_the_deadline(tmp_path: Path) -> None:
    with serving(server_context(NAME, tmp_path)) as server:
        server.drips("/slow", reply(200, b"", "Content-Length: 1000000"), b"x", 0.05)
        web = client(server, client_context(NAME, tmp_path), download_seconds=0.7)

        before = time.monotonic()
        with pytest.raises(DownloadFailed, match="timed out"):
            web.download(f"https://{NAME}:{server.port}/slow", max_size=10_000_000)

    assert time.monotonic() - before < 3
