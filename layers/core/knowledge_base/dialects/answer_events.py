"""An answer's events as named SSE events: `started step source delta finished failed`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from knowledge_base.domain.answers import LoggedEvent, Reference, SourceFound


class NamedEvents:
    """Encodes one answer, event by event; `tell_source` gives the wire form of a source."""

    def __init__(self, tell_source: Callable[[Reference], dict[str, Any]] = asdict) -> None:
        self._tell_source = tell_source

    def encode(self, logged: LoggedEvent) -> Iterator[str]:
        """Yield the one frame of an event."""
        event = logged.event
        data = {"reference": self._tell_source(event.reference)} if isinstance(event, SourceFound) else asdict(event)
        yield _frame(event.kind, {name: value for name, value in data.items() if name != "kind"}, str(logged.event_id))

    def fail(self, status: int, message: str) -> Iterator[str]:
        """Yield the frame that ends a stream that could not go on."""
        yield _frame("failed", {"code": str(status), "message": message})


def _frame(kind: str, data: dict[str, Any], event_id: str = "") -> str:
    head = f"id: {event_id}\n" if event_id else ""
    return f"{head}event: {kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
