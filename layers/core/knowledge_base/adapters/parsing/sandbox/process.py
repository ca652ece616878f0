"""The process in which files are read: it forks a child with bounded time and memory for each.

Run by `parser`: `python -m … <module>:<maker of a parser> <seconds> <bytes>`. Standard input carries
requests (a JSON head, then the content), standard output the replies (a JSON head, then the parsed text).
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import sys
import time
from importlib import import_module
from math import ceil

from knowledge_base.adapters.parsing.sandbox.frames import PipeClosed, PipeSilent, read_frame, write_frames
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import encode_parsed
from knowledge_base.ports.documents import DocumentParser

_TOO_COMPLEX = IngestionFailed(
    FailureCode.TOO_COMPLEX, "the file is too complex: it cannot be read within the limits of time and memory"
)


_INTERNAL = IngestionFailed(FailureCode.INTERNAL, "the file could not be read because of an internal error")


def main(maker: str, seconds: float, memory: int) -> None:
    """Answer requests until standard input ends."""
    requests, replies = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    for pipe in (requests, replies):
        os.set_blocking(pipe, False)
    parser = _make_parser(maker)
    gc.freeze()
    write_frames(replies, b"ready")
    try:
        while True:
            head, content = read_frame(requests), read_frame(requests)
            reply, parsed = _read_in_child(parser, head, content, seconds, memory)
            _report(reply)
            write_frames(replies, reply, parsed)
    except PipeClosed:
        return


def _make_parser(maker: str) -> DocumentParser:
    module, _, name = maker.partition(":")
    parser: DocumentParser = getattr(import_module(module), name)()
    return parser


def _read_in_child(parser: DocumentParser, head: bytes, content: bytes, seconds: float, memory: int) -> list[bytes]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _be_child(parser, head, content, writing, ceil(seconds), memory)
    os.close(writing)
    os.set_blocking(reading, False)
    deadline = time.monotonic() + seconds
    try:
        return [read_frame(reading, deadline=deadline), read_frame(reading, deadline=deadline)]
    except (PipeClosed, PipeSilent):
        return _failure(_TOO_COMPLEX)
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _be_child(parser: DocumentParser, head: bytes, content: bytes, writing: int, seconds: int, memory: int) -> None:
    """Read one file and end; never returns into the parent's code."""
    try:
        _silence()
        _limit(seconds, memory)
        os.set_blocking(writing, False)
        write_frames(writing, *_answer(parser, head, content))
    finally:
        os._exit(0)


def _silence() -> None:
    """Libraries write warnings that hold words of the file."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)


def _limit(seconds: int, memory: int) -> None:
    """Bound address space and processor time; allow no core dump and no file to be written."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds + 1, seconds + 2))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def _answer(parser: DocumentParser, head: bytes, content: bytes) -> list[bytes]:
    request = json.loads(head)
    try:
        parsed = parser.parse(content, name=request["name"], declared_type=request["declared_type"])
        return [b"{}", encode_parsed(parsed)]
    except IngestionFailed as failure:
        return _failure(failure)
    except (MemoryError, RecursionError):
        return _failure(_TOO_COMPLEX)
    except Exception as error:  # noqa: BLE001 - the parent must hear of it, whatever it is
        return _failure(_INTERNAL, fault=type(error).__name__)


def _failure(failure: IngestionFailed, *, fault: str = "") -> list[bytes]:
    return [json.dumps({"code": failure.code.value, "message": failure.message, "fault": fault}).encode(), b""]


def _report(reply: bytes) -> None:
    """Say in the function's log what kind of error the parser met; never its words, which may be the file's."""
    fault = json.loads(reply).get("fault")
    if fault:
        print(f"the parser failed: {fault}", file=sys.stderr, flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))
