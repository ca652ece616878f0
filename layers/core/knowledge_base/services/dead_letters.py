"""Work that the queues have given up: mark its subject as failed, keep the message, let operators try again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from knowledge_base.domain.access import Principal
from knowledge_base.domain.answers import AnswerFailed
from knowledge_base.domain.dead_letters import DeadLetter, DeadLetterKind
from knowledge_base.domain.deadlines import due_in
from knowledge_base.domain.deliveries import Delivery, DeliveryState
from knowledge_base.domain.documents import FailureCode, IngestionState, Version
from knowledge_base.domain.errors import (
    AnswerNotFound,
    InvalidInput,
    KnowledgeBaseNotFound,
    StaleState,
    VersionNotFound,
)
from knowledge_base.domain.object_keys import VersionKey
from knowledge_base.ports.answer_log import AnswerLog
from knowledge_base.ports.catalog import KnowledgeBases, Versions
from knowledge_base.ports.clock import Clock
from knowledge_base.ports.dead_letters import DeadLetterPage, DeadLetters
from knowledge_base.ports.deliveries import Deliveries
from knowledge_base.ports.intakes import Intakes
from knowledge_base.ports.queues import Queue, Queues
from knowledge_base.services.access import require_admin
from knowledge_base.services.answer_endings import AnswerEndings
from knowledge_base.services.ingestion.endings import Endings

_CAUSES: Mapping[Queue, tuple[FailureCode, str]] = {
    Queue.FETCH: (FailureCode.FETCH_FAILED, "the URL could not be read"),
    Queue.PARSE: (FailureCode.INTERNAL, "the document could not be parsed after three tries"),
    Queue.CHUNK: (FailureCode.INTERNAL, "the document could not be chunked after three tries"),
    Queue.EMBED: (FailureCode.EMBEDDING_FAILED, "the embedding endpoint did not answer in three tries"),
}

_BEGINNINGS: Mapping[Queue, IngestionState] = {
    Queue.FETCH: IngestionState.PENDING,
    Queue.PARSE: IngestionState.PENDING,
    Queue.CHUNK: IngestionState.PARSING,
    Queue.EMBED: IngestionState.EMBEDDING,
}
"""The state in which a version is taken up again by the queue it died in."""


@dataclass(frozen=True, slots=True)
class GivenUpMessage:
    """A message from a dead-letter queue; `subject` is what it was about, as the reader of the queue knows it."""

    queue: Queue
    body: str
    attempts: int
    version: VersionKey | None = None
    token: str = ""
    kb_id: str = ""
    delivery_id: str = ""
    dropped: str = ""
    intake_id: str = ""


class DeadLetterOffice:
    """Keeps dead letters, and sends them again when an operator says so."""

    def __init__(
        self,
        *,
        dead_letters: DeadLetters,
        endings: Endings,
        versions: Versions,
        knowledge_bases: KnowledgeBases,
        answers: AnswerLog,
        answer_endings: AnswerEndings,
        deliveries: Deliveries,
        intakes: Intakes,
        queues: Queues,
        clock: Clock,
    ) -> None:
        self._dead_letters = dead_letters
        self._endings = endings
        self._versions = versions
        self._knowledge_bases = knowledge_bases
        self._answers = answers
        self._answer_endings = answer_endings
        self._deliveries = deliveries
        self._intakes = intakes
        self._queues = queues
        self._clock = clock

    def bury(self, message: GivenUpMessage) -> None:
        """Fail what the message was about, and keep the message.

        A message that is about nothing anybody owns any more is forgotten.
        """
        letter = self._letter(message)
        if letter is not None:
            self._dead_letters.put(letter)

    def bury_delivery(self, delivery: Delivery) -> None:
        """Keep a delivery whose last try failed."""
        now = self._clock.now()
        self._dead_letters.put(
            DeadLetter(
                delivery.delivery_id,
                delivery.tenant,
                DeadLetterKind.DELIVERY,
                delivery.url,
                "delivery_failed",
                delivery.last_error,
                delivery.attempts,
                Queue.NOTIFY,
                delivery.delivery_id,
                delivery.created_at,
                now,
            )
        )

    def page(self, caller: Principal, *, limit: int, cursor: str | None) -> DeadLetterPage:
        """Return dead letters of the caller's tenant, newest first.

        Raises:
            NotPermitted: the caller is no admin.
            InvalidInput: the cursor is not one of ours.
        """
        require_admin(caller)
        return self._dead_letters.page(caller.tenant, limit=limit, cursor=cursor)

    def discard(self, caller: Principal, dead_letter_id: str) -> None:
        """Forget a dead letter; what it was about stays failed.

        Raises:
            NotPermitted: the caller is no admin.
            DeadLetterNotFound: the tenant has none with this id.
        """
        require_admin(caller)
        self._dead_letters.remove(caller.tenant, dead_letter_id)

    def redrive(self, caller: Principal, dead_letter_id: str) -> None:
        """Try again what died, from where it died.

        Raises:
            NotPermitted: the caller is no admin.
            DeadLetterNotFound: the tenant has none with this id.
            InvalidInput: it cannot be tried again, as an answer whose caller was told that it failed.
        """
        require_admin(caller)
        letter = self._dead_letters.get(caller.tenant, dead_letter_id)
        if letter.kind is DeadLetterKind.ANSWER:
            raise InvalidInput("an answer that has ended is not written again: ask the question again")
        if letter.kind is DeadLetterKind.DELIVERY:
            self._revive_delivery(letter)
        else:
            self._revive_version(letter)
        self._dead_letters.remove(caller.tenant, dead_letter_id)

    def _letter(self, message: GivenUpMessage) -> DeadLetter | None:
        now = self._clock.now()
        if message.version:
            return self._document_letter(message, message.version, now)
        if message.token:
            return self._answer_letter(message, now)
        if message.kb_id:
            return self._publish_letter(message, now)
        if message.dropped:
            return _drop_letter(message, now)
        if message.intake_id:
            return self._intake_letter(message, now)
        return self._delivery_letter(message, now)

    def _document_letter(self, message: GivenUpMessage, key: VersionKey, now: datetime) -> DeadLetter | None:
        try:
            version = self._versions.get(key.document_id, key.ordinal)
        except VersionNotFound:
            return None
        code, words = _CAUSES[message.queue]
        words = version.last_error or words
        if _is_beyond(version, message.queue):
            return None
        self._endings.fail(version, code, words)
        letter = _new_letter(message, version.tenant, key.document_id, now)
        return replace(letter, code=code, message=words, ordinal=key.ordinal)

    def _answer_letter(self, message: GivenUpMessage, now: datetime) -> DeadLetter | None:
        try:
            record = self._answers.head(message.token)
        except AnswerNotFound:
            return None
        words = "the answer could not be written after three tries"
        if not self._answer_endings.end(record, AnswerFailed("internal", words)):
            return None
        letter = _new_letter(message, record.principal.tenant, message.token, now)
        return replace(letter, kind=DeadLetterKind.ANSWER, code="internal", message=words)

    def _publish_letter(self, message: GivenUpMessage, now: datetime) -> DeadLetter | None:
        """A lost knock fails nothing: the sweep knocks again, and fails what stays silent."""
        try:
            tenant = self._knowledge_bases.get(message.kb_id).tenant
        except KnowledgeBaseNotFound:
            return None
        letter = _new_letter(message, tenant, message.kb_id, now)
        return replace(letter, code="publish_failed", message="publishing failed three times; it is tried again")

    def _intake_letter(self, message: GivenUpMessage, now: datetime) -> DeadLetter | None:
        """A lost turn fails nothing: the sweep sets the intake going again, and fails what stays undecided."""
        intake = self._intakes.get(message.intake_id)
        if intake is None or intake.is_done:
            return None
        letter = _new_letter(message, intake.tenant, intake.intake_id, now)
        words = f"deciding about {intake.count} documents failed three times; it is tried again"
        return replace(letter, code="intake_failed", message=words)

    def _delivery_letter(self, message: GivenUpMessage, now: datetime) -> DeadLetter | None:
        """The delivery itself is still counted and due: the sweep sends it again."""
        delivery = self._deliveries.get(message.delivery_id)
        if delivery is None or delivery.state is DeliveryState.DELIVERED:
            return None
        letter = _new_letter(message, delivery.tenant, delivery.url, now)
        return replace(letter, kind=DeadLetterKind.DELIVERY, code="notify_failed", body=delivery.delivery_id)

    def _revive_delivery(self, letter: DeadLetter) -> None:
        delivery = self._deliveries.get(letter.body)
        if delivery is None:
            raise InvalidInput("the delivery is too old to be sent again")
        self._deliveries.update(delivery, delivery.again(self._clock.now()))
        self._queues.send(Queue.NOTIFY, {"delivery_id": delivery.delivery_id}, group=delivery.tenant)

    def _revive_version(self, letter: DeadLetter) -> None:
        queue = Queue(letter.queue)
        if letter.ordinal:
            version = self._versions.get(letter.subject, letter.ordinal)
            changes = {"failure": None, "resumes": 0}
            due = due_in(0, self._clock.now())
            try:
                self._versions.move(
                    version, _BEGINNINGS[queue], allowed={IngestionState.FAILED}, due=due, changes=changes
                )
            except StaleState:
                raise InvalidInput("the document is not failed any more") from None
        self._queues.send_raw(queue, letter.body)


def _is_beyond(version: Version, queue: Queue) -> bool:
    """A late dead letter of a stage that another try has passed changes nothing."""
    order = list(IngestionState)
    passed = {Queue.FETCH: IngestionState.PARSING, Queue.PARSE: IngestionState.CHUNKING}
    limit = passed.get(queue, IngestionState.PUBLISHING)
    return version.state is not IngestionState.FAILED and order.index(version.state) >= order.index(limit)


def _drop_letter(message: GivenUpMessage, now: datetime) -> DeadLetter:
    tenant, _, _ = message.dropped.partition("/")
    letter = _new_letter(message, tenant, message.dropped, now)
    return replace(letter, code="drop_failed", message="the dropped file could not be registered after three tries")


def _new_letter(message: GivenUpMessage, tenant: str, subject: str, now: datetime) -> DeadLetter:
    name = hashlib.sha256(f"{message.queue}:{subject}:{message.body}".encode()).hexdigest()[:32]
    return DeadLetter(
        name, tenant, DeadLetterKind.DOCUMENT, subject, "", "", message.attempts, message.queue, message.body, now, now
    )
