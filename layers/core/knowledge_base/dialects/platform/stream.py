"""An answer's events as named SSE events: `started step source delta finished failed`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from knowledge_base.domain.answers import LoggedEvent


class PlatformStream:
    """Encodes one answer, event by event."""

    def encode(self, logged: LoggedEvent) -> Iterator[str]:
        """Yield the one frame of an event."""
        data = asdict(logged.event)
        kind = data.pop("kind")
        yield _frame(kind, data, str(logged.event_id))

    def fail(self, status: int, message: str) -> Iterator[str]:
        """Yield the frame that ends a stream that could not go on."""
        yield _frame("failed", {"code": str(status), "message": message})


def _frame(kind: str, data: dict[str, Any], event_id: str = "") -> str:
    head = f"id: {event_id}\n" if event_id else ""
    return f"{head}event: {kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
