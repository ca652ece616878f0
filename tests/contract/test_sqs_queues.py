"""The queues in SQS."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from knowledge_base.adapters.aws.object_store import S3ObjectStore
from knowledge_base.adapters.aws.queues import MESSAGES, SQSQueues, hide_message, resolve_body
from knowledge_base.domain.errors import InvalidInput, ObjectNotFound
from knowledge_base.ports.queues import Queue
from tests.aws import EmulatedAws, emulated_aws
from tests.contract.queues_contract import QueuesContract, Receive


@pytest.fixture
def aws() -> Iterator[EmulatedAws]:
    with emulated_aws() as aws:
        yield aws


@pytest.fixture
def store(aws: EmulatedAws) -> S3ObjectStore:
    return S3ObjectStore(aws.s3, aws.bucket())


@pytest.fixture
def urls(aws: EmulatedAws) -> dict[str, str]:
    return {queue.value: aws.queue(f"kb-{queue}{'.fifo' if queue is Queue.PUBLISH else ''}") for queue in Queue}


@pytest.fixture
def queues(aws: EmulatedAws, urls: dict[str, str], store: S3ObjectStore) -> SQSQueues:
    return SQSQueues(aws.sqs, urls, store)


def messages(aws: EmulatedAws, url: str) -> list[dict[str, Any]]:
    attributes = {"AttributeNames": ["All"], "MaxNumberOfMessages": 10}
    return list(aws.sqs.receive_message(QueueUrl=url, **attributes).get("Messages", []))


@pytest.fixture
def receive(aws: EmulatedAws, urls: dict[str, str], store: S3ObjectStore) -> Receive:
    return lambda queue: [resolve_body(message["Body"], store) for message in messages(aws, urls[queue])]


class TestSQSQueues(QueuesContract):
    pass


def test_message_holds_at_most_200_kb(aws: EmulatedAws, queues: SQSQueues, urls: dict[str, str]) -> None:
    queues.send(Queue.ANSWER, {"text": "x" * (200 * 1024 - 11)})
    queues.send(Queue.ANSWER, {"text": "x" * (200 * 1024 - 10)})
    sizes = sorted(len(message["Body"]) for message in messages(aws, urls["answer"]))
    assert sizes[0] < 100
    assert sizes[1] == 200 * 1024
    (stored,) = aws.s3.list_objects_v2(Bucket="documents")["Contents"]
    assert stored["Key"].startswith(MESSAGES)


def test_body_is_plain_ascii_which_every_queue_takes(aws: EmulatedAws, queues: SQSQueues, urls: dict[str, str]) -> None:
    # moto takes any text; SQS refuses e.g. U+FFFE and U+000B.
    queues.send(Queue.ANSWER, {"text": "价\x0b\ufffe"})
    (message,) = messages(aws, urls["answer"])
    assert message["Body"].isascii()
    assert message["Body"].isprintable()


def test_group_makes_a_standard_queue_fair(aws: EmulatedAws, queues: SQSQueues, urls: dict[str, str]) -> None:
    queues.send(Queue.FETCH, {"n": 1}, group="acme")
    (message,) = messages(aws, urls["fetch"])
    assert message["Attributes"]["MessageGroupId"] == "acme"


@pytest.mark.parametrize("group", ["价格", "a b", "x" * 129, "tab\t"])
def test_group_that_sqs_refuses_is_hashed(
    aws: EmulatedAws, queues: SQSQueues, urls: dict[str, str], group: str
) -> None:
    for _ in range(2):
        queues.send(Queue.FETCH, {"n": 1}, group=group)
    first, second = (message["Attributes"]["MessageGroupId"] for message in messages(aws, urls["fetch"]))
    assert first == second
    assert len(first) == 64


def test_hidden_message_comes_back_later(aws: EmulatedAws, queues: SQSQueues, urls: dict[str, str]) -> None:
    queues.send(Queue.PARSE, {"n": 1})
    arn = aws.sqs.get_queue_attributes(QueueUrl=urls["parse"], AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    (message,) = messages(aws, urls["parse"])
    hide_message(aws.sqs, arn, message["ReceiptHandle"], 0)
    assert [again["MessageId"] for again in messages(aws, urls["parse"])] == [message["MessageId"]]


@pytest.mark.parametrize("body", ["", "no json", "[]", "null", '"text"'])
def test_body_that_is_no_object_is_refused(store: S3ObjectStore, body: str) -> None:
    with pytest.raises(InvalidInput):
        resolve_body(body, store)


def test_pointer_leads_nowhere_but_to_messages(store: S3ObjectStore) -> None:
    store.put("uploads/umbrella/doc-1/1", b'{"secret": 1}')
    body = {"$stored_at": "uploads/umbrella/doc-1/1"}
    assert resolve_body(json.dumps(body), store) == body


def test_message_stored_too_long_ago_is_not_found(store: S3ObjectStore) -> None:
    with pytest.raises(ObjectNotFound):
        resolve_body(json.dumps({"$stored_at": f"{MESSAGES}gone"}), store)
