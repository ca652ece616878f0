"""Reading a chat completion as it is written, with a limit to every silence."""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from knowledge_base.adapters.openai.endpoint_errors import EndpointDown, EndpointError, translated

_THOUGHTS = ("reasoning_content", "reasoning")
"""Where models that think first put it; servers name the field either way."""


class Reply(Protocol):
    """The body of a response, as it comes."""

    def iter_bytes(self) -> Iterator[bytes]:
        """Yield the bytes as they come."""


OpenReply = Callable[[], AbstractContextManager[Reply]]


@dataclass(frozen=True, slots=True)
class _Piece:
    """Some text; none at all is a sign of life, as models give that think first."""

    text: str


class TokenStream:
    """The pieces of one completion; `usage` is what its last chunk says of tokens, once it has come.

    A thread of its own reads, so that whoever waits can stop waiting. A limit on the socket would
    not do: it begins anew with each keep-alive comment, and is the same before and after the first
    piece.
    """

    def __init__(self, open_reply: OpenReply) -> None:
        self._pieces: queue.SimpleQueue[_Piece | EndpointError | None] = queue.SimpleQueue()
        self._gone = threading.Event()
        self.usage: dict[str, Any] = {}
        threading.Thread(target=self._read, args=[open_reply], daemon=True).start()

    def read(self, *, first: float, gap: float) -> Generator[str]:
        """Yield the pieces; at most `first` seconds for the first, and `gap` between two.

        Raises:
            EndpointError: it did not come, was too slow, or broke off.
        """
        try:
            yield from self._wait(first, gap)
        finally:
            self._gone.set()

    def _wait(self, first: float, gap: float) -> Iterator[str]:
        end = time.monotonic() + first
        while (piece := self._next(end)) is not None:
            end = time.monotonic() + gap if piece.text else max(end, time.monotonic() + gap)
            if piece.text:
                yield piece.text

    def _next(self, end: float) -> _Piece | None:
        try:
            piece = self._pieces.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            raise EndpointDown("did not go on in time") from None
        if isinstance(piece, EndpointError):
            raise piece
        return piece

    def _read(self, open_reply: OpenReply) -> None:
        try:
            translated(lambda: self._pass_on(open_reply))
        except EndpointError as error:
            self._pieces.put(error)
        else:
            self._pieces.put(None)

    def _pass_on(self, open_reply: OpenReply) -> None:
        is_complete = False
        with open_reply() as reply:
            for data in _event_data(reply.iter_bytes()):
                is_end = data == b"[DONE]"
                is_complete = is_end or self._take(json.loads(data)) or is_complete
                if is_end or self._gone.is_set():
                    break
        if not is_complete and not self._gone.is_set():
            raise EndpointDown("broke off before the reply was complete")

    def _take(self, chunk: dict[str, Any]) -> bool:
        """Pass on the text of a chunk; tell whether it is the last."""
        if chunk.get("error"):
            raise EndpointDown("reported an error in the middle")
        self.usage = chunk.get("usage") or self.usage
        choice: dict[str, Any] = next(iter(chunk.get("choices") or ()), {})
        delta = choice.get("delta") or {}
        if delta.get("content") or any(delta.get(name) for name in _THOUGHTS):
            self._pieces.put(_Piece(delta.get("content") or ""))
        return bool(choice.get("finish_reason"))


def _event_data(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the data of server-sent events.

    Not by the SDK's own reader: it hides whether the stream was ended or only broke off.
    """
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield from (line[5:].strip() for line in lines if line.startswith(b"data:"))


def whole_characters(pieces: Iterator[str]) -> Iterator[str]:
    """Join characters that a server cut in two: a surrogate pair as two JSON escapes in two pieces."""
    held = ""
    for piece in pieces:
        text = held + piece
        held = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        if whole := _paired(text.removesuffix(held) if held else text):
            yield whole
    if held:
        yield "\ufffd"


def _paired(text: str) -> str:
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
