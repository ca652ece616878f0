"""Takes files into a knowledge base, several at a time, and follows each until it has ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from knowledge_base_cli.documents import Ingestion, Outcome, Result
from knowledge_base_cli.errors import NotThere, Refusal
from knowledge_base_cli.service import Service
from knowledge_base_cli.uploading import Bucket, FileChanged, announcement, digest

LOOKS_AT_ONCE = 4


class Watcher(Protocol):
    """Is told how it goes."""

    def sent(self, outcome: Outcome, count: int) -> None:
        """So many bytes of a file have been sent."""

    def moved(self, outcome: Outcome, ingestion: Ingestion) -> None:
        """A document's ingestion stands somewhere."""

    def ended(self, outcome: Outcome) -> None:
        """Nothing more is done for a file."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How often the service is asked how far it is; the times are seconds.

    One document is looked at after `first`, then ever less often, and all together `a_second` times a second.
    """

    first: float = 0.2
    growth: float = 1.4
    longest: float = 3.0
    a_second: float = 5.0
    patience: float = 900.0
    """An ingestion that has not moved for this long is given up. The service itself ends every one before that."""

    def wait(self, looked: int, waiting: int) -> float:
        """Return how long to wait after so many looks at one of so many documents that are waited for."""
        return max(min(self.longest, self.first * self.growth ** min(looked, 50)), waiting / self.a_second)


class Ingesting:
    """Uploads files and waits for them."""

    def __init__(
        self,
        service: Service,
        bucket: Bucket,
        repository: str,
        *,
        watcher: Watcher,
        jobs: int,
        pace: Pace | None = None,
    ) -> None:
        self._service = service
        self._bucket = bucket
        self._repository = repository
        self._watcher = watcher
        self._uploads = asyncio.Semaphore(jobs)
        self._looks = asyncio.Semaphore(LOOKS_AT_ONCE)
        self._pace = pace or Pace()
        self._waiting = 0

    async def run(self, outcomes: Sequence[Outcome], *, wait: bool) -> None:
        """Take all files in; the outcomes say how it went, also when this ends early.

        Raises:
            Refusal: the service says no in a way that concerns every file.
            Unreachable: it does not answer.
        """
        try:
            async with asyncio.TaskGroup() as group:
                for outcome in outcomes:
                    group.create_task(self._take(outcome, wait=wait))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None

    async def _take(self, outcome: Outcome, *, wait: bool) -> None:
        if not outcome.has_failed:
            await self._try(outcome, wait=wait)
        self._watcher.ended(outcome)

    async def _try(self, outcome: Outcome, *, wait: bool) -> None:
        try:
            async with self._uploads:
                is_known = await self._upload(outcome)
            if wait:
                await self._follow(outcome, Result.UNCHANGED if is_known else Result.READY)
            elif is_known:
                outcome.result = Result.UNCHANGED
        except Refusal as refusal:
            if refusal.concerns_all:
                raise
            outcome.fail(refusal.code, refusal.message)
        except FileChanged:
            outcome.fail("changed", "the file changed while it was read")
        except OSError as error:
            outcome.fail("unreadable", f"the file cannot be read: {error.strerror or error}")

    async def _upload(self, outcome: Outcome) -> bool:
        """Bring a file to the service; return whether the service has its content already."""
        file = outcome.file
        sha256 = await asyncio.to_thread(digest, file.path, file.size)
        ticket = await self._service.announce(announcement(file, sha256, self._repository))
        if not ticket.is_known:
            await self._bucket.send(file, ticket, tell=lambda count: self._watcher.sent(outcome, count))
        outcome.document_id, outcome.result = ticket.document_id, Result.UPLOADED
        self._watcher.sent(outcome, file.size)
        return ticket.is_known

    async def _follow(self, outcome: Outcome, success: Result) -> None:
        self._waiting += 1
        try:
            ended = await self._end_of(outcome)
        except NotThere as absence:
            if absence.concerns_all:
                raise
            outcome.fail("removed", "the document was deleted before it was ready")
            return
        finally:
            self._waiting -= 1
        if ended is None:
            minutes = self._pace.patience / 60
            outcome.fail("no_progress", f"nothing has happened for {minutes:.0f} minutes; `kb status` may tell more")
        elif ended.state == "failed":
            outcome.fail(ended.code, ended.reason)
        else:
            outcome.result, outcome.chunk_count = success, ended.chunk_count

    async def _end_of(self, outcome: Outcome) -> Ingestion | None:
        """Return the end of an ingestion, None if it does not move any more."""
        last, since, looked = None, time.monotonic(), 0
        while True:
            async with self._looks:
                now = await self._service.ingestion(outcome.document_id)
            self._watcher.moved(outcome, now)
            if now.has_ended:
                return now
            if now != last:
                last, since = now, time.monotonic()
            elif time.monotonic() - since > self._pace.patience:
                return None
            await asyncio.sleep(self._pace.wait(looked, self._waiting))
            looked += 1
