"""Intakes: many documents that were taken in by one call, and are decided about one after the other."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from datetime import datetime

from knowledge_base.domain.documents import Failure, FailureCode

_NUMBER = 4
"""Hexadecimal digits at the end of an id that tell the place in an intake."""

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Place:
    """The place of one document in an intake; numbers count from 0."""

    intake_id: str
    number: int

    @property
    def document_id(self) -> str:
        """What the document is called until it is decided, and after that if it is a new one."""
        return f"{self.intake_id[:-_NUMBER]}{self.number + 1:0{_NUMBER}x}"

    @classmethod
    def named(cls, document_id: str) -> Place | None:
        """Return the place that an id would name, None where it cannot name one; the intake may not exist."""
        if not _UUID.fullmatch(document_id) or int(document_id[-_NUMBER:], 16) == 0:
            return None
        return cls(document_id[:-_NUMBER] + "0" * _NUMBER, int(document_id[-_NUMBER:], 16) - 1)


def new_intake_id() -> str:
    """Return a random UUID whose end is left for the places."""
    return str(uuid.uuid4())[:-_NUMBER] + "0" * _NUMBER


@dataclass(frozen=True, slots=True)
class Intake:
    """Documents for one knowledge base, taken in by one call; what they are stands in the object store.

    Places before `position` are decided. `due` is the second since the epoch at which it was due to go
    on: when that is long past, the sweep looks after it. `failed` says that some ended undecided.
    """

    intake_id: str
    tenant: str
    user_id: str
    kb_id: str
    repository: str
    notify_url: str
    count: int
    accepted_at: datetime
    due: int
    position: int = 0
    resumes: int = 0
    failed: bool = False

    @property
    def is_done(self) -> bool:
        """Whether every document of it is decided."""
        return self.position >= self.count

    def place(self, number: int) -> Place:
        """Return one of its places."""
        return Place(self.intake_id, number)


@dataclass(frozen=True, slots=True)
class Decision:
    """Which version answers the import at a place; with a `failure` none does."""

    place: Place
    document_id: str = ""
    ordinal: int = 0
    failure: Failure | None = None

    @property
    def is_removed(self) -> bool:
        """Whether the document was removed before it was decided what it means."""
        return self.failure is not None and self.failure.code is FailureCode.REMOVED
