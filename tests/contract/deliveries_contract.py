"""What every store of subscriptions and deliveries promises."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from knowledge_base.domain.deliveries import Delivery, DeliveryForm, DeliveryState, Subscription, Try
from knowledge_base.domain.errors import StaleState
from knowledge_base.ports.deliveries import Deliveries, Subscriptions
from tests.aws import in_threads
from tests.builders import NOON
from tests.contract.catalog_contract import eventually

DUE = int(NOON.timestamp()) + 60


@dataclass(frozen=True)
class Notifications:
    subscriptions: Subscriptions
    deliveries: Deliveries


def a_subscription(**changes: Any) -> Subscription:
    values = {
        "subscription_id": "sub-1",
        "document_id": "doc-1",
        "ordinal": 1,
        "tenant": "acme",
        "url": "https://hook.example/done",
        "name": "价格.pdf",
        "declared_type": "pdf",
        "source_url": "",
        "md5": "0" * 32,
        "repository": "handbook",
        "due": DUE,
    }
    return Subscription(**{**values, **changes})


def a_delivery(**changes: Any) -> Delivery:
    values = {
        "delivery_id": "msg-1",
        "tenant": "acme",
        "url": "https://hook.example/done",
        "form": DeliveryForm.URAN_DOCUMENT_STATUS,
        "facts": '{"name": "价格.pdf"}',
        "created_at": NOON,
        "due": DUE,
    }
    return Delivery(**{**values, **changes})


class SubscriptionsContract:
    """Subclasses give the fixture `notifications`: an empty one."""

    def test_subscriptions_stored_together_are_there_each(self, notifications: Notifications) -> None:
        several = [a_subscription(subscription_id=f"sub-{number}") for number in range(120)]
        notifications.subscriptions.add(several[7])
        notifications.subscriptions.add_all(several)
        assert len(notifications.subscriptions.of_version("doc-1", 1)) == 120

    def test_no_subscriptions_are_nothing(self, notifications: Notifications) -> None:
        notifications.subscriptions.add_all([])
        assert notifications.subscriptions.of_version("doc-1", 1) == []

    def test_subscriptions_are_those_of_one_version(self, notifications: Notifications) -> None:
        mine = [a_subscription(), a_subscription(subscription_id="sub-2", url="https://other.example")]
        others = [a_subscription(ordinal=2), a_subscription(ordinal=11), a_subscription(document_id="doc-11")]
        for subscription in (*mine, *others):
            notifications.subscriptions.add(subscription)
        found = notifications.subscriptions.of_version("doc-1", 1)
        assert sorted(found, key=lambda each: each.subscription_id) == mine

    def test_same_id_again_changes_nothing(self, notifications: Notifications) -> None:
        notifications.subscriptions.add(a_subscription())
        notifications.subscriptions.add(a_subscription(url="https://other.example"))
        assert notifications.subscriptions.of_version("doc-1", 1) == [a_subscription()]

    def test_removed_one_is_gone(self, notifications: Notifications) -> None:
        notifications.subscriptions.add(a_subscription())
        for _ in range(2):
            notifications.subscriptions.remove(a_subscription())
        assert notifications.subscriptions.of_version("doc-1", 1) == []
        eventually(lambda: notifications.subscriptions.overdue(DUE, limit=10), [])

    def test_overdue_ones_come_the_longest_overdue_first(self, notifications: Notifications) -> None:
        for number, due in enumerate((DUE, DUE - 2, DUE + 1)):
            notifications.subscriptions.add(a_subscription(subscription_id=f"sub-{number}", due=due))
        eventually(lambda: [each.due for each in notifications.subscriptions.overdue(DUE, limit=10)], [DUE - 2, DUE])
        assert len(notifications.subscriptions.overdue(DUE, limit=1)) == 1

    def test_postponed_one_is_overdue_later(self, notifications: Notifications) -> None:
        notifications.subscriptions.add(a_subscription())
        notifications.subscriptions.postpone(a_subscription(), DUE + 60)
        eventually(lambda: notifications.subscriptions.overdue(DUE + 59, limit=10), [])
        eventually(lambda: notifications.subscriptions.overdue(DUE + 60, limit=10), [a_subscription(due=DUE + 60)])

    def test_postponing_what_is_gone_brings_nothing_back(self, notifications: Notifications) -> None:
        notifications.subscriptions.postpone(a_subscription(), DUE)
        assert notifications.subscriptions.of_version("doc-1", 1) == []


class DeliveriesContract:
    """Subclasses give the fixture `notifications`: an empty one."""

    def test_delivery_is_added_once(self, notifications: Notifications) -> None:
        assert notifications.deliveries.add(a_delivery())
        assert not notifications.deliveries.add(a_delivery(facts="other"))
        assert notifications.deliveries.get("msg-1") == a_delivery()

    def test_unknown_delivery_is_none(self, notifications: Notifications) -> None:
        assert notifications.deliveries.get("no-such") is None

    def test_update_replaces_it(self, notifications: Notifications) -> None:
        notifications.deliveries.add(a_delivery())
        after = a_delivery(attempts=1, due=DUE + 300, last_error="status 500")
        notifications.deliveries.update(a_delivery(), after)
        assert notifications.deliveries.get("msg-1") == after

    @pytest.mark.parametrize("changes", [{"attempts": 1}, {"state": DeliveryState.DELIVERED}])
    def test_update_of_one_changed_meanwhile_is_refused(
        self, notifications: Notifications, changes: dict[str, Any]
    ) -> None:
        notifications.deliveries.add(a_delivery())
        changed = a_delivery(**changes)
        notifications.deliveries.update(a_delivery(), changed)
        with pytest.raises(StaleState):
            notifications.deliveries.update(a_delivery(), a_delivery(attempts=9))
        assert notifications.deliveries.get("msg-1") == changed

    def test_update_of_what_is_gone_brings_nothing_back(self, notifications: Notifications) -> None:
        with pytest.raises(StaleState):
            notifications.deliveries.update(a_delivery(), a_delivery(attempts=1))
        assert notifications.deliveries.get("msg-1") is None

    def test_the_log_of_a_tenant_is_read_newest_first_page_by_page(self, notifications: Notifications) -> None:
        for number in range(5):
            made = NOON + timedelta(seconds=number)
            notifications.deliveries.add(a_delivery(delivery_id=f"msg-{number}", created_at=made))
        notifications.deliveries.add(a_delivery(delivery_id="foreign", tenant="other"))
        found, cursor = [], None
        while True:
            page = notifications.deliveries.page("acme", limit=2, cursor=cursor)
            found += [each.delivery_id for each in page.deliveries]
            cursor = page.next_cursor
            if cursor is None:
                break
        assert found == [f"msg-{number}" for number in (4, 3, 2, 1, 0)]

    def test_the_log_of_a_range_begins_with_its_first_moment_and_ends_before_its_last(
        self, notifications: Notifications
    ) -> None:
        for number in range(5):
            made = NOON + timedelta(seconds=number)
            notifications.deliveries.add(a_delivery(delivery_id=f"msg-{number}", created_at=made))
        since, until = NOON + timedelta(seconds=1), NOON + timedelta(seconds=3)
        page = notifications.deliveries.page("acme", since=since, until=until, limit=10)
        assert [each.delivery_id for each in page.deliveries] == ["msg-2", "msg-1"]
        assert page.next_cursor is None

    def test_the_log_shows_a_delivery_as_it_stands_now(self, notifications: Notifications) -> None:
        notifications.deliveries.add(a_delivery())
        tried = replace(a_delivery(), attempts=1).tried(Try(NOON, "the receiver answered 500", 12))
        notifications.deliveries.update(a_delivery(), tried)
        notifications.deliveries.add(a_delivery(facts="the same id again"))
        assert notifications.deliveries.page("acme", limit=10).deliveries == (tried,)

    def test_one_of_many_parallel_tries_counts(self, notifications: Notifications) -> None:
        notifications.deliveries.add(a_delivery())
        outcomes = in_threads(20, lambda _: notifications.deliveries.update(a_delivery(), a_delivery(attempts=1)))
        assert outcomes.count(None) == 1
        assert sum(isinstance(outcome, StaleState) for outcome in outcomes) == 19

    @pytest.mark.parametrize("end", [DeliveryState.DELIVERED, DeliveryState.DEAD])
    def test_only_pending_ones_are_overdue(self, notifications: Notifications, end: DeliveryState) -> None:
        notifications.deliveries.add(a_delivery())
        notifications.deliveries.add(a_delivery(delivery_id="msg-2", due=DUE - 1))
        notifications.deliveries.add(a_delivery(delivery_id="msg-3", due=DUE + 1))
        notifications.deliveries.update(a_delivery(), replace(a_delivery(), state=end))
        eventually(lambda: [each.delivery_id for each in notifications.deliveries.overdue(DUE, limit=10)], ["msg-2"])

    def test_dead_one_that_is_tried_again_is_overdue_again(self, notifications: Notifications) -> None:
        dead = a_delivery(state=DeliveryState.DEAD, attempts=7)
        notifications.deliveries.add(dead)
        eventually(lambda: notifications.deliveries.overdue(DUE, limit=10), [])
        again = a_delivery(attempts=0)
        notifications.deliveries.update(dead, again)
        eventually(lambda: notifications.deliveries.overdue(DUE, limit=10), [again])
