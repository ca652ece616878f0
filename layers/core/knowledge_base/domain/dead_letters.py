"""Work that ended badly, kept for operators."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class DeadLetterKind(StrEnum):
    """What the dead work was about."""

    DOCUMENT = "document"
    ANSWER = "answer"
    DELIVERY = "delivery"


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message that could not be handled, with what is needed to try it again.

    `subject` is a document id, an answer token or a delivery id; `queue` is where `body` came from.
    """

    dead_letter_id: str
    tenant: str
    kind: DeadLetterKind
    subject: str
    code: str
    message: str
    attempts: int
    queue: str
    body: str
    first_at: datetime
    last_at: datetime
    ordinal: int = 0
