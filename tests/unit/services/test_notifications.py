"""Every import call hears of its documents' ends, whatever the receiver does."""

from __future__ import annotations

import json
from collections import deque
from typing import Any

from knowledge_base.dialects.uran.schemas import DocumentToImport
from knowledge_base.dialects.uran.translate import subscription
from knowledge_base.domain.deliveries import DeliveryState
from knowledge_base.domain.documents import Version
from knowledge_base.domain.errors import DownloadFailed
from knowledge_base.domain.signatures import sign
from knowledge_base.ports.queues import Queue
from knowledge_base.ports.web import PostReply
from tests.world import World


def subscribe(world: World, version: Version, url: str = "https://caller.example/hook") -> str:
    source = version.source
    document = DocumentToImport(name=source.name, type="txt", url=source.url, md5=source.md5)
    promise = subscription(document, "handbook", url, version)
    world.container.notifications.subscribe(promise)
    return promise.subscription_id


def told(world: World) -> list[dict[str, Any]]:
    return [json.loads(body)["documents"][0] for _, body, _ in world.web.posted]


def test_a_ready_document_is_told_as_ok(world: World) -> None:
    subscribe(world, world.import_text("pump.txt", "The pump."))
    world.run()
    assert [(d["name"], d["status"], d["message"]) for d in told(world)] == [("pump.txt", 200, "OK")]


def test_a_failed_document_is_told_with_its_reason(world: World) -> None:
    subscribe(world, world.import_text("pump.txt", ""))
    world.run()
    assert told(world)[0]["status"] == 422
    assert told(world)[0]["message"].startswith("empty: ")


def test_every_call_is_told_for_itself(world: World) -> None:
    subscribe(world, world.import_text("pump.txt", "The pump.", md5="a"), "https://one.example/")
    subscribe(world, world.import_text("pump.txt", "The pump.", md5="a"), "https://two.example/x")
    world.run()
    assert {url for url, _, _ in world.web.posted} == {
        "https://one.example/uran/lm/documents_status",
        "https://two.example/x",
    }


def test_a_call_for_what_has_ended_is_told_at_once(world: World) -> None:
    version = world.import_text("pump.txt", "The pump.", md5="a")
    world.run()
    subscribe(world, version)
    world.run(Queue.NOTIFY)
    assert len(told(world)) == 1


def test_a_failing_receiver_is_tried_again_under_the_same_id(world: World) -> None:
    delivery = subscribe(world, world.import_text("pump.txt", "The pump."))
    world.container.webhook_secrets.rotate(world.caller)
    world.web.replies = deque([PostReply(500, b""), DownloadFailed("connection refused")])
    for _ in range(3):
        world.run()
        world.clock.pass_seconds(10)
        world.queues.send(Queue.NOTIFY, {"delivery_id": delivery})
    assert [headers["webhook-id"] for _, _, headers in world.web.posted] == [delivery] * 3
    stored = world.stores.deliveries.get(delivery)
    assert stored and stored.state is DeliveryState.DELIVERED


def test_a_reply_that_says_another_status_is_a_failure(world: World) -> None:
    delivery = subscribe(world, world.import_text("pump.txt", "The pump."))
    world.web.replies = deque([PostReply(200, b'{"staus": 500}')])
    world.run()
    stored = world.stores.deliveries.get(delivery)
    assert stored and (stored.state, stored.attempts) == (DeliveryState.PENDING, 1)


def test_a_message_that_comes_twice_posts_once(world: World) -> None:
    delivery = subscribe(world, world.import_text("pump.txt", "The pump."))
    world.run()
    world.queues.send(Queue.NOTIFY, {"delivery_id": delivery})
    world.run()
    assert len(world.web.posted) == 1


def test_after_the_last_try_the_delivery_is_a_dead_letter_that_can_be_sent_again(world: World) -> None:
    subscribe(world, world.import_text("pump.txt", "The pump."))
    world.web.replies = deque([PostReply(500, b"")] * 5)
    world.run()
    for _ in range(10):
        world.clock.pass_seconds(60)
        world.container.sweeping.sweep()
        world.run()
    assert len(world.web.posted) == 5
    letters = world.container.dead_letters.page(world.caller, limit=10, cursor=None).dead_letters
    assert [(letter.kind, letter.attempts) for letter in letters] == [("delivery", 5)]
    world.container.dead_letters.redrive(world.caller, letters[0].dead_letter_id)
    world.run()
    assert len(world.web.posted) == 6
    assert world.container.dead_letters.page(world.caller, limit=10, cursor=None).dead_letters == ()


def test_an_end_that_nobody_told_is_told_by_the_sweep(world: World) -> None:
    version = world.import_text("pump.txt", "The pump.")
    subscribe(world, version)
    tell = world.container._endings._tell
    world.container._endings._tell = lambda _: None
    world.run()
    world.container._endings._tell = tell
    world.clock.pass_seconds(200)
    world.container.sweeping.sweep()
    world.run()
    assert len(told(world)) == 1


def test_after_a_rotation_both_secrets_sign(world: World) -> None:
    first = world.container.webhook_secrets.rotate(world.caller)
    second = world.container.webhook_secrets.rotate(world.caller)
    subscribe(world, world.import_text("pump.txt", "The pump."))
    world.run()
    _, body, headers = world.web.posted[0]
    stamp = int(headers["webhook-timestamp"])
    expected = {sign([s.current], headers["webhook-id"], stamp, body)["webhook-signature"] for s in (first, second)}
    assert set(headers["webhook-signature"].split(" ")) == expected


def test_without_a_secret_a_delivery_still_has_an_id_to_be_told_apart_by(world: World) -> None:
    delivery = subscribe(world, world.import_text("pump.txt", "The pump."))
    world.run()
    _, _, headers = world.web.posted[0]
    assert headers["webhook-id"] == delivery
    assert "webhook-signature" not in headers
