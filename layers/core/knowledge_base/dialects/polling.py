"""Reads an answer's log as it is written, slower the longer nothing comes."""

from __future__ import annotations

from collections.abc import AsyncIterator

import anyio
from anyio.to_thread import run_sync

from knowledge_base.domain.answers import AnswerFailed, AnswerFinished, AnswerRecord, EventId, LoggedEvent
from knowledge_base.services.registry import Services

POLL_FIRST, POLL_LAST, POLL_GROWTH = 0.025, 0.25, 1.3
HEARTBEAT_SECONDS = 15.0
"""Longest silence of a stream; proxies on the way cut idle connections, some after 30 seconds."""


async def events_until_end(services: Services, record: AnswerRecord) -> AsyncIterator[LoggedEvent | None]:
    """Yield events as they are written, up to the terminal one, and None after each long silence."""
    last: EventId | None = None
    pause, silent = POLL_FIRST, 0.0
    while True:
        events = await run_sync(services.answers.events, record, last)
        for logged in events:
            yield logged
            last = logged.event_id
            if isinstance(logged.event, AnswerFinished | AnswerFailed):
                return
        pause = POLL_FIRST if events else min(POLL_LAST, pause * POLL_GROWTH)
        silent = 0.0 if events else silent + pause
        if silent >= HEARTBEAT_SECONDS:
            silent = 0.0
            yield None
        await anyio.sleep(pause)
