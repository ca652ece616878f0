"""Queues between the functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Protocol


class Queue(StrEnum):
    """The queues, by the function that reads them."""

    DROP = "drop"
    INTAKE = "intake"
    FETCH = "fetch"
    PARSE = "parse"
    CHUNK = "chunk"
    EMBED = "embed"
    PUBLISH = "publish"
    QUESTION = "question"
    SEARCH = "search"
    ANSWER = "answer"
    NOTIFY = "notify"


class Queues(Protocol):
    """Carries JSON messages at least once."""

    def send(self, queue: Queue, body: Mapping[str, Any], *, delay: int = 0, group: str = "") -> None:
        """Send a message that is not seen for `delay` seconds (at most 900).

        `group` is the message group: order and one-at-a-time on the FIFO queue `publish`, fairness on
        the others. A body over 200 KB travels by way of the object store, unseen by sender and reader.
        """

    def send_all(self, queue: Queue, bodies: Sequence[Mapping[str, Any]], *, group: str = "") -> None:
        """Send messages of one group, as `send` does one by one, but fewer requests."""

    def send_raw(self, queue: Queue, body: str) -> None:
        """Send a message body as it is, as it was once received."""

    def waiting(self, queue: Queue) -> int:
        """Return about how many messages wait to be read; those in work do not count."""

    def depth(self, queue: Queue) -> int:
        """Return about how many messages wait or are in work."""
