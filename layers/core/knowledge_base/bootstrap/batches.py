"""The services that take in large imports, decide about them, and show where everything stands."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from knowledge_base.bootstrap.documents import DocumentServices

if TYPE_CHECKING:
    from knowledge_base.services.arrivals import Arrivals
    from knowledge_base.services.batches import Batches
    from knowledge_base.services.deciding import Deciding


class BatchServices(DocumentServices):
    """Wires what takes batches in, decides about them, and shows where they stand."""

    @cached_property
    def batches(self) -> Batches:
        from knowledge_base.services.batches import Batches

        stores = self.stores
        return Batches(intakes=stores.intakes, objects=stores.objects, queues=stores.queues, clock=stores.clock)

    @cached_property
    def deciding(self) -> Deciding:
        from knowledge_base.services.deciding import Deciding

        stores = self.stores
        return Deciding(
            batches=self.batches,
            intakes=stores.intakes,
            importing=self.importing,
            notifications=self.notifications,
            knowledge_bases=stores.knowledge_bases,
            versions=stores.versions,
            queues=stores.queues,
            slots=self._settings.batch_slots,
            clock=stores.clock,
        )

    @cached_property
    def arrivals(self) -> Arrivals:
        from knowledge_base.services.arrivals import Arrivals

        return Arrivals(ingestions=self.ingestions, intakes=self.stores.intakes, batches=self.batches)
