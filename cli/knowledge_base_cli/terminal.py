"""What is written where: what was asked for to standard output, everything else to standard error."""

from __future__ import annotations

import io
import json
import os
import sys
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from rich.console import Console

from knowledge_base_cli.errors import ReaderLeft

WIDE = 10_000
"""Columns where no terminal is: nothing is wrapped or cut in a file or a pipe."""

_DIRECTION_MARKS = {0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069}
_CONTROLS = {code for code in range(0xA0) if unicodedata.category(chr(code)) == "Cc"}
_HARMLESS = {ord("\n"), ord("\t")}
_SHOWN: dict[int, str] = dict.fromkeys((_CONTROLS | _DIRECTION_MARKS) - _HARMLESS, "\N{REPLACEMENT CHARACTER}")
_SHOWN.update(dict.fromkeys(range(0xD800, 0xE000), "\N{REPLACEMENT CHARACTER}"))
_SHOWN[ord("\r")] = ""
_LINE_ENDS = {0x85, 0x2028, 0x2029}
_ESCAPED = {code: f"\\u{code:04x}" for code in _CONTROLS | _DIRECTION_MARKS | _LINE_ENDS | set(range(0xD800, 0xE000))}


@dataclass(frozen=True, slots=True)
class Terminal:
    """The two streams of a command."""

    out: Console
    err: Console

    @property
    def is_watched(self) -> bool:
        """Whether somebody sees the progress as it moves."""
        return self.err.is_terminal and not self.err.is_dumb_terminal


def terminal() -> Terminal:
    """Return the streams of this process as they are now."""
    return Terminal(_console(stderr=False), _console(stderr=True))


def accept_any_text() -> None:
    """Let a character that the terminal's encoding lacks become `?` instead of an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def printable(text: str) -> str:
    """Return a text without what could steer a terminal: names, answers and quotes come from anywhere."""
    return text.translate(_SHOWN)


def one_line(text: str, most: int) -> str:
    """Return a text on one line, cut to so many characters."""
    words = " ".join(printable(text).split())
    return words if len(words) <= most else words[: most - 1].rstrip() + "…"


def write_json(console: Console, value: object) -> None:
    """Write a value as one line of JSON, whatever a reader takes for the end of a line; in ASCII if need be."""
    line = json.dumps(value, ensure_ascii=console.encoding != "utf-8")
    console.out(line.translate(_ESCAPED), highlight=False)


def listed(names: Iterable[str]) -> str:
    """Return names as one would write them into a sentence."""
    return ", ".join(repr(printable(name)) for name in names)


class _Output(Console):
    def on_broken_pipe(self) -> None:
        """Write nothing more, and end the command as any other error would: its tasks, then itself."""
        self.quiet = True
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123  # a device
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        raise ReaderLeft


def _console(*, stderr: bool) -> Console:
    console = _Output(stderr=stderr, highlight=False, emoji=False, markup=False)
    if not console.is_terminal:
        console.width = WIDE
    return console
