"""Subscriptions to ingestions' ends, and deliveries under way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from knowledge_base.domain.deliveries import Delivery, Subscription


class Subscriptions(Protocol):
    """Who wants to hear how a version ends."""

    def add(self, subscription: Subscription) -> None:
        """Store a subscription; the same id again changes nothing."""

    def add_all(self, subscriptions: Sequence[Subscription]) -> None:
        """Store new subscriptions; those that are there already stay as they are."""

    def of_version(self, document_id: str, ordinal: int) -> list[Subscription]:
        """Return the subscriptions that are not yet turned into deliveries."""

    def remove(self, subscription: Subscription) -> None:
        """Forget a subscription; twice changes nothing."""

    def overdue(self, now: int, *, limit: int) -> list[Subscription]:
        """Return subscriptions whose `due` has passed; may lag by a second."""

    def postpone(self, subscription: Subscription, due: int) -> None:
        """Set when the sweep looks again."""


@dataclass(frozen=True, slots=True)
class DeliveryPage:
    """Deliveries, newest first; `next_cursor` is None on the last page."""

    deliveries: tuple[Delivery, ...]
    next_cursor: str | None


class Deliveries(Protocol):
    """POSTs that are tried until they succeed or are given up."""

    def add(self, delivery: Delivery) -> bool:
        """Store a delivery; False when one with this id is there already."""

    def get(self, delivery_id: str) -> Delivery | None:
        """Return a delivery, None when it is gone."""

    def update(self, before: Delivery, after: Delivery) -> None:
        """Replace a delivery that is still as `before`, by attempts and state.

        Raises:
            StaleState: it is not.
        """

    def page(
        self,
        tenant: str,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int,
        cursor: str | None = None,
    ) -> DeliveryPage:
        """Return a tenant's deliveries that were made from `since` on and before `until`.

        Raises:
            InvalidInput: the cursor is not one of ours.
        """

    def overdue(self, now: int, *, limit: int) -> list[Delivery]:
        """Return pending deliveries whose `due` has passed; may lag by a second."""
