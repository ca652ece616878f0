"""A document parser that no file can take down with it.

Files are read in a process apart (`process`) that starts once, with the libraries loaded and
without this process's environment, and forks a child for each file. The child has bounded time and memory (`limits`).
Only pipes are used: AWS Lambda has no /dev/shm for the queues and pools of `multiprocessing`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace

from knowledge_base.adapters.parsing.sandbox.frames import Kind, PipeClosed, PipeSilent, read_frame, write_frame
from knowledge_base.adapters.parsing.sandbox.limits import Limits
from knowledge_base.domain.documents import FailureCode
from knowledge_base.domain.errors import IngestionFailed
from knowledge_base.domain.parsed import ParsedDocument, decode_parsed
from knowledge_base.ports.documents import DocumentParser

WARM_LIBRARY_PARSER = "knowledge_base.adapters.parsing.library:make_warm_parser"
START_SECONDS = 30.0
GRACE_SECONDS = 5.0
_INHERITED = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "TESSDATA_PREFIX")
_ONE_THREAD = {"OMP_THREAD_LIMIT": "1"}
"""A child has one processor's time; libraries that start threads also reserve address space for each."""
_PROCESS = "knowledge_base.adapters.parsing.sandbox.process"


class SandboxedDocumentParser:
    """Reads files with another parser in a process apart, one at a time.

    `make_parser` is a function or class at the top of a module, or its path `<module>:<name>`; it is imported
    and called with `arguments` in that process only.
    """

    def __init__(
        self,
        make_parser: Callable[..., DocumentParser] | str = WARM_LIBRARY_PARSER,
        *arguments: str,
        limits: Limits | None = None,
    ) -> None:
        self._limits = limits or Limits()
        bounds = json.dumps(asdict(self._limits))
        self._command = [sys.executable, "-m", _PROCESS, _path(make_parser), bounds, *arguments]
        self._process: subprocess.Popen[bytes] | None = None
        self._is_ready = False
        self._lock = threading.Lock()

    def start(self) -> None:
        """Start the process ahead of the first file; returns at once, while its libraries load."""
        with self._lock:
            self._ensure_process()

    def close(self) -> None:
        """End the process; the next file starts a new one."""
        with self._lock:
            self._end_process()

    def parse(self, content: bytes, *, name: str, declared_type: str = "") -> ParsedDocument:
        """Return the text of a file; its kind is told by its content first, then by name and declared type.

        Raises:
            IngestionFailed: it cannot be read, or not within the limits of time and memory.
        """
        request = json.dumps({"name": name, "declared_type": declared_type}).encode()
        with self._lock:
            return self._ask(request, content)

    def _ask(self, request: bytes, content: bytes) -> ParsedDocument:
        process = self._wait_until_ready(self._ensure_process())
        deadline = time.monotonic() + self._limits.most_seconds + GRACE_SECONDS
        try:
            write_frame(_input(process), Kind.REQUEST, request, deadline=deadline)
            write_frame(_input(process), Kind.CONTENT, content, deadline=deadline)
            return _receive(_output(process), deadline)
        except (PipeClosed, PipeSilent) as error:
            self._end_process()
            raise IngestionFailed(FailureCode.TOO_COMPLEX, "the file is too complex to be read") from error

    def _ensure_process(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._end_process()
            self._process = self._start_process()
        return self._process

    def _start_process(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(  # noqa: S603 - this interpreter and this package
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=_environment(),
            start_new_session=True,
        )
        os.set_blocking(_input(process), False)
        os.set_blocking(_output(process), False)
        return process

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
        """A process that does not even start is no fault of the file."""
        if not self._is_ready:
            try:
                read_frame(_output(process), deadline=time.monotonic() + START_SECONDS)
            except (PipeClosed, PipeSilent) as error:
                self._end_process()
                raise RuntimeError("the parsing process does not start") from error
            self._is_ready = True
        return process

    def _end_process(self) -> None:
        process, self._process, self._is_ready = self._process, None, False
        if process is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def _receive(pipe: int, deadline: float) -> ParsedDocument:
    head, pieces, kind = b"", list[str](), Kind.READY
    while kind is not Kind.END:
        kind, data = read_frame(pipe, deadline=deadline)
        if kind is Kind.FAILURE:
            failure = json.loads(data)
            raise IngestionFailed(FailureCode(failure["code"]), failure["message"])
        if kind is Kind.HEAD:
            head = data
        elif kind is Kind.TEXT:
            pieces.append(data.decode())
    return replace(decode_parsed(head), text="".join(pieces))


def _path(make_parser: Callable[..., DocumentParser] | str) -> str:
    if isinstance(make_parser, str):
        return make_parser
    name = getattr(make_parser, "__qualname__", "")
    if not name.isidentifier() or make_parser.__module__ == "__main__":
        raise ValueError("a parser that runs in a process of its own must be made by a function of a module")
    return f"{make_parser.__module__}:{name}"


def _environment() -> dict[str, str]:
    """Return what a parser needs of this process's environment: no credentials, no settings."""
    kept = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    return {**kept, **_ONE_THREAD, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONSAFEPATH": "1"}


def _input(process: subprocess.Popen[bytes]) -> int:
    return process.stdin.fileno() if process.stdin else -1


def _output(process: subprocess.Popen[bytes]) -> int:
    return process.stdout.fileno() if process.stdout else -1
