"""The process in which files are read: it forks a child with bounded time and memory for each.

Run by `parser`: `python -m … <module>:<maker of a parser> <limits as JSON> <argument of the maker>…`. Standard
input carries requests (what is known of a file, then its content). Standard output carries the replies: the head
of a parsed document, its text in pieces and an end, or a failure. They pass through as the child sends them, so
this process holds no text.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import time
from dataclasses import replace
from importlib import import_module

from knowledge_base.adapters.parsing.sandbox import progress
from knowledge_base.adapters.parsing.sandbox.frames import Kind, PipeClosed, PipeSilent, read_frame, write_frame
from knowledge_base.adapters.parsing.sandbox.limits import Limits
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument, encode_parsed
from knowledge_base.ports.documents import DocumentParser

_TOO_COMPLEX = IngestionFailed(
    FailureCode.TOO_COMPLEX, "the file is too complex: it cannot be read within the limits of time and memory"
)
_INTERNAL = IngestionFailed(FailureCode.INTERNAL, "the file could not be read because of an internal error")
_PIECE = 1 << 18


def main(maker: str, limits: Limits, arguments: list[str]) -> None:
    """Answer requests until standard input ends."""
    requests, replies = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    for pipe in (requests, replies):
        os.set_blocking(pipe, False)
    parser = _make_parser(maker, arguments)
    gc.freeze()
    write_frame(replies, Kind.READY)
    try:
        while True:
            (_, request), (_, content) = read_frame(requests), read_frame(requests)
            _read_in_child(parser, request, content, limits, replies)
    except PipeClosed:
        return


def _make_parser(maker: str, arguments: list[str]) -> DocumentParser:
    module, _, name = maker.partition(":")
    parser: DocumentParser = getattr(import_module(module), name)(*arguments)
    return parser


def _read_in_child(parser: DocumentParser, request: bytes, content: bytes, limits: Limits, replies: int) -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _be_child(parser, request, content, writing, limits)
    os.close(writing)
    os.set_blocking(reading, False)
    try:
        _pass_on(reading, replies, limits)
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _pass_on(reading: int, replies: int, limits: Limits) -> None:
    """Pass on what a child sends until it has ended, or failed, or does not get on."""
    began = time.monotonic()
    allowed = limits.seconds
    kind = Kind.PROGRESS
    try:
        while kind not in (Kind.END, Kind.FAILURE):
            kind, data = read_frame(reading, deadline=began + min(allowed, limits.most_seconds))
            if kind is Kind.PROGRESS:
                allowed += float(data)
            else:
                write_frame(replies, kind, _reported(data) if kind is Kind.FAILURE else data)
    except (PipeClosed, PipeSilent):
        write_frame(replies, Kind.FAILURE, _failure(_TOO_COMPLEX))


def _be_child(parser: DocumentParser, request: bytes, content: bytes, writing: int, limits: Limits) -> None:
    """Read one file and end; never returns into the parent's code."""
    try:
        _silence()
        limits.apply()
        os.set_blocking(writing, False)
        progress.listen(lambda seconds: write_frame(writing, Kind.PROGRESS, str(seconds).encode()))
        _answer(parser, request, content, writing, limits)
    finally:
        os._exit(0)


def _silence() -> None:
    """Libraries write warnings that hold words of the file."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)


def _answer(parser: DocumentParser, request: bytes, content: bytes, writing: int, limits: Limits) -> None:
    known = json.loads(request)
    try:
        _send(parser.parse(content, name=known["name"], declared_type=known["declared_type"]), writing)
    except IngestionFailed as failure:
        seems_damaged = failure.code is FailureCode.CORRUPT
        write_frame(writing, Kind.FAILURE, _failure(_TOO_COMPLEX if seems_damaged and limits.ran_short() else failure))
    except (MemoryError, RecursionError):
        write_frame(writing, Kind.FAILURE, _failure(_TOO_COMPLEX))
    except Exception as error:  # noqa: BLE001 - the parent must hear of it, whatever it is
        write_frame(writing, Kind.FAILURE, _failure(_INTERNAL, fault=type(error).__name__))


def _send(parsed: ParsedDocument, writing: int) -> None:
    """Send the text in pieces, so that a long one is not held a second time in another form."""
    write_frame(writing, Kind.HEAD, encode_parsed(replace(parsed, text="")))
    for start in range(0, len(parsed.text), _PIECE):
        write_frame(writing, Kind.TEXT, parsed.text[start : start + _PIECE].encode(errors="replace"))
    write_frame(writing, Kind.END)


def _failure(failure: IngestionFailed, *, fault: str = "") -> bytes:
    return json.dumps({"code": failure.code.value, "message": failure.message, "fault": fault}).encode()


def _reported(failure: bytes) -> bytes:
    """Say in the function's log what kind of error the parser met; never its words, which may be the file's."""
    fault = json.loads(failure).get("fault")
    if fault:
        print(f"the parser failed: {fault}", file=sys.stderr, flush=True)  # noqa: T201
    return failure


if __name__ == "__main__":
    main(sys.argv[1], Limits(**json.loads(sys.argv[2])), sys.argv[3:])
