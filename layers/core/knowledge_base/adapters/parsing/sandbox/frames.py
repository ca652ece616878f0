"""Byte strings over pipes, each after its length, with a deadline."""

from __future__ import annotations

import os
import select
import time

_LENGTH = 8
_PIECE = 1 << 20


class PipeClosed(Exception):
    """The other side has gone."""


class PipeSilent(Exception):
    """The other side did not take or send everything before the deadline."""


def write_frames(pipe: int, *frames: bytes, deadline: float | None = None) -> None:
    """Write byte strings to a non-blocking pipe.

    Raises:
        PipeClosed: the reader has gone.
        PipeSilent: the reader did not take them before the deadline, a time of `time.monotonic()`.
    """
    for frame in frames:
        rest = memoryview(len(frame).to_bytes(_LENGTH, "big") + frame)
        while rest:
            _wait(pipe, select.POLLOUT, deadline)
            rest = rest[_write_some(pipe, rest) :]


def read_frame(pipe: int, *, deadline: float | None = None) -> bytes:
    """Return the next byte string of a non-blocking pipe.

    Raises:
        PipeClosed: the writer has gone.
        PipeSilent: it has not come before the deadline.
    """
    return _read(pipe, int.from_bytes(_read(pipe, _LENGTH, deadline), "big"), deadline)


def _read(pipe: int, size: int, deadline: float | None) -> bytes:
    data = bytearray()
    while len(data) < size:
        _wait(pipe, select.POLLIN, deadline)
        piece = _read_some(pipe, min(_PIECE, size - len(data)))
        if piece == b"":
            raise PipeClosed
        data += piece or b""
    return bytes(data)


def _wait(pipe: int, event: int, deadline: float | None) -> None:
    """Wait by `poll`, which unlike `select` takes file descriptors of any number."""
    poll = select.poll()
    poll.register(pipe, event)
    remaining = None if deadline is None else max(0.0, (deadline - time.monotonic()) * 1000)
    if not poll.poll(remaining):
        raise PipeSilent


def _write_some(pipe: int, data: memoryview) -> int:
    try:
        return os.write(pipe, data[:_PIECE])
    except BlockingIOError:
        return 0
    except BrokenPipeError as error:
        raise PipeClosed from error


def _read_some(pipe: int, size: int) -> bytes | None:
    try:
        return os.read(pipe, size)
    except BlockingIOError:
        return None
