"""Take in many documents with one call: keep the list, answer, and leave the deciding to a function."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from knowledge_base.domain.access import Principal
from knowledge_base.domain.deadlines import due_in
from knowledge_base.domain.documents import Source
from knowledge_base.domain.errors import Overloaded
from knowledge_base.domain.intakes import Intake, new_intake_id
from knowledge_base.domain.knowledge_bases import KnowledgeBase
from knowledge_base.domain.object_keys import intake_key
from knowledge_base.ports.clock import Clock
from knowledge_base.ports.intakes import Intakes
from knowledge_base.ports.object_store import ObjectStore
from knowledge_base.ports.queues import Queue, Queues

logger = logging.getLogger(__name__)

MOST_WAITING = 50_000
"""So many undecided documents a tenant may have before a further batch is refused."""

COME_BACK = 60
"""When a caller who was refused may try again, in seconds."""

_KEPT_LISTS = 8


class Batches:
    """Keeps what callers have sent in one call."""

    def __init__(self, *, intakes: Intakes, objects: ObjectStore, queues: Queues, clock: Clock) -> None:
        self._intakes = intakes
        self._objects = objects
        self._queues = queues
        self._clock = clock
        # A list is written once, so it can be remembered.
        self.sources = lru_cache(_KEPT_LISTS)(self._read_sources)

    def take(
        self, caller: Principal, knowledge_base: KnowledgeBase, sources: Sequence[Source], notify_url: str
    ) -> list[str]:
        """Take documents in for good, and return what each is called until it is decided what it means.

        Once this returns, each of them ends, and is told to `notify_url`, whatever dies.

        Raises:
            Overloaded: too many documents of the tenant are undecided.
        """
        standing = self._intakes.standing(caller.tenant)
        if sum(each.count - each.position for each in standing) + len(sources) > MOST_WAITING:
            raise Overloaded("too many documents are waiting", retry_after=COME_BACK)
        intake = self._new_intake(caller, knowledge_base, len(sources), notify_url)
        listed = json.dumps([asdict(source) for source in sources], ensure_ascii=True)
        self._objects.put(intake_key(intake.tenant, intake.intake_id), listed.encode())
        self._intakes.add(intake)
        self.order(intake)
        logger.info("%d documents taken in", intake.count, extra={"intake_id": intake.intake_id})
        return [intake.place(number).document_id for number in range(intake.count)]

    def order(self, intake: Intake, *, delay: int = 0) -> None:
        """Have the function decide about the next documents of an intake."""
        self._queues.send(Queue.INTAKE, {"intake_id": intake.intake_id}, delay=delay, group=intake.tenant)

    def _new_intake(self, caller: Principal, knowledge_base: KnowledgeBase, count: int, notify_url: str) -> Intake:
        now = self._clock.now()
        return Intake(
            intake_id=new_intake_id(),
            tenant=knowledge_base.tenant,
            user_id=caller.user_id,
            kb_id=knowledge_base.kb_id,
            repository=knowledge_base.name,
            notify_url=notify_url,
            count=count,
            accepted_at=now,
            due=due_in(0, now),
        )

    def _read_sources(self, tenant: str, intake_id: str) -> tuple[Source, ...]:
        listed: list[Mapping[str, Any]] = json.loads(self._objects.get(intake_key(tenant, intake_id)))
        return tuple(Source(**source) for source in listed)
