"""Byte strings over pipes, each after its kind and its length, with a deadline."""

from __future__ import annotations

import os
import select
import time
from enum import Enum

_LENGTH = 8
_PIECE = 1 << 20


class Kind(Enum):
    """What a frame is."""

    READY = b"r"
    """The process can take files."""
    REQUEST = b"q"
    CONTENT = b"c"
    PROGRESS = b"p"
    """Seconds that the file has earned by its progress."""
    HEAD = b"h"
    """A parsed document without its text, which follows in pieces."""
    TEXT = b"t"
    END = b"e"
    FAILURE = b"f"


class PipeClosed(Exception):
    """The other side has gone."""


class PipeSilent(Exception):
    """The other side did not take or send everything before the deadline."""


def write_frame(pipe: int, kind: Kind, data: bytes = b"", *, deadline: float | None = None) -> None:
    """Write a byte string to a non-blocking pipe.

    Raises:
        PipeClosed: the reader has gone.
        PipeSilent: the reader did not take it before the deadline, a time of `time.monotonic()`.
    """
    for part in (kind.value + len(data).to_bytes(_LENGTH, "big"), data):
        rest = memoryview(part)
        while rest:
            _wait(pipe, select.POLLOUT, deadline)
            rest = rest[_write_some(pipe, rest) :]


def read_frame(pipe: int, *, deadline: float | None = None) -> tuple[Kind, bytes]:
    """Return the next byte string of a non-blocking pipe, and what it is.

    Raises:
        PipeClosed: the writer has gone.
        PipeSilent: it has not come before the deadline.
    """
    head = _read(pipe, 1 + _LENGTH, deadline)
    return Kind(head[:1]), _read(pipe, int.from_bytes(head[1:], "big"), deadline)


def _read(pipe: int, size: int, deadline: float | None) -> bytes:
    """Long byte strings are read into their place, so that they are never held twice."""
    data = bytearray(size)
    rest = memoryview(data)
    while rest:
        _wait(pipe, select.POLLIN, deadline)
        rest = rest[_read_some(pipe, rest) :]
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


def _read_some(pipe: int, place: memoryview) -> int:
    try:
        count = os.readv(pipe, [place[:_PIECE]])
    except BlockingIOError:
        return 0
    if not count:
        raise PipeClosed
    return count
