"""What every carrier of messages promises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from knowledge_base.ports.queues import Queue, Queues

Receive = Callable[[Queue], list[dict[str, Any]]]
"""Returns what the messages say that can be received from a queue now, as a function reads them."""

CONTENT = {
    "text": "价格 \x00 \x0b \ufffe \ud800 \U0001f600 <&>",
    "number": 1.5,
    "nested": [{"none": None, "yes": True}],
}


class QueuesContract:
    """Subclasses give the fixtures `queues`, all empty, and `receive`."""

    @pytest.mark.parametrize("queue", list(Queue))
    def test_message_arrives_at_its_queue(self, queues: Queues, receive: Receive, queue: Queue) -> None:
        queues.send(queue, {"queue": queue.value}, group="acme")
        assert receive(queue) == [{"queue": queue.value}]

    def test_any_text_arrives_unchanged(self, queues: Queues, receive: Receive) -> None:
        queues.send(Queue.QUESTION, CONTENT)
        assert receive(Queue.QUESTION) == [CONTENT]

    @pytest.mark.parametrize("size", [200_000, 300_000, 3_000_000])
    def test_any_size_arrives_unchanged(self, queues: Queues, receive: Receive, size: int) -> None:
        queues.send(Queue.ANSWER, {"text": "价" * (size // 3), "end": 1})
        assert receive(Queue.ANSWER) == [{"text": "价" * (size // 3), "end": 1}]

    @pytest.mark.parametrize("group", ["", "acme", "价格 und Bedingungen", "x" * 500, "a b"])
    def test_any_group_is_taken(self, queues: Queues, receive: Receive, group: str) -> None:
        queues.send(Queue.FETCH, {"n": 1}, group=group)
        assert receive(Queue.FETCH) == [{"n": 1}]

    @pytest.mark.parametrize("queue", [Queue.FETCH, Queue.PUBLISH])
    @pytest.mark.parametrize("count", [0, 1, 10, 23])
    def test_messages_sent_together_arrive_each(self, queues: Queues, queue: Queue, count: int) -> None:
        queues.send_all(queue, [{"n": number} for number in range(count)], group="acme")
        assert queues.depth(queue) == count

    def test_messages_of_any_size_can_be_sent_together(self, queues: Queues, receive: Receive) -> None:
        texts = ["价" * 100_000, "a", "b" * 90_000]
        queues.send_all(Queue.FETCH, [{"text": text} for text in texts], group="a b")
        arrived = [message["text"] for _ in range(9) for message in receive(Queue.FETCH)]
        assert sorted(arrived) == sorted(texts)

    def test_publish_keeps_the_order_in_a_group(self, queues: Queues, receive: Receive) -> None:
        for number in range(5):
            queues.send(Queue.PUBLISH, {"n": number}, group="kb-1")
        assert receive(Queue.PUBLISH)[0] == {"n": 0}

    def test_same_knock_counts_every_time(self, queues: Queues, receive: Receive) -> None:
        for _ in range(2):
            queues.send(Queue.PUBLISH, {"kb_id": "kb-1"}, group="kb-1")
        assert queues.depth(Queue.PUBLISH) == 2

    def test_delayed_message_is_not_seen_yet(self, queues: Queues, receive: Receive) -> None:
        queues.send(Queue.NOTIFY, {"n": 1}, delay=900)
        assert receive(Queue.NOTIFY) == []
        assert queues.depth(Queue.NOTIFY) == 1

    def test_depth_counts_messages_in_work_too(self, queues: Queues, receive: Receive) -> None:
        assert queues.depth(Queue.EMBED) == 0
        queues.send(Queue.EMBED, {"n": 1})
        queues.send(Queue.EMBED, {"n": 2})
        receive(Queue.EMBED)
        assert queues.depth(Queue.EMBED) == 2

    @pytest.mark.parametrize("queue", [Queue.PARSE, Queue.PUBLISH])
    def test_raw_body_arrives_as_it_is(self, queues: Queues, receive: Receive, queue: Queue) -> None:
        queues.send_raw(queue, '{ "Records" : [] }')
        assert receive(queue) == [{"Records": []}]
