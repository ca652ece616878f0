"""The services that sign and show what callers are told."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from knowledge_base.bootstrap.foundations import Foundations

if TYPE_CHECKING:
    from knowledge_base.services.delivery_log import DeliveryLog
    from knowledge_base.services.webhook_secrets import WebhookSecretKeeper


class WebhookServices(Foundations):
    """Wires what shows deliveries, and what they are signed with."""

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
