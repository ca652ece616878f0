"""One HTTP exchange with one checked address, over at a fixed moment whatever the server does."""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import TypeVar

from knowledge_base.adapters.web.addresses import Target
from knowledge_base.domain.errors import DownloadFailed, KnowledgeBaseError

T = TypeVar("T")

CONNECT_SECONDS = 5.0
"""How long one address may take to accept a connection, before the next is tried."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent."""

    method: str
    headers: Mapping[str, str]
    body: bytes | None = None


class Deadline:
    """A moment by which everything is over."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """The seconds until then; 0 when it has passed."""
        return max(0.0, self._end - time.monotonic())

    def check(self) -> None:
        """Raise TimeoutError when it has passed."""
        if not self.left:
            raise TimeoutError

    def call(self, action: Callable[[], T]) -> T:
        """Return what an action gives, but wait no longer than until the deadline.

        Raises:
            TimeoutError: it has not ended by then.
        """
        outcome: Future[T] = Future()
        threading.Thread(target=_settle, args=(outcome, action), daemon=True).start()
        return outcome.result(timeout=self.left)


@contextlib.contextmanager
def exchange(
    target: Target,
    addresses: Sequence[str],
    request: Request,
    *,
    deadline: Deadline,
    idle: float,
    tls: Callable[[], ssl.SSLContext],
) -> Iterator[HTTPResponse]:
    """Send a request to the first of the addresses that answers, and give its response to read.

    The name of the target is used for the Host header and to verify the certificate only. Nothing
    comes after the deadline, and a server that says nothing for `idle` seconds is given up.

    Raises:
        DownloadFailed: no valid response came in time.
    """
    with plain_failures(deadline), _cut_at(deadline) as watch:
        raw = _connect(target, addresses, deadline, idle)
        watch(raw)
        connection = HTTPConnection(target.host, target.port)
        connection.sock = tls().wrap_socket(raw, server_hostname=target.host) if target.scheme == "https" else raw
        with contextlib.closing(connection):
            headers = {"Host": target.authority, **request.headers}
            connection.request(request.method, target.path, body=request.body, headers=headers)
            yield connection.getresponse()


@contextlib.contextmanager
def plain_failures(deadline: Deadline) -> Iterator[None]:
    """Turn whatever a network can do to a request into words for its caller, without addresses."""
    failure: str
    try:
        yield
        return
    except KnowledgeBaseError:
        raise
    except (OSError, HTTPException, ValueError) as error:
        failure = _in_words(error) if deadline.left else "timed out"
    # Whoever used up all the time would use it up again, and others wait for their turn.
    raise DownloadFailed(failure, final=not deadline.left)


def _in_words(error: Exception) -> str:
    if isinstance(error, HTTPException | ValueError) and not isinstance(error, http.client.IncompleteRead | OSError):
        return "the server's reply is not valid HTTP"
    words = (text for kind, text in _WORDS if isinstance(error, kind))
    return next(words, "the connection failed")


_WORDS: tuple[tuple[type[Exception], str], ...] = (
    (TimeoutError, "timed out"),
    (ssl.SSLCertVerificationError, "the server's certificate is not valid for this host"),
    (ssl.SSLError, "no secure connection could be made"),
    (ConnectionRefusedError, "the connection was refused"),
    (socket.gaierror, "the host's name could not be resolved"),
    (ConnectionError, "the connection broke off"),
    (http.client.IncompleteRead, "the connection broke off"),
)


def _settle(outcome: Future[T], action: Callable[[], T]) -> None:
    try:
        outcome.set_result(action())
    except BaseException as error:  # noqa: BLE001 it is raised again where the outcome is awaited
        outcome.set_exception(error)


def _connect(target: Target, addresses: Sequence[str], deadline: Deadline, idle: float) -> socket.socket:
    failure: OSError = ConnectionRefusedError()
    for address in addresses:
        try:
            raw = socket.create_connection((address, target.port), timeout=min(CONNECT_SECONDS, deadline.left) or 0.001)
        except OSError as error:
            failure = error
        else:
            raw.settimeout(idle)
            return raw
    raise failure


@contextlib.contextmanager
def _cut_at(deadline: Deadline) -> Iterator[Callable[[socket.socket], None]]:
    """Shut watched sockets at the deadline.

    A time-out of the socket alone begins anew with every byte, so a server that drips would never end.
    """
    watched: list[socket.socket] = []
    timer = threading.Timer(deadline.left, _shut, [watched])
    timer.daemon = True
    timer.start()
    try:
        # A duplicate, because TLS takes the original apart while it shakes hands.
        yield lambda raw: watched.append(raw.dup())
    finally:
        timer.cancel()
        for duplicate in watched:
            duplicate.close()


def _shut(watched: Sequence[socket.socket]) -> None:
    for duplicate in watched:
        with contextlib.suppress(OSError):
            duplicate.shutdown(socket.SHUT_RDWR)
