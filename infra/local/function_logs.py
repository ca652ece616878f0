"""What the functions print, in one file that a person can read: bounded in size, one line an event."""

from __future__ import annotations

import json
import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

_LEFT_OUT = frozenset(
    (
        "level",
        "location",
        "message",
        "timestamp",
        "service",
        "cold_start",
        "function_name",
        "function_memory_size",
        "function_arn",
        "function_request_id",
        "xray_trace_id",
        "sampling_rate",
        "exception",
        "exception_name",
        "stack_trace",
    )
)


class FunctionLog:
    """Appends the output of functions to a file, of which one older part is kept."""

    def __init__(self, path: Path, *, most_bytes: int = 5_000_000) -> None:
        self._logger = logging.Logger("infra.local.functions")
        handler = RotatingFileHandler(path, maxBytes=most_bytes, backupCount=1, encoding="utf-8")
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
        self._logger.addHandler(handler)

    def write(self, function: str, line: str) -> None:
        """Write one line of a function's output; metrics and empty lines are left out."""
        text = readable(line)
        if text:
            self._logger.info("%-12s %s", function.partition("-")[2] or function, text)


def readable(line: str) -> str:
    """Return a line of a function's output as a person reads it: of a JSON record its level, message and fields."""
    if not line.startswith("{"):
        return line.rstrip()
    try:
        record = json.loads(line)
    except ValueError:
        return line
    return "" if "_aws" in record else _as_text(record)


def _as_text(record: dict[str, Any]) -> str:
    fields = [f"{name}={value}" for name, value in record.items() if name not in _LEFT_OUT]
    head = " ".join([str(record.get("level", "INFO")), str(record.get("message", "")), *fields])
    return "\n".join(filter(None, [head, str(record.get("exception") or "")]))
