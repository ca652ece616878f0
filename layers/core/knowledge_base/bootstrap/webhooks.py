"""The services that tell callers how their work ended; a part of the container."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from knowledge_base.bootstrap.stores import Stores
from knowledge_base.settings import Settings

if TYPE_CHECKING:
    from knowledge_base.services.dead_letters import DeadLetterOffice
    from knowledge_base.services.delivery_log import DeliveryLog
    from knowledge_base.services.notifications import Notifications
    from knowledge_base.services.webhook_secrets import WebhookSecretKeeper


class WebhookServices:
    """Wires what delivers, what shows deliveries, and what signs them."""

    _settings: Settings
    stores: Stores
    if TYPE_CHECKING:

        @property
        def dead_letters(self) -> DeadLetterOffice: ...

    @cached_property
    def notifications(self) -> Notifications:
        from knowledge_base.services.notifications import Notifications

        stores = self.stores
        return Notifications(
            subscriptions=stores.subscriptions,
            deliveries=stores.deliveries,
            versions=stores.versions,
            secrets=stores.secrets,
            queues=stores.queues,
            web=stores.web,
            retry_seconds=self._settings.webhook_retry_seconds,
            give_up=self.dead_letters.bury_delivery,
            clock=stores.clock,
        )

    @cached_property
    def delivery_log(self) -> DeliveryLog:
        from knowledge_base.services.delivery_log import DeliveryLog

        stores = self.stores
        return DeliveryLog(
            deliveries=stores.deliveries, dead_letters=stores.dead_letters, queues=stores.queues, clock=stores.clock
        )

    @cached_property
    def webhook_secrets(self) -> WebhookSecretKeeper:
        from knowledge_base.services.webhook_secrets import WebhookSecretKeeper

        return WebhookSecretKeeper(secrets=self.stores.secrets, clock=self.stores.clock)
