"""What several services stand on: the stores, the settings, and how work ends and who is told."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from knowledge_base.bootstrap.stores import Stores
from knowledge_base.settings import Settings

if TYPE_CHECKING:
    from knowledge_base.domain.answers import Answer
    from knowledge_base.domain.documents import Version
    from knowledge_base.services.answer_endings import AnswerEndings
    from knowledge_base.services.dead_letters import DeadLetterOffice
    from knowledge_base.services.gateways import Gateways
    from knowledge_base.services.ingestion.endings import Endings
    from knowledge_base.services.knowledge_bases import KnowledgeBaseRegistry
    from knowledge_base.services.notifications import Notifications
    from knowledge_base.services.outcomes import Outcomes


class Foundations:
    """The stores and settings of a process, and the services that other services use."""

    def __init__(self, config: Settings, stores: Stores | None = None) -> None:
        self._settings = config
        self.stores = stores or Stores(config)

    @cached_property
    def knowledge_bases(self) -> KnowledgeBaseRegistry:
        from knowledge_base.services.knowledge_bases import KnowledgeBaseRegistry

        stores = self.stores
        return KnowledgeBaseRegistry(
            knowledge_bases=stores.knowledge_bases, embedding=stores.default_embedding, clock=stores.clock
        )

    @cached_property
    def gateways(self) -> Gateways:
        from knowledge_base.services.gateways import Gateway, Gateways

        limits = {
            Gateway.DOCUMENTS: self._settings.ingestion_queue_limit,
            Gateway.QUESTIONS: self._settings.question_queue_limit,
            Gateway.ASSISTANT: self._settings.question_queue_limit,
        }
        stores, rule = self.stores, self._settings.breaker
        return Gateways(queues=stores.queues, limits=limits, breakers=stores.breakers, rule=rule, clock=stores.clock)

    @cached_property
    def _outcomes(self) -> Outcomes:
        from knowledge_base.services.outcomes import Outcomes

        stores = self.stores
        return Outcomes(breakers=stores.breakers, rule=self._settings.breaker, clock=stores.clock)

    @cached_property
    def notifications(self) -> Notifications:
        from knowledge_base.services.notifications import Notifications

        stores = self.stores
        return Notifications(
            subscriptions=stores.subscriptions,
            deliveries=stores.deliveries,
            versions=stores.versions,
            secrets=stores.secrets,
            objects=stores.objects,
            queues=stores.queues,
            web=stores.web,
            retry_seconds=self._settings.webhook_retry_seconds,
            give_up=self.dead_letters.bury_delivery,
            clock=stores.clock,
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
    def _endings(self) -> Endings:
        from knowledge_base.services.ingestion.endings import Endings

        def tell(version: Version) -> None:
            self.notifications.version_ended(version)

        stores = self.stores
        return Endings(
            versions=stores.versions,
            documents=stores.documents,
            tell=tell,
            outcomes=self._outcomes,
            clock=stores.clock,
        )

    @cached_property
    def _answer_endings(self) -> AnswerEndings:
        from knowledge_base.services.answer_endings import AnswerEndings

        def tell(answer: Answer) -> None:
            self.notifications.answer_ended(answer)

        return AnswerEndings(answers=self.stores.answers, tell=tell, outcomes=self._outcomes)
