"""A file on its way into a knowledge base, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

KILOBYTE = 1024
MEGABYTE = 1024 * KILOBYTE
MOST_BYTES = 50 * MEGABYTE
"""The service takes no larger document."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file, the name its document has, and its size in bytes when it was found."""

    path: Path
    name: str
    size: int


class Result(StrEnum):
    """Where a file stands; PLANNED and UPLOADED are ends only if the rest was not wanted or did not come to pass."""

    PLANNED = "planned"
    UPLOADED = "uploaded"
    READY = "ready"
    UNCHANGED = "unchanged"
    FAILED = "failed"


@dataclass(slots=True)
class Outcome:
    """What has become of a file so far; a failure has a code for programs and words for people."""

    file: SourceFile
    result: Result = Result.PLANNED
    document_id: str = ""
    chunk_count: int = 0
    code: str = ""
    reason: str = ""

    def fail(self, code: str, reason: str) -> None:
        """Say that the file has not become a document, and why."""
        self.result, self.code, self.reason = Result.FAILED, code, reason

    @property
    def has_failed(self) -> bool:
        """Whether the file has not become a document."""
        return self.result is Result.FAILED


def planned(file: SourceFile) -> Outcome:
    """Return a file's outcome before anything is sent; what the service could only refuse has failed already."""
    outcome = Outcome(file)
    if file.size > MOST_BYTES:
        most = MOST_BYTES // MEGABYTE
        outcome.fail("too_large", f"the file has {readable_size(file.size)}; no more than {most} MB are taken")
    elif file.size == 0:
        outcome.fail("empty", "the file has no content")
    return outcome


def readable_size(count: int) -> str:
    """Return a number of bytes as people say it; a KB has 1024 bytes, as the service's limits have it."""
    if count < KILOBYTE:
        return f"{count} bytes"
    if count < MEGABYTE:
        return f"{count / KILOBYTE:.1f} KB"
    return f"{count / MEGABYTE:.1f} MB"


@dataclass(frozen=True, slots=True)
class Ticket:
    """What the announcement of a file is answered with: the form to send it by, or that its content is known."""

    document_id: str
    is_known: bool
    url: str
    fields: dict[str, str]

    @classmethod
    def read(cls, view: dict[str, Any]) -> Ticket:
        """Return what a reply of `POST /uploads` says."""
        if view.get("duplicate"):
            return cls(view["document_id"], True, "", {})
        return cls(view["document_id"], False, view["url"], dict(view["fields"]))


@dataclass(frozen=True, slots=True)
class Ingestion:
    """Where a document stands, as the service tells it; `progress` goes from 0 to 1."""

    document_id: str
    name: str
    version: int
    state: str
    progress: float
    chunk_count: int
    updated_at: str
    code: str
    reason: str

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will happen to this version."""
        return self.state in ("ready", "failed")

    @classmethod
    def read(cls, view: dict[str, Any]) -> Ingestion:
        """Return what a reply of `GET /ingestions/{document_id}` says."""
        error = view.get("error") or {}
        return cls(
            document_id=view["document_id"],
            name=view["name"],
            version=view["version"],
            state=view["state"],
            progress=view["progress"],
            chunk_count=view["chunk_count"],
            updated_at=view["updated_at"],
            code=error.get("code", ""),
            reason=error.get("message", ""),
        )


@dataclass(frozen=True, slots=True)
class IngestionPage:
    """Some of a knowledge base's documents; `next_cursor` leads to the next ones, and is empty at the end."""

    ingestions: tuple[Ingestion, ...]
    next_cursor: str

    @classmethod
    def read(cls, view: dict[str, Any]) -> IngestionPage:
        """Return what a reply of `GET /ingestions` says."""
        return cls(tuple(map(Ingestion.read, view["ingestions"])), view.get("next_cursor") or "")
