"""Writes one stage's events into an answer's log, few enough a second, and stops when the answer has ended."""

from __future__ import annotations

import time
from collections.abc import Callable

from knowledge_base.domain.answers import AnswerEvent, Stage, TextDelta
from knowledge_base.ports.answer_log import AnswerLog

FLUSH_SECONDS = 0.06
"""Deltas that come faster are merged: at most some 16 writes a second, while a reader sees no stutter."""

MOST_AT_ONCE = 20


class AnswerEnded(Exception):
    """The answer was ended by somebody else, as by a cancellation: nothing more is to be said."""


class EventWriter:
    """Numbers, merges and writes events."""

    def __init__(
        self, answers: AnswerLog, token: str, stage: Stage, *, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._answers = answers
        self._token = token
        self._stage = stage
        self._now = now
        self._next = 0
        self._waiting: list[AnswerEvent] = []
        self._flushed_at = float("-inf")

    def write(self, event: AnswerEvent) -> None:
        """Take an event; it is written now, or with those that follow within a moment.

        Raises:
            AnswerEnded: the answer has ended meanwhile.
        """
        last = self._waiting[-1] if self._waiting else None
        if isinstance(event, TextDelta) and isinstance(last, TextDelta):
            self._waiting[-1] = TextDelta(last.text + event.text)
        else:
            self._waiting.append(event)
        is_time = self._now() - self._flushed_at >= FLUSH_SECONDS
        if is_time or len(self._waiting) >= MOST_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Write what waits.

        Raises:
            AnswerEnded: the answer has ended meanwhile.
        """
        if not self._waiting:
            return
        if not self._answers.append(self._token, self._stage, self._next, self._waiting):
            raise AnswerEnded
        self._next += len(self._waiting)
        self._waiting = []
        self._flushed_at = self._now()
