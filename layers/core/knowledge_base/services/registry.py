"""The services that a dialect may call. `bootstrap.Container` is the one that makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from knowledge_base.services.access import Access
    from knowledge_base.services.answers import Answers
    from knowledge_base.services.arrivals import Arrivals
    from knowledge_base.services.batches import Batches
    from knowledge_base.services.dead_letters import DeadLetterOffice
    from knowledge_base.services.deciding import Deciding
    from knowledge_base.services.delivery_log import DeliveryLog
    from knowledge_base.services.document_search import DocumentSearch
    from knowledge_base.services.feedback import FeedbackDesk
    from knowledge_base.services.gateways import Gateways
    from knowledge_base.services.health import Health
    from knowledge_base.services.importing import Importing
    from knowledge_base.services.ingestions import Ingestions
    from knowledge_base.services.knowledge_bases import KnowledgeBaseRegistry
    from knowledge_base.services.listing import Listing
    from knowledge_base.services.notifications import Notifications
    from knowledge_base.services.questions import Questions
    from knowledge_base.services.reading import Reading
    from knowledge_base.services.related import RelatedDocuments
    from knowledge_base.services.relevance import RelevanceDesk
    from knowledge_base.services.uploads import Uploads
    from knowledge_base.services.vectors import Vectors
    from knowledge_base.services.webhook_secrets import WebhookSecretKeeper
    from knowledge_base.services.writing import Writing


class Services(Protocol):
    """Each service is made on first use."""

    @property
    def access(self) -> Access: ...
    @property
    def answers(self) -> Answers: ...
    @property
    def arrivals(self) -> Arrivals: ...
    @property
    def batches(self) -> Batches: ...
    @property
    def dead_letters(self) -> DeadLetterOffice: ...
    @property
    def deciding(self) -> Deciding: ...
    @property
    def delivery_log(self) -> DeliveryLog: ...
    @property
    def document_search(self) -> DocumentSearch: ...
    @property
    def feedback(self) -> FeedbackDesk: ...
    @property
    def gateways(self) -> Gateways: ...
    @property
    def health(self) -> Health: ...
    @property
    def importing(self) -> Importing: ...
    @property
    def ingestions(self) -> Ingestions: ...
    @property
    def knowledge_bases(self) -> KnowledgeBaseRegistry: ...
    @property
    def listing(self) -> Listing: ...
    @property
    def notifications(self) -> Notifications: ...
    @property
    def questions(self) -> Questions: ...
    @property
    def reading(self) -> Reading: ...
    @property
    def related(self) -> RelatedDocuments: ...
    @property
    def relevance(self) -> RelevanceDesk: ...
    @property
    def uploads(self) -> Uploads: ...
    @property
    def vectors(self) -> Vectors: ...
    @property
    def webhook_secrets(self) -> WebhookSecretKeeper: ...
    @property
    def writing(self) -> Writing: ...
