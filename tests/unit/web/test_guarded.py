"""The guarded client against servers of every kind."""

from __future__ import annotations

import gzip
import socket
import threading
import time
import zlib
from collections.abc import Callable, Sequence

import pytest

from knowledge_base.adapters.web.guarded import GuardedWeb
from knowledge_base.domain.errors import AddressNotAllowed, DownloadFailed, PayloadTooLarge
from tests.unit.web.scripted_server import ScriptedServer, ok, redirect, reply, serving

MEGABYTE = 1024 * 1024


def test_a_download_gives_content_type_and_final_url(server: ScriptedServer, web: GuardedWeb) -> None:
    url = server.says("/a.pdf?v=1", ok(b"%PDF-1.7", "Content-Type: application/pdf"))

    download = web.download(url + "#page=2", max_size=100)

    assert (download.content, download.content_type, download.final_url) == (b"%PDF-1.7", "application/pdf", url)


def test_a_request_names_the_host_and_asks_for_plain_content(server: ScriptedServer, web: GuardedWeb) -> None:
    web.download(server.says("/a", ok(b"x")), max_size=10)

    head = server.requests[0].decode().lower()
    assert f"host: {server.host_port}\r\n" in head
    assert "accept-encoding: identity\r\n" in head


def test_an_internal_server_is_not_contacted_without_being_allowed(server: ScriptedServer) -> None:
    url = server.says("/secret", ok(b"secret"))

    with pytest.raises(AddressNotAllowed):
        GuardedWeb().download(url, max_size=100)
    with pytest.raises(AddressNotAllowed):
        GuardedWeb().post(url, b"{}", {})

    assert server.requests == []


@pytest.mark.parametrize("form", ["http://2130706433:{}/s", "http://0x7f.1:{}/s", "http://[::ffff:7f00:1]:{}/s"])
def test_an_allowed_host_is_allowed_only_as_it_is_written(server: ScriptedServer, web: GuardedWeb, form: str) -> None:
    server.says("/s", ok(b"secret"))

    with pytest.raises(AddressNotAllowed):
        web.download(form.format(server.port), max_size=100)

    assert server.requests == []


def test_a_name_that_resolves_to_an_internal_address_is_refused(server: ScriptedServer) -> None:
    web = GuardedWeb(resolve=lambda host, port: ["127.0.0.1"])

    with pytest.raises(AddressNotAllowed) as refusal:
        web.download(f"http://files.example:{server.port}/a", max_size=10)

    assert "127" not in str(refusal.value)


def test_one_internal_address_among_public_ones_is_enough_to_refuse() -> None:
    web = GuardedWeb(resolve=lambda host, port: ["93.184.216.34", "::1"])

    with pytest.raises(AddressNotAllowed):
        web.download("http://files.example/a", max_size=10)


def test_a_name_is_resolved_once_so_that_rebinding_changes_nothing(server: ScriptedServer) -> None:
    answers = iter([["127.0.0.1"], ["10.0.0.1"]])
    asked: list[str] = []

    def resolve(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return next(answers)

    server.says("/a", ok(b"pinned"))
    web = GuardedWeb(frozenset({f"files.example:{server.port}"}), resolve=resolve)

    download = web.download(f"http://files.example:{server.port}/a", max_size=10)

    assert (download.content, asked) == (b"pinned", ["files.example"])
    assert f"Host: files.example:{server.port}\r\n".encode() in server.requests[0]


def test_the_next_address_is_tried_when_the_first_does_not_answer(server: ScriptedServer) -> None:
    # Nobody listens at 127.0.0.2 on this port.
    web = GuardedWeb(frozenset({f"two.example:{server.port}"}), resolve=lambda host, port: ["127.0.0.2", "127.0.0.1"])
    server.says("/a", ok(b"second"))

    assert web.download(f"http://two.example:{server.port}/a", max_size=10).content == b"second"


def test_redirects_are_followed_to_their_end(server: ScriptedServer, web: GuardedWeb) -> None:
    server.says("/1", redirect("/2", 301))
    server.says("/2", redirect(server.url("/3"), 307))
    server.says("/3", ok(b"here"))

    download = web.download(server.url("/1"), max_size=10)

    assert (download.content, download.final_url) == (b"here", server.url("/3"))


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://127.0.0.1:1/",
        "http://2130706433/",
        "http://[::1]/",
        "http://localhost/",
        "http://user@127.0.0.1/",
        "file:///etc/passwd",
    ],
)
def test_a_redirect_to_an_internal_address_is_refused(server: ScriptedServer, web: GuardedWeb, location: str) -> None:
    with pytest.raises(AddressNotAllowed):
        web.download(server.says("/r", redirect(location)), max_size=10)


def test_a_redirect_to_another_server_on_the_same_machine_is_refused(server: ScriptedServer, web: GuardedWeb) -> None:
    with serving() as other:
        inside = other.says("/secret", ok(b"secret"))

        with pytest.raises(AddressNotAllowed):
            web.download(server.says("/r", redirect(inside)), max_size=10)

        assert other.requests == []


def test_a_redirect_loop_ends(server: ScriptedServer, web: GuardedWeb) -> None:
    with pytest.raises(DownloadFailed, match="too many redirects") as failure:
        web.download(server.says("/loop", redirect("/loop")), max_size=10)

    assert failure.value.final
    assert len(server.requests) == 6


@pytest.mark.parametrize(("status", "final"), [(404, True), (403, True), (410, True), (429, False), (500, False)])
def test_an_error_status_is_said_and_whether_it_is_final(
    server: ScriptedServer, web: GuardedWeb, status: int, final: bool
) -> None:
    url = server.says("/a", reply(status, b"internal details", "Content-Length: 16"))

    with pytest.raises(DownloadFailed, match=rf"^the server answered with status {status}$") as failure:
        web.download(url, max_size=10)

    assert failure.value.final is final


def test_a_promised_length_over_the_limit_is_refused_before_it_is_read(server: ScriptedServer, web: GuardedWeb) -> None:
    url = server.says("/big", reply(200, b"", "Content-Length: 99999999999"))

    with pytest.raises(PayloadTooLarge):
        web.download(url, max_size=MEGABYTE)


@pytest.mark.parametrize("headers", [[], ["Content-Length: 5", "Transfer-Encoding: chunked"]])
def test_a_body_that_grows_over_the_limit_is_cut(server: ScriptedServer, web: GuardedWeb, headers: list[str]) -> None:
    piece = b"x" * 65536 if not headers else b"10000\r\n" + b"x" * 65536 + b"\r\n"
    url = server.drips("/endless", reply(200, b"", *headers), piece, 0.0001)

    with pytest.raises(PayloadTooLarge):
        web.download(url, max_size=MEGABYTE)


def test_a_body_of_exactly_the_limit_is_taken(server: ScriptedServer, web: GuardedWeb) -> None:
    url = server.says("/a", ok(b"x" * MEGABYTE))

    assert len(web.download(url, max_size=MEGABYTE).content) == MEGABYTE


@pytest.mark.parametrize("compress", [gzip.compress, zlib.compress])
def test_a_body_that_comes_compressed_all_the_same_is_decoded(
    server: ScriptedServer, web: GuardedWeb, compress: Callable[[bytes], bytes]
) -> None:
    content = bytes(range(256)) * 2048
    encoding = "gzip" if compress is gzip.compress else "deflate"
    url = server.says("/a", ok(compress(content), f"Content-Encoding: {encoding}"))

    assert web.download(url, max_size=MEGABYTE).content == content


def test_a_decompression_bomb_is_cut_at_the_limit(server: ScriptedServer, web: GuardedWeb) -> None:
    bomb = gzip.compress(bytes(200 * MEGABYTE), compresslevel=9)
    url = server.says("/bomb", ok(bomb, "Content-Encoding: gzip"))

    with pytest.raises(PayloadTooLarge):
        web.download(url, max_size=MEGABYTE)


@pytest.mark.parametrize(
    ("body", "encoding"),
    [(b"not gzip at all", "gzip"), (b"x", "br"), (gzip.compress(b"x" * 9999, mtime=0)[:-9], "gzip")],
)
def test_a_body_that_cannot_be_decoded_fails(
    server: ScriptedServer, web: GuardedWeb, body: bytes, encoding: str
) -> None:
    with pytest.raises(DownloadFailed):
        web.download(server.says("/a", ok(body, f"Content-Encoding: {encoding}")), max_size=MEGABYTE)


@pytest.mark.parametrize(
    "short",
    [
        reply(200, b"half", "Content-Length: 8"),
        reply(200, b"8\r\nhalf", "Transfer-Encoding: chunked"),
        reply(200, b"4\r\nhalf\r\n", "Transfer-Encoding: chunked"),
    ],
)
def test_a_body_that_breaks_off_is_never_taken_for_the_whole(
    server: ScriptedServer, web: GuardedWeb, short: bytes
) -> None:
    with pytest.raises(DownloadFailed, match="broke off"):
        web.download(server.says("/a", short), max_size=100)


@pytest.mark.parametrize("garbage", [b"SSH-2.0-OpenSSH_9.6\r\n", b"HTTP/1.1 abc\r\n\r\n", b"\x00" * 100, b""])
def test_what_is_no_http_fails_in_plain_words(server: ScriptedServer, web: GuardedWeb, garbage: bytes) -> None:
    with pytest.raises(DownloadFailed, match=r"not valid HTTP|broke off"):
        web.download(server.says("/a", garbage), max_size=100)


def test_a_refused_connection_is_said_without_the_address(web: GuardedWeb) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    web = GuardedWeb(frozenset({f"127.0.0.1:{port}"}))

    with pytest.raises(DownloadFailed, match=r"^the connection was refused$"):
        web.download(f"http://127.0.0.1:{port}/", max_size=10)


def test_a_name_that_does_not_resolve_is_said() -> None:
    def fail(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(-2, "Name or service not known")

    with pytest.raises(DownloadFailed, match=r"^the host's name could not be resolved$"):
        GuardedWeb(resolve=fail).download("http://nowhere.example/", max_size=10)


SLOW = {
    "body": (reply(200, b"", "Content-Length: 1000000"), b"x"),
    "body without length": (reply(200, b""), b"x"),
    "chunk size": (reply(200, b"", "Transfer-Encoding: chunked"), b"0"),
    "headers": (b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"),
    "status line": (b"HTTP/1.1 200 ", b"O"),
}


@pytest.mark.parametrize("where", SLOW)
def test_a_server_that_drips_is_cut_at_the_deadline(server: ScriptedServer, where: str) -> None:
    start, piece = SLOW[where]
    url = server.drips("/slow", start, piece, 0.05)
    web = GuardedWeb(frozenset({server.host_port}), download_seconds=0.5, idle_seconds=5)

    before = time.monotonic()
    with pytest.raises(DownloadFailed, match="timed out") as failed:
        web.download(url, max_size=MEGABYTE)

    assert time.monotonic() - before < 2
    assert failed.value.final, "it would take all the time of the next try too"


def test_a_silent_server_is_given_up_before_the_deadline(server: ScriptedServer) -> None:
    url = server.runs("/silent", lambda connection, _: server.stopping.wait(5))
    web = GuardedWeb(frozenset({server.host_port}), download_seconds=30, idle_seconds=0.3)

    before = time.monotonic()
    with pytest.raises(DownloadFailed, match="timed out") as failed:
        web.download(url, max_size=10)

    assert time.monotonic() - before < 2
    assert not failed.value.final


def test_a_resolver_that_hangs_ends_at_the_deadline() -> None:
    release = threading.Event()
    web = GuardedWeb(download_seconds=0.3, resolve=lambda host, port: ["93.184.216.34"] if release.wait(5) else [])

    with pytest.raises(DownloadFailed, match="timed out"):
        web.download("http://slow.example/", max_size=10)
    release.set()


def test_redirects_share_one_deadline(server: ScriptedServer) -> None:
    def dawdle(connection: socket.socket, _: bytes) -> None:
        time.sleep(0.25)
        connection.sendall(redirect("/again"))

    url = server.runs("/again", dawdle)
    web = GuardedWeb(frozenset({server.host_port}), download_seconds=0.6)

    with pytest.raises(DownloadFailed, match="timed out"):
        web.download(url, max_size=10)


def test_proxy_variables_are_not_used(server: ScriptedServer, web: GuardedWeb, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "https_proxy"):
            monkeypatch.setenv(name, proxy.url())

        web.download(server.says("/a", ok(b"direct")), max_size=10)

        assert proxy.requests == []


def test_a_post_sends_body_and_headers_and_gives_the_reply(server: ScriptedServer, web: GuardedWeb) -> None:
    url = server.says("/hook", reply(202, b'{"status": 200}', "Content-Length: 15"))

    answer = web.post(url, "状态".encode(), {"content-type": "application/json", "webhook-id": "msg_1"})

    assert (answer.status, answer.body) == (202, b'{"status": 200}')
    request = server.requests[0]
    assert request.startswith(b"POST /hook HTTP/1.1\r\n")
    assert request.endswith("\r\n\r\n状态".encode())
    assert b"webhook-id: msg_1\r\n" in request


def test_a_post_does_not_follow_redirects(server: ScriptedServer, web: GuardedWeb) -> None:
    server.says("/other", ok(b"x"))

    assert web.post(server.says("/hook", redirect("/other", 307)), b"{}", {}).status == 307
    assert len(server.requests) == 1


def test_a_post_keeps_the_first_64_kilobytes_of_a_reply(server: ScriptedServer, web: GuardedWeb) -> None:
    answer = web.post(server.says("/hook", ok(b"x" * MEGABYTE)), b"{}", {})

    assert answer.body == b"x" * 65536


def test_a_post_whose_reply_breaks_off_still_has_its_status(server: ScriptedServer, web: GuardedWeb) -> None:
    answer = web.post(server.says("/hook", reply(200, b"half", "Content-Length: 8")), b"{}", {})

    assert (answer.status, answer.body) == (200, b"half")


def test_a_post_to_a_silent_server_fails(server: ScriptedServer) -> None:
    url = server.runs("/silent", lambda connection, _: server.stopping.wait(5))

    with pytest.raises(DownloadFailed, match="timed out"):
        GuardedWeb(frozenset({server.host_port}), post_seconds=0.3).post(url, b"{}", {})


def test_no_thread_and_no_socket_is_left_behind(server: ScriptedServer, web: GuardedWeb) -> None:
    url = server.says("/a", ok(b"x"))
    web.download(url, max_size=10)
    before = threading.active_count()

    for _ in range(20):
        web.download(url, max_size=10)
    time.sleep(0.1)

    assert threading.active_count() <= before + 1
