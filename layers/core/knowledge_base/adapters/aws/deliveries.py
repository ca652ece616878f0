"""Subscriptions and deliveries in the Runtime table."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from knowledge_base.adapters.aws.cursors import decode_cursor, encode_cursor
from knowledge_base.adapters.aws.expressions import Write, absent, delete, equals, every, present, put, update
from knowledge_base.adapters.aws.items import Item, Key, encode, from_plain, moment, to_item
from knowledge_base.adapters.aws.refusals import ConditionUnmet
from knowledge_base.adapters.aws.table import Table
from knowledge_base.adapters.aws.tables import EXPIRES_AT
from knowledge_base.domain.deliveries import Delivery, DeliveryState, Subscription
from knowledge_base.domain.errors import StaleState
from knowledge_base.ports.clock import Clock
from knowledge_base.ports.deliveries import DeliveryPage

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.client import DynamoDBClient

SUBSCRIPTION_LIFETIME = timedelta(days=7)
DELIVERY_LIFETIME = timedelta(days=14)
_AT_ONCE = 100
_SUBSCRIPTION, _DELIVERY = "subscription", "delivery"


class DynamoDBSubscriptions:
    """Holds the subscriptions of a version in one partition."""

    def __init__(self, client: DynamoDBClient, table_name: str, clock: Clock) -> None:
        self._table = Table(client, table_name)
        self._clock = clock

    def add(self, subscription: Subscription) -> None:
        """Store a subscription; the same id again changes nothing."""
        with suppress(ConditionUnmet):
            self._table.write(self._added(subscription))

    def add_all(self, subscriptions: Sequence[Subscription]) -> None:
        """Store new subscriptions; those that are there already stay as they are."""
        for start in range(0, len(subscriptions), _AT_ONCE):
            self._table.transact([], [self._added(each) for each in subscriptions[start : start + _AT_ONCE]])

    def _added(self, subscription: Subscription) -> Write:
        expires_at = int((self._clock.now() + SUBSCRIPTION_LIFETIME).timestamp())
        item = {**to_item(subscription), **encode({"open": _SUBSCRIPTION, EXPIRES_AT: expires_at})}
        return put(_subscription(subscription), item, given=absent())

    def of_version(self, document_id: str, ordinal: int) -> list[Subscription]:
        """Return the subscriptions that are not yet turned into deliveries."""
        return [from_plain(Subscription, item) for item in self._table.query(_version(document_id, ordinal))]

    def remove(self, subscription: Subscription) -> None:
        """Forget a subscription; twice changes nothing."""
        self._table.write(delete(_subscription(subscription)))

    def overdue(self, now: int, *, limit: int) -> list[Subscription]:
        """Return subscriptions whose `due` has passed; may lag by a second."""
        return [from_plain(Subscription, item) for item in self._table.overdue(_SUBSCRIPTION, now, limit=limit)]

    def postpone(self, subscription: Subscription, due: int) -> None:
        """Set when the sweep looks again; one that is gone stays gone."""
        with suppress(ConditionUnmet):
            self._table.write(update(_subscription(subscription), assign={"due": due}, given=present()))


class DynamoDBDeliveries:
    """Holds one item for each delivery; it is open as long as it is pending."""

    def __init__(self, client: DynamoDBClient, table_name: str) -> None:
        self._table = Table(client, table_name)

    def add(self, delivery: Delivery) -> bool:
        """Store a delivery; False when one with this id is there already."""
        listed = encode({"delivery_id": delivery.delivery_id, EXPIRES_AT: _expires_at(delivery)})
        stored = put(_delivery(delivery.delivery_id), _delivery_item(delivery), given=absent())
        try:
            self._table.transact([stored, put(_listed(delivery), listed)])
        except ConditionUnmet:
            return False
        return True

    def get(self, delivery_id: str) -> Delivery | None:
        """Return a delivery, None when it is gone."""
        found = self._table.get(_delivery(delivery_id))
        return from_plain(Delivery, found) if found else None

    def update(self, before: Delivery, after: Delivery) -> None:
        """Replace a delivery that is still as `before`, by attempts and state.

        Raises:
            StaleState: it is not.
        """
        try:
            self._table.write(_replacement(before, after))
        except ConditionUnmet:
            raise StaleState("the delivery was changed by somebody else") from None

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
        before = decode_cursor(cursor) if cursor is not None else moment(until) if until else None
        order = self._table.query(_log_of(tenant), before=before, descending=True, page_size=limit + 1)
        wanted = takewhile(lambda row: since is None or row["sk"] >= moment(since), order)
        rows = list(islice(wanted, limit + 1))
        ids = [row["delivery_id"] for row in rows[:limit]]
        found = {item["delivery_id"]: from_plain(Delivery, item) for item in self._table.get_many(map(_delivery, ids))}
        deliveries = tuple(found[each] for each in ids if each in found)
        return DeliveryPage(deliveries, encode_cursor(rows[limit - 1]["sk"]) if len(rows) > limit else None)

    def overdue(self, now: int, *, limit: int) -> list[Delivery]:
        """Return pending deliveries whose `due` has passed; may lag by a second."""
        return [from_plain(Delivery, item) for item in self._table.overdue(_DELIVERY, now, limit=limit)]


def _replacement(before: Delivery, after: Delivery) -> Write:
    unchanged = every(equals("attempts", before.attempts), equals("state", before.state))
    return put(_delivery(before.delivery_id), _delivery_item(after), given=unchanged)


def _delivery_item(delivery: Delivery) -> Item:
    opened = {"open": _DELIVERY} if delivery.state is DeliveryState.PENDING else {}
    return {**to_item(delivery), **encode({EXPIRES_AT: _expires_at(delivery), **opened})}


def _expires_at(delivery: Delivery) -> int:
    return int((delivery.created_at + DELIVERY_LIFETIME).timestamp())


def _version(document_id: str, ordinal: int) -> str:
    return f"SUBSCRIPTIONS#{ordinal}#{document_id}"


def _subscription(subscription: Subscription) -> Key:
    return Key.of(_version(subscription.document_id, subscription.ordinal), subscription.subscription_id)


def _log_of(tenant: str) -> str:
    return f"DELIVERIES#{tenant}"


def _listed(delivery: Delivery) -> Key:
    return Key.of(_log_of(delivery.tenant), f"{moment(delivery.created_at)}#{delivery.delivery_id}")


def _delivery(delivery_id: str) -> Key:
    return Key.of(f"DELIVERY#{delivery_id}", "META")
