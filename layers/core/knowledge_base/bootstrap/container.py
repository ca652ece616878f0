"""The services of a process, each made on first use: a function pays for what it uses, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from knowledge_base.bootstrap.answers import AnswerServices
from knowledge_base.bootstrap.batches import BatchServices
from knowledge_base.bootstrap.stages import StageServices
from knowledge_base.bootstrap.webhooks import WebhookServices
from knowledge_base.ports.queues import Queue
from knowledge_base.settings import settings

if TYPE_CHECKING:
    from knowledge_base.services.access import Access
    from knowledge_base.services.health import Health
    from knowledge_base.services.sweeping import Sweeping


class Container(BatchServices, AnswerServices, StageServices, WebhookServices):
    """Wires services to adapters; meets `services.registry.Services`."""

    def read_message(self, body: str) -> Mapping[str, Any]:
        """Return what a received message body says, also when it was too large for a message."""
        from knowledge_base.adapters.aws.queues import resolve_body

        return resolve_body(body, self.stores.objects)

    @cached_property
    def access(self) -> Access:
        from knowledge_base.services.access import Access

        return Access(keys=self.stores.keys, clock=self.stores.clock)

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


@cache
def get_container() -> Container:
    """Return the container of this process."""
    return Container(settings())
