"""Admins see what was delivered, and have it sent again."""

from __future__ import annotations

import json
from collections import deque
from datetime import timedelta
from typing import Any

import pytest

from knowledge_base.dialects.contract import Reply
from knowledge_base.domain.deliveries import DeliveryForm
from knowledge_base.domain.signatures import sign
from knowledge_base.ports.web import PostReply
from tests.builders import NOON
from tests.unit.dialects.test_platform_routes import Caller
from tests.world import World


@pytest.fixture
def call(world: World) -> Caller:
    return Caller(world, "acme", "admin")


def deliver(world: World, *replies: int) -> str:
    """Make a delivery, and try it once for each reply."""
    number = len(world.web.posted)
    delivery_id = f"delivery-{number}"
    facts = {"question_token": f"token-{number}", "answer": "Forty degrees.", "failure": None}
    world.container.notifications.send(
        "acme", "https://caller.example/hook", DeliveryForm.URAN_ANSWER, facts, delivery_id=delivery_id
    )
    world.web.replies = deque(PostReply(status, b"") for status in replies)
    for _ in replies:
        world.run()
        world.clock.pass_seconds(60)
        world.container.sweeping.sweep()
    return delivery_id


def ids(reply: Reply) -> list[str]:
    return [delivery["id"] for delivery in reply.body["deliveries"]]


def moment(seconds: float) -> str:
    return (NOON + timedelta(seconds=seconds)).isoformat()


def test_a_delivery_is_listed_with_every_try_and_its_reason(world: World, call: Caller) -> None:
    delivery_id = deliver(world, 500, 200)
    [shown] = call("GET", "/admin/deliveries").body["deliveries"]
    assert (shown["id"], shown["state"], shown["attempts"]) == (delivery_id, "delivered", 2)
    assert [done["error"] for done in shown["tries"]] == ["the receiver answered 500", None]
    assert shown["next_try_at"] is None
    assert call("GET", "/admin/deliveries/{id}", id=delivery_id).body == shown


def test_the_list_does_not_tell_what_was_answered(world: World, call: Caller) -> None:
    deliver(world, 200)
    assert "Forty degrees" not in json.dumps(call("GET", "/admin/deliveries").body)


def test_the_list_is_cut_by_time_and_read_page_by_page(world: World, call: Caller) -> None:
    made = [deliver(world, 200) for _ in range(4)]
    first = call("GET", "/admin/deliveries", query={"limit": "3"})
    rest = call("GET", "/admin/deliveries", query={"limit": "3", "cursor": first.body["next_cursor"]})
    assert ids(first) + ids(rest) == made[::-1]
    some = call("GET", "/admin/deliveries", query={"since": moment(60), "until": moment(180)})
    assert ids(some) == [made[2], made[1]]


def test_one_that_was_taken_is_sent_again_under_its_id(world: World, call: Caller) -> None:
    delivery_id = deliver(world, 200)
    assert call("POST", "/admin/deliveries/{id}/replay", id=delivery_id).status == 202
    world.run()
    assert [headers["webhook-id"] for _, _, headers in world.web.posted] == [delivery_id] * 2
    assert len({body for _, body, _ in world.web.posted}) == 1


def test_a_dead_one_is_sent_again_and_is_no_dead_letter_any_more(world: World, call: Caller) -> None:
    delivery_id = deliver(world, *[500] * 5)
    [letter] = call("GET", "/dead-letters").body["dead_letters"]
    assert letter["error"]["message"] == "the receiver answered 500"
    call("POST", "/admin/deliveries/{id}/replay", id=delivery_id)
    world.run()
    shown = call("GET", "/admin/deliveries/{id}", id=delivery_id).body
    assert (shown["state"], shown["attempts"], len(shown["tries"])) == ("delivered", 1, 6)
    assert call("GET", "/dead-letters").body["dead_letters"] == []


def test_the_dead_of_a_range_of_time_are_sent_again(world: World, call: Caller) -> None:
    taken, dead = deliver(world, 200), deliver(world, *[500] * 5)
    late = deliver(world, *[500] * 5)
    wanted = {"since": moment(0), "until": moment(120), "state": "dead"}
    assert call("POST", "/admin/deliveries/replay", wanted).body == {"replayed": 1, "next_cursor": None}
    posted = len(world.web.posted)
    world.run()
    assert [headers["webhook-id"] for _, _, headers in world.web.posted[posted:]] == [dead]
    states = {each["id"]: each["state"] for each in call("GET", "/admin/deliveries").body["deliveries"]}
    assert states == {taken: "delivered", dead: "delivered", late: "dead"}


@pytest.mark.parametrize(
    ("roles", "tenant", "status"), [((), "acme", 403), (("admin",), "other", 404), (("admin",), "acme", 200)]
)
def test_only_admins_of_the_tenant_see_a_delivery(
    world: World, roles: tuple[str, ...], tenant: str, status: int
) -> None:
    delivery_id = deliver(world, 200)
    call = Caller(world, tenant, *roles)
    assert call("GET", "/admin/deliveries/{id}", id=delivery_id).status == status
    again = call("POST", "/admin/deliveries/{id}/replay", id=delivery_id).status
    assert again == (202 if status == 200 else status)
    listed = call("GET", "/admin/deliveries")
    assert listed.status == 403 if status == 403 else ids(listed) == ([delivery_id] if status == 200 else [])


@pytest.mark.parametrize("query", [{"since": "yesterday"}, {"limit": "0"}, {"cursor": "no"}, {"state": "dead"}])
def test_a_list_that_cannot_be_given_is_refused(call: Caller, query: dict[str, str]) -> None:
    assert call("GET", "/admin/deliveries", query=query).status == 400


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"since": moment(0)},
        {"since": "x", "until": moment(1)},
        {"since": moment(0), "until": moment(1), "state": "lost"},
    ],
)
def test_a_range_that_cannot_be_sent_again_is_refused(call: Caller, body: dict[str, Any]) -> None:
    assert call("POST", "/admin/deliveries/replay", body).status == 400


def test_a_secret_is_shown_once_and_for_a_day_the_one_before_signs_along(world: World, call: Caller) -> None:
    old, new = (call("POST", "/admin/webhook-secret").body["secret"] for _ in range(2))
    deliver(world, 200)
    world.clock.pass_seconds(25 * 3600)
    deliver(world, 200)
    expected = [[new, old], [new]]
    for (_, body, headers), secrets in zip(world.web.posted, expected, strict=True):
        stamp = int(headers["webhook-timestamp"])
        assert headers["webhook-signature"] == sign(secrets, headers["webhook-id"], stamp, body)["webhook-signature"]
    everything = json.dumps([call("GET", path).body for path in ("/admin/deliveries", "/admin/keys", "/dead-letters")])
    assert old not in everything
    assert new not in everything
