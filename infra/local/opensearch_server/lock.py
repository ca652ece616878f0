"""A lock between processes, kept in a file. It is released too when its process dies."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def wait_for_lock(path: Path) -> Iterator[None]:
    """Hold the lock for the length of the block, once nobody else holds it."""
    with open_lock_file(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def take_lock(path: Path, refusal: Exception) -> Iterator[None]:
    """Hold the lock for the length of the block, or raise `refusal` if another process holds it."""
    with open_lock_file(path) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise refusal from None
        yield


def open_lock_file(path: Path) -> IO[str]:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("a")
