"""The guarded HTTP client.

Over http.client rather than a client library: a library resolves names, follows redirects, reads proxy
variables and decodes bodies by itself, and each of these has to be ours here.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from http.client import HTTPResponse

from knowledge_base.adapters.web.addresses import Target, follow, is_public, literal_address, read_url
from knowledge_base.adapters.web.bodies import read_body, read_start
from knowledge_base.adapters.web.exchange import Deadline, Request, exchange, plain_failures
from knowledge_base.domain.errors import AddressNotAllowed, DownloadFailed
from knowledge_base.ports.web import Download, PostReply

MAX_REDIRECTS = 5
REPLY_BYTES = 64 * 1024

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_WORTH_ANOTHER_TRY = frozenset({408, 425, 429})
_ALWAYS_SENT = {"User-Agent": "knowledge-base/1", "Accept": "*/*", "Accept-Encoding": "identity", "Connection": "close"}

Resolve = Callable[[str, int], Sequence[str]]


def system_addresses(host: str, port: int) -> list[str]:
    """Return the addresses that the system's resolver knows for a name, in its order."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


@cache
def system_tls() -> ssl.SSLContext:
    """Return a context that trusts what the system trusts, and verifies names."""
    return ssl.create_default_context()


class GuardedWeb:
    """Requests addresses that callers name, and refuses those inside our own network.

    `allow_hosts` are `host:port` as they stand in a URL; for them alone the address is not checked.
    """

    def __init__(
        self,
        allow_hosts: frozenset[str] = frozenset(),
        *,
        download_seconds: float = 60.0,
        post_seconds: float = 10.0,
        idle_seconds: float = 15.0,
        resolve: Resolve = system_addresses,
        tls: Callable[[], ssl.SSLContext] = system_tls,
    ) -> None:
        self._allow_hosts = frozenset(entry.lower() for entry in allow_hosts)
        self._download_seconds = download_seconds
        self._post_seconds = post_seconds
        self._idle_seconds = idle_seconds
        self._resolve = resolve
        self._tls = tls

    def check(self, url: str) -> None:
        """Refuse a URL that could never be requested, without resolving its name.

        Raises:
            AddressNotAllowed: its scheme, form or literal address is not allowed.
        """
        self._admit(read_url(url))

    def download(self, url: str, *, max_size: int, seconds: float | None = None) -> Download:
        """Return the content of a URL after at most five redirects, each checked like the first.

        All together may take `seconds`, or as long as downloads may.

        Raises:
            AddressNotAllowed: the address may not be contacted.
            PayloadTooLarge: it has more than `max_size` bytes.
            DownloadFailed: it cannot be had.
        """
        deadline = Deadline(self._download_seconds if seconds is None else seconds)
        target = read_url(url)
        for _ in range(MAX_REDIRECTS + 1):
            with self._exchange(target, Request("GET", _ALWAYS_SENT), deadline) as response:
                location = _redirect(response)
                if location is None:
                    download = _download(response, target, max_size)
                    # A body that was cut looks complete where no length was promised.
                    deadline.check()
                    return download
            target = follow(target, location)
        raise DownloadFailed("too many redirects", final=True)

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> PostReply:
        """POST a body; redirects are not followed.

        Raises:
            AddressNotAllowed: the address may not be contacted.
            DownloadFailed: no reply came.
        """
        request = Request("POST", _ALWAYS_SENT | dict(headers), body)
        with self._exchange(read_url(url), request, Deadline(self._post_seconds)) as response:
            return PostReply(response.status, read_start(response, REPLY_BYTES))

    def _admit(self, target: Target) -> str | None:
        """Refuse what needs no resolving to be refused; return the address that the host is written as."""
        address = literal_address(target.host)
        is_allowed = target.host_port in self._allow_hosts
        if not is_allowed and (_is_own_name(target.host) or (address and not is_public(address))):
            raise _refusal()
        return address

    def _exchange(self, target: Target, request: Request, deadline: Deadline) -> AbstractContextManager[HTTPResponse]:
        addresses = self._addresses(target, deadline)
        return exchange(target, addresses, request, deadline=deadline, idle=self._idle_seconds, tls=self._tls)

    def _addresses(self, target: Target, deadline: Deadline) -> Sequence[str]:
        """Resolve once: what is checked here is what is connected to, whatever the name says a moment later."""
        literal = self._admit(target)
        with plain_failures(deadline):
            addresses = [literal] if literal else deadline.call(lambda: self._resolve(target.host, target.port))
        if not addresses:
            raise DownloadFailed("the host's name could not be resolved")
        if target.host_port not in self._allow_hosts and not all(map(is_public, addresses)):
            raise _refusal()
        return addresses


def _is_own_name(host: str) -> bool:
    return host == "localhost" or host.endswith(".localhost")


def _refusal() -> AddressNotAllowed:
    return AddressNotAllowed("the URL's host is not a public address")


def _redirect(response: HTTPResponse) -> str | None:
    return response.headers.get("Location") if response.status in _REDIRECTS else None


def _download(response: HTTPResponse, target: Target, max_size: int) -> Download:
    if not 200 <= response.status < 300:
        final = response.status < 500 and response.status not in _WORTH_ANOTHER_TRY
        raise DownloadFailed(f"the server answered with status {response.status}", final=final)
    content_type = response.headers.get("Content-Type") or ""
    return Download(read_body(response, max_size), content_type, target.url)
