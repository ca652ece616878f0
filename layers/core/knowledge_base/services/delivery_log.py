"""What was delivered to a tenant's receivers, and what was not; and how it is sent again."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime

from knowledge_base.domain.access import Principal
from knowledge_base.domain.deliveries import Delivery, DeliveryState
from knowledge_base.domain.errors import DeadLetterNotFound, DeliveryNotFound, StaleState
from knowledge_base.ports.clock import Clock
from knowledge_base.ports.dead_letters import DeadLetters
from knowledge_base.ports.deliveries import Deliveries, DeliveryPage
from knowledge_base.ports.queues import Queue, Queues
from knowledge_base.services.access import require_admin

MOST_REPLAYED = 500
"""Of a range, so many are sent again by one call."""


class DeliveryLog:
    """Shows a tenant's deliveries to its admins, and sends them again."""

    def __init__(self, *, deliveries: Deliveries, dead_letters: DeadLetters, queues: Queues, clock: Clock) -> None:
        self._deliveries = deliveries
        self._dead_letters = dead_letters
        self._queues = queues
        self._clock = clock

    def page(
        self, caller: Principal, *, since: datetime | None, until: datetime | None, limit: int, cursor: str | None
    ) -> DeliveryPage:
        """Return deliveries of the caller's tenant that were made in a range of time, newest first.

        Raises:
            NotPermitted: the caller is no admin.
            InvalidInput: the cursor is not one of ours.
        """
        require_admin(caller)
        return self._deliveries.page(caller.tenant, since=since, until=until, limit=limit, cursor=cursor)

    def get(self, caller: Principal, delivery_id: str) -> Delivery:
        """Return a delivery with all that is known of its tries.

        Raises:
            NotPermitted: the caller is no admin.
            DeliveryNotFound: the tenant has none with this id, or it is older than two weeks.
        """
        require_admin(caller)
        delivery = self._deliveries.get(delivery_id)
        if delivery is None or delivery.tenant != caller.tenant:
            raise DeliveryNotFound(delivery_id)
        return delivery

    def replay(self, caller: Principal, delivery_id: str) -> None:
        """Send a delivery again, also one that was taken; its id stays the same, its tries are counted anew.

        Raises:
            NotPermitted: the caller is no admin.
            DeliveryNotFound: the tenant has none with this id.
        """
        self._send_again(self.get(caller, delivery_id))

    def replay_range(
        self, caller: Principal, *, since: datetime, until: datetime, only: DeliveryState | None, cursor: str | None
    ) -> tuple[int, str | None]:
        """Send those deliveries again that were made in a range of time, newest first.

        Returns how many were sent, and a cursor to go on from if there are more than one call looks at.

        Raises:
            NotPermitted: the caller is no admin.
            InvalidInput: the cursor is not one of ours.
        """
        page = self.page(caller, since=since, until=until, limit=MOST_REPLAYED, cursor=cursor)
        wanted = [delivery for delivery in page.deliveries if only in (None, delivery.state)]
        return sum(self._send_again(delivery) for delivery in wanted), page.next_cursor

    def _send_again(self, delivery: Delivery) -> bool:
        """Tell whether this call has had it sent again, and no other at the same moment."""
        try:
            self._deliveries.update(delivery, delivery.again(self._clock.now()))
        except StaleState:
            return False
        with suppress(DeadLetterNotFound):
            self._dead_letters.remove(delivery.tenant, delivery.delivery_id)
        self._queues.send(Queue.NOTIFY, {"delivery_id": delivery.delivery_id}, group=delivery.tenant)
        return True
