"""The services of a process, each made on first use: a function pays for what it uses, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from knowledge_base.bootstrap.batches import BatchServices
from knowledge_base.bootstrap.stores import Stores
from knowledge_base.bootstrap.webhooks import WebhookServices
from knowledge_base.ports.queues import Queue
from knowledge_base.settings import MAX_DOCUMENT_BYTES, Settings, settings

if TYPE_CHECKING:
    from knowledge_base.domain.answers import Answer
    from knowledge_base.domain.documents import Version
    from knowledge_base.services.access import Access
    from knowledge_base.services.answer_endings import AnswerEndings
    from knowledge_base.services.answering import Answering
    from knowledge_base.services.answers import Answers
    from knowledge_base.services.condensing import Condensing
    from knowledge_base.services.dead_letters import DeadLetterOffice
    from knowledge_base.services.descriptions import Descriptions
    from knowledge_base.services.drops import Drops
    from knowledge_base.services.feedback import FeedbackDesk
    from knowledge_base.services.gateways import Gateways
    from knowledge_base.services.health import Health
    from knowledge_base.services.importing import Importing
    from knowledge_base.services.ingestion.chunking import Chunking
    from knowledge_base.services.ingestion.embedding import Embedding
    from knowledge_base.services.ingestion.endings import Endings
    from knowledge_base.services.ingestion.fetching import Fetching
    from knowledge_base.services.ingestion.parsing import Parsing
    from knowledge_base.services.ingestion.publishing import Publishing
    from knowledge_base.services.ingestion.stage import StageEntry
    from knowledge_base.services.ingestions import Ingestions
    from knowledge_base.services.knowledge_bases import KnowledgeBaseRegistry
    from knowledge_base.services.question_path import QuestionPath
    from knowledge_base.services.questions import Questions
    from knowledge_base.services.reading import Reading
    from knowledge_base.services.searching import Searching
    from knowledge_base.services.sweeping import Sweeping
    from knowledge_base.services.tracing import Tracing
    from knowledge_base.services.uploads import Uploads
    from knowledge_base.services.vectors import Vectors


class Container(BatchServices, WebhookServices):
    """Wires services to adapters; meets `services.registry.Services`."""

    def __init__(self, config: Settings, stores: Stores | None = None) -> None:
        self._settings = config
        self.stores = stores or Stores(config)

    def read_message(self, body: str) -> Mapping[str, Any]:
        """Return what a received message body says, also when it was too large for a message."""
        from knowledge_base.adapters.aws.queues import resolve_body

        return resolve_body(body, self.stores.objects)

    @cached_property
    def access(self) -> Access:
        from knowledge_base.services.access import Access

        return Access(keys=self.stores.keys, clock=self.stores.clock)

    @cached_property
    def answers(self) -> Answers:
        from knowledge_base.services.answers import Answers

        return Answers(answers=self.stores.answers, endings=self._answer_endings, clock=self.stores.clock)

    @cached_property
    def feedback(self) -> FeedbackDesk:
        from knowledge_base.services.feedback import FeedbackDesk

        return FeedbackDesk(answers=self.answers, feedback=self.stores.feedback, clock=self.stores.clock)

    @cached_property
    def answering(self) -> Answering:
        from knowledge_base.services.answering import Answering

        stores = self.stores
        return Answering(
            answers=stores.answers,
            endings=self._answer_endings,
            chat=stores.chat,
            count_tokens=stores.chunker.count_tokens,
            tracing=self._tracing,
            evidence=self._settings.evidence,
        )

    @cached_property
    def _tracing(self) -> Tracing:
        from knowledge_base.services.tracing import Tracing

        return Tracing(answers=self.stores.answers, clock=self.stores.clock)

    @cached_property
    def gateways(self) -> Gateways:
        from knowledge_base.services.gateways import Gateway, Gateways

        limits = {
            Gateway.DOCUMENTS: self._settings.ingestion_queue_limit,
            Gateway.QUESTIONS: self._settings.question_queue_limit,
        }
        return Gateways(queues=self.stores.queues, limits=limits, clock=self.stores.clock)

    @cached_property
    def health(self) -> Health:
        from knowledge_base.services.health import Health

        stores = self.stores
        return Health(
            {
                "catalog": lambda: stores.keys.find("health"),
                "queues": lambda: stores.queues.depth(Queue.QUESTION),
            }
        )

    @cached_property
    def knowledge_bases(self) -> KnowledgeBaseRegistry:
        from knowledge_base.services.knowledge_bases import KnowledgeBaseRegistry

        stores = self.stores
        return KnowledgeBaseRegistry(
            knowledge_bases=stores.knowledge_bases, embedding=stores.default_embedding, clock=stores.clock
        )

    @cached_property
    def importing(self) -> Importing:
        from knowledge_base.services.importing import Importing

        stores = self.stores
        return Importing(
            documents=stores.documents,
            versions=stores.versions,
            intakes=stores.intakes,
            queues=stores.queues,
            clock=stores.clock,
        )

    @cached_property
    def uploads(self) -> Uploads:
        from knowledge_base.services.uploads import Uploads

        return Uploads(
            importing=self.importing,
            objects=self.stores.objects,
            clock=self.stores.clock,
            max_bytes=MAX_DOCUMENT_BYTES,
        )

    @cached_property
    def vectors(self) -> Vectors:
        from knowledge_base.services.vectors import Vectors

        return Vectors(embedders=self.stores.embedders, embedding=self.stores.default_embedding)

    @cached_property
    def descriptions(self) -> Descriptions:
        from knowledge_base.services.descriptions import Descriptions

        stores = self.stores
        return Descriptions(documents=stores.documents, knowledge_bases=stores.knowledge_bases, indexes=stores.indexes)

    @cached_property
    def ingestions(self) -> Ingestions:
        from knowledge_base.services.ingestions import Ingestions

        stores = self.stores
        return Ingestions(documents=stores.documents, versions=stores.versions, knowledge_bases=stores.knowledge_bases)

    @cached_property
    def reading(self) -> Reading:
        from knowledge_base.services.reading import Reading

        return Reading(ingestions=self.ingestions, versions=self.stores.versions, objects=self.stores.objects)

    @cached_property
    def questions(self) -> Questions:
        from knowledge_base.services.questions import Questions

        stores = self.stores
        return Questions(answers=stores.answers, queues=stores.queues, gateways=self.gateways, clock=stores.clock)

    @cached_property
    def question_path(self) -> QuestionPath:
        from knowledge_base.services.question_path import QuestionPath

        return QuestionPath(
            answers=self.stores.answers,
            endings=self._answer_endings,
            queues=self.stores.queues,
            searching=self.searching,
            condensing=self.condensing,
            tracing=self._tracing,
        )

    @cached_property
    def condensing(self) -> Condensing:
        from knowledge_base.services.condensing import Condensing

        return Condensing(self.stores.chat)

    @cached_property
    def searching(self) -> Searching:
        from knowledge_base.services.reranking import Reranking
        from knowledge_base.services.searching import Searching

        stores = self.stores
        return Searching(
            knowledge_bases=stores.knowledge_bases,
            documents=stores.documents,
            versions=stores.versions,
            indexes=stores.indexes,
            embedders=stores.embedders,
            reranking=Reranking(stores.reranker),
        )

    @cached_property
    def dead_letters(self) -> DeadLetterOffice:
        from knowledge_base.services.dead_letters import DeadLetterOffice

        stores = self.stores
        return DeadLetterOffice(
            dead_letters=stores.dead_letters,
            endings=self._endings,
            versions=stores.versions,
            knowledge_bases=stores.knowledge_bases,
            answers=stores.answers,
            answer_endings=self._answer_endings,
            deliveries=stores.deliveries,
            intakes=stores.intakes,
            queues=stores.queues,
            clock=stores.clock,
        )

    @cached_property
    def drops(self) -> Drops:
        from knowledge_base.services.drops import Drops

        stores = self.stores
        return Drops(
            registry=self.knowledge_bases,
            documents=stores.documents,
            versions=stores.versions,
            descriptions=self.descriptions,
            endings=self._endings,
            objects=stores.objects,
            queues=stores.queues,
            clock=stores.clock,
        )

    @cached_property
    def fetching(self) -> Fetching:
        from knowledge_base.services.ingestion.fetching import Fetching

        return Fetching(
            entry=self._entry,
            endings=self._endings,
            objects=self.stores.objects,
            web=self.stores.web,
            max_bytes=MAX_DOCUMENT_BYTES,
        )

    @cached_property
    def parsing(self) -> Parsing:
        from knowledge_base.services.ingestion.parsing import Parsing

        return Parsing(
            entry=self._entry,
            endings=self._endings,
            objects=self.stores.objects,
            parser=self.stores.parser,
            max_bytes=MAX_DOCUMENT_BYTES,
        )

    @cached_property
    def chunking(self) -> Chunking:
        from knowledge_base.services.ingestion.chunking import Chunking

        stores = self.stores
        return Chunking(
            entry=self._entry,
            endings=self._endings,
            versions=stores.versions,
            documents=stores.documents,
            knowledge_bases=stores.knowledge_bases,
            objects=stores.objects,
            queues=stores.queues,
            chunker=stores.chunker,
        )

    @cached_property
    def embedding(self) -> Embedding:
        from knowledge_base.services.ingestion.embedding import Embedding

        stores = self.stores
        return Embedding(
            entry=self._entry,
            endings=self._endings,
            versions=stores.versions,
            knowledge_bases=stores.knowledge_bases,
            publications=stores.publications,
            objects=stores.objects,
            queues=stores.queues,
            embedders=stores.embedders,
            clock=stores.clock,
        )

    @cached_property
    def publishing(self) -> Publishing:
        from knowledge_base.services.ingestion.publishing import Publishing

        stores = self.stores
        return Publishing(
            knowledge_bases=stores.knowledge_bases,
            documents=stores.documents,
            versions=stores.versions,
            publications=stores.publications,
            endings=self._endings,
            objects=stores.objects,
            indexes=stores.indexes,
            queues=stores.queues,
            clock=stores.clock,
        )

    @cached_property
    def sweeping(self) -> Sweeping:
        from knowledge_base.services.sweeping import Sweeping

        return Sweeping(
            stores=self.stores,
            endings=self._endings,
            answer_endings=self._answer_endings,
            notifications=self.notifications,
            look_after_intake=self.deciding.look_after,
            silence=self._settings.silence_seconds,
        )

    @cached_property
    def _endings(self) -> Endings:
        from knowledge_base.services.ingestion.endings import Endings

        def tell(version: Version) -> None:
            self.notifications.version_ended(version)

        stores = self.stores
        return Endings(versions=stores.versions, documents=stores.documents, tell=tell, clock=stores.clock)

    @cached_property
    def _answer_endings(self) -> AnswerEndings:
        from knowledge_base.services.answer_endings import AnswerEndings

        def tell(answer: Answer) -> None:
            self.notifications.answer_ended(answer)

        return AnswerEndings(answers=self.stores.answers, tell=tell)

    @cached_property
    def _entry(self) -> StageEntry:
        from knowledge_base.services.ingestion.stage import StageEntry

        stores = self.stores
        return StageEntry(
            versions=stores.versions, documents=stores.documents, endings=self._endings, clock=stores.clock
        )


@cache
def get_container() -> Container:
    """Return the container of this process."""
    return Container(settings())
