"""Subscriptions and deliveries in DynamoDB."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from knowledge_base.adapters.aws.deliveries import DynamoDBDeliveries, DynamoDBSubscriptions
from tests.aws import emulated_aws, one_at_a_time
from tests.builders import NOON
from tests.contract.deliveries_contract import (
    DeliveriesContract,
    Notifications,
    SubscriptionsContract,
    a_delivery,
    a_subscription,
)
from tests.fakes import FakeClock

DAY = 24 * 3600


@pytest.fixture
def client() -> Iterator[Any]:
    with emulated_aws() as aws:
        aws.runtime_table()
        yield one_at_a_time(aws.dynamodb)


@pytest.fixture
def notifications(client: Any) -> Notifications:
    subscriptions = DynamoDBSubscriptions(client, "runtime", FakeClock())
    return Notifications(subscriptions, DynamoDBDeliveries(client, "runtime"))


class TestDynamoDBSubscriptions(SubscriptionsContract):
    pass


class TestDynamoDBDeliveries(DeliveriesContract):
    pass


def test_subscriptions_expire_after_a_week_and_deliveries_after_two(client: Any, notifications: Notifications) -> None:
    notifications.subscriptions.add(a_subscription())
    notifications.deliveries.add(a_delivery())
    notifications.deliveries.update(a_delivery(), a_delivery(attempts=1))
    items = client.scan(TableName="runtime")["Items"]
    lifetimes = {item["pk"]["S"][:3]: int(item["expires_at"]["N"]) - int(NOON.timestamp()) for item in items}
    assert lifetimes == {"SUB": 7 * DAY, "DEL": 14 * DAY}
