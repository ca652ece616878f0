"""Parsers that behave as files make readers behave; each is named by what it does."""

from __future__ import annotations

import ctypes
import os
import tempfile
import time

from knowledge_base.domain.parsed import ParsedDocument


class Obedient:
    """Does what the content says."""

    def parse(self, content: bytes, *, name: str, declared_type: str = "") -> ParsedDocument:
        return ParsedDocument(str(getattr(self, content.decode())()), "text/plain", title=name)

    def hello(self) -> str:
        return "hello"

    def hang(self) -> None:
        while True:
            time.sleep(1)

    def spin(self) -> None:
        while True:
            pass

    def crash(self) -> None:
        ctypes.string_at(0)

    def exit(self) -> None:
        os._exit(3)

    def recurse(self) -> None:
        self.recurse()

    def eat(self) -> int:
        return len(b"x" * (3 << 30))

    def fail(self) -> None:
        raise KeyError("/secret/path")

    def chatter(self) -> str:
        os.write(1, b"noise on standard output")
        return "still understood"

    def environment(self) -> str:
        return " ".join(sorted(os.environ))

    def write_file(self) -> None:
        with tempfile.TemporaryFile() as file:
            file.write(b"x")
            file.flush()

    def descriptors(self) -> str:
        return " ".join(str(number) for number in range(256) if _is_open(number))

    def big(self) -> str:
        return "長" * 5_000_000

    def process(self) -> int:
        return os.getppid()


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


class Unstartable:
    """Cannot be made."""

    def __init__(self) -> None:
        raise ImportError("no such library")
