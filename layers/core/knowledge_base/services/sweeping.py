"""End or resume what was left unfinished, and delete what nobody needs any more. Runs every minute."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, Protocol

from knowledge_base.domain.answers import AnswerFailed, AnswerRecord
from knowledge_base.domain.deadlines import PUBLISH_LEASE, RESUMES, due_in
from knowledge_base.domain.documents import FailureCode, IngestionState, Version
from knowledge_base.domain.errors import DocumentNotFound, KnowledgeBaseNotFound, StaleState
from knowledge_base.domain.intakes import Intake
from knowledge_base.domain.knowledge_bases import KnowledgeBase
from knowledge_base.domain.object_keys import document_prefixes
from knowledge_base.ports.answer_log import AnswerLog
from knowledge_base.ports.catalog import Documents, KnowledgeBases, Publications, Purge, Versions
from knowledge_base.ports.clock import Clock
from knowledge_base.ports.deliveries import Deliveries, Subscriptions
from knowledge_base.ports.intakes import Intakes
from knowledge_base.ports.object_store import ObjectStore
from knowledge_base.ports.queues import Queue, Queues
from knowledge_base.ports.vector_index import VectorIndexes
from knowledge_base.services.answer_endings import AnswerEndings
from knowledge_base.services.ingestion.endings import Endings
from knowledge_base.services.ingestion.messages import knock_on_publish, order_fetch
from knowledge_base.services.notifications import Notifications

logger = logging.getLogger(__name__)

AT_ONCE = 200
BACKLOG = 3600
LATENESS = 30
"""A delivery that is overdue for so long has lost its message."""


class Stores(Protocol):
    """What the sweep looks through."""

    @property
    def knowledge_bases(self) -> KnowledgeBases: ...
    @property
    def documents(self) -> Documents: ...
    @property
    def versions(self) -> Versions: ...
    @property
    def publications(self) -> Publications: ...
    @property
    def intakes(self) -> Intakes: ...
    @property
    def subscriptions(self) -> Subscriptions: ...
    @property
    def deliveries(self) -> Deliveries: ...
    @property
    def answers(self) -> AnswerLog: ...
    @property
    def objects(self) -> ObjectStore: ...
    @property
    def indexes(self) -> VectorIndexes: ...
    @property
    def queues(self) -> Queues: ...
    @property
    def clock(self) -> Clock: ...


class Sweeping:
    """Looks after everything that has a due time."""

    def __init__(
        self,
        *,
        stores: Stores,
        endings: Endings,
        answer_endings: AnswerEndings,
        notifications: Notifications,
        look_after_intake: Callable[[Intake], None],
        silence: int,
    ) -> None:
        self._stores = stores
        self._answer_endings = answer_endings
        self._endings = endings
        self._notifications = notifications
        self._look_after_intake = look_after_intake
        self._silence = silence

    def sweep(self) -> None:
        """Do one round; what fails in it is reported and does not keep the rest from being done."""
        now = due_in(0, self._stores.clock.now())
        stores = self._stores
        self._each("version", stores.versions.overdue(now - self._silence, limit=AT_ONCE), self._look_after)
        self._each("intake", stores.intakes.overdue(now - self._silence, limit=AT_ONCE), self._look_after_intake)
        self._each("publish", stores.publications.waiting(), self._knock_aside)
        self._each("answer", stores.answers.overdue(now, limit=AT_ONCE), self._end_answer)
        untold = stores.answers.untold(now - LATENESS, limit=AT_ONCE)
        self._each("untold_answer", untold, self._answer_endings.call_back)
        self._each("subscription", stores.subscriptions.overdue(now, limit=AT_ONCE), self._notifications.check)
        self._each("delivery", stores.deliveries.overdue(now - LATENESS, limit=AT_ONCE), self._notifications.remind)
        self._each("purge", stores.publications.due_purges(now, limit=AT_ONCE), self._purge)
        self._each("knowledge_base", stores.knowledge_bases.deleted(), self._purge_knowledge_base)

    def _each(self, kind: str, items: Iterable[Any], act: Callable[[Any], object]) -> None:
        for item in items:
            try:
                act(item)
            except StaleState:
                continue
            except Exception:
                logger.exception("sweep could not look after a %s", kind)

    def _look_after(self, version: Version) -> None:
        """Resume a silent version twice, then fail it; one that waits in a busy queue is not silent."""
        queue, now = _queue_of(version), self._stores.clock.now()
        if queue is Queue.PUBLISH and now.timestamp() < version.due + PUBLISH_LEASE:
            self._knock_aside(version.kb_id)  # the claim of a dead publisher may still stand
        elif self._stores.queues.waiting(queue) > 0:
            self._let_wait(version, queue, now)
        elif version.resumes >= RESUMES:
            self._endings.fail(version, FailureCode.STALLED, "the document was not processed in time")
        else:
            self._stores.versions.postpone(version, due=due_in(0, now), resumes=version.resumes + 1)
            self._resume(version, queue)

    def _let_wait(self, version: Version, queue: Queue, now: datetime) -> None:
        """Look again later; after an hour in a queue that is never empty, its message may be lost: send another."""
        is_old = (now - version.updated_at).total_seconds() > BACKLOG
        due = due_in(BACKLOG if is_old else 0, now)
        self._stores.versions.postpone(version, due=due, resumes=version.resumes)
        if is_old:
            self._resume(version, queue)

    def _resume(self, version: Version, queue: Queue) -> None:
        if queue is Queue.FETCH:
            order_fetch(self._stores.queues, version)
        elif queue is Queue.PUBLISH:
            self._knock_aside(version.kb_id)
        else:
            reader, stored = _last_event(version, queue)
            self._stores.queues.send(reader, self._stores.objects.event(stored), group=version.tenant)

    def _knock_aside(self, kb_id: str) -> None:
        knock_on_publish(self._stores.queues, kb_id, aside=True)

    def _end_answer(self, record: AnswerRecord) -> None:
        self._answer_endings.end(record, AnswerFailed("timeout", "the answer was not ready in time"))

    def _purge(self, purge: Purge) -> None:
        try:
            embedding = self._stores.knowledge_bases.get(purge.kb_id).config.embedding
            self._stores.indexes.of(embedding).delete_closed(purge.kb_id, through=purge.revision)
        except KnowledgeBaseNotFound:
            logger.info("the knowledge base of a purge is gone, and its chunks with it")
        if purge.document_id:
            self._erase_document(purge.document_id)
        self._stores.publications.finish_purge(purge)

    def _erase_document(self, document_id: str) -> None:
        try:
            document = self._stores.documents.get(document_id)
        except DocumentNotFound:
            return
        for prefix in document_prefixes(document.tenant, document_id):
            self._stores.objects.delete_under(prefix)
        self._stores.documents.erase(document)

    def _purge_knowledge_base(self, knowledge_base: KnowledgeBase) -> None:
        """Erase a deleted knowledge base page by page; the next round goes on where this one ends."""
        self._stores.indexes.of(knowledge_base.config.embedding).delete_knowledge_base(knowledge_base.kb_id)
        page = self._stores.documents.page(knowledge_base.kb_id, limit=AT_ONCE)
        for document in page.documents:
            newest = self._stores.versions.get(document.document_id, document.latest_ordinal)
            self._endings.fail(newest, FailureCode.REMOVED, "the knowledge base was removed")
            self._erase_document(document.document_id)
        if page.next_cursor is None:
            self._stores.knowledge_bases.erase(knowledge_base.kb_id)


def _last_event(version: Version, queue: Queue) -> tuple[Queue, str]:
    """The stored object whose event sets a silent version going again, and the queue that reads it."""
    if queue is Queue.PARSE:
        return queue, version.key.upload()
    if queue is Queue.EMBED and len(version.batches_done) == version.batch_count:
        return queue, version.key.chunks(0)
    # chunk stores each batch that is not embedded yet once more, and that sets embed going.
    return Queue.CHUNK, version.key.parsed()


def _queue_of(version: Version) -> Queue:
    """The queue whose message moves the version on."""
    if version.state is IngestionState.PENDING:
        return Queue.FETCH if version.source.url else Queue.PARSE
    return {
        IngestionState.FETCHING: Queue.FETCH,
        IngestionState.PARSING: Queue.PARSE,
        IngestionState.CHUNKING: Queue.CHUNK,
        IngestionState.EMBEDDING: Queue.EMBED,
        IngestionState.PUBLISHING: Queue.PUBLISH,
    }[version.state]
