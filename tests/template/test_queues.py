"""Rules for the queues between the functions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from knowledge_base.adapters.aws.given_up import source_queue
from knowledge_base.adapters.aws.queues import MAX_BODY_BYTES
from knowledge_base.ports.queues import Queue
from tests.template.stack import Resource, on_a_laptop, on_aws

QUEUE, MAPPING, FUNCTION = "AWS::SQS::Queue", "AWS::Lambda::EventSourceMapping", "AWS::Lambda::Function"
DAY = 24 * 3600
BY_BUCKET = {"drop": "drops", "parse": "documents", "chunk": "documents", "embed": "documents"}


def queue_of(queue: Queue, *, dead: bool = False) -> Resource:
    suffix = ("-dead" if dead else "") + (".fifo" if queue is Queue.PUBLISH else "")
    return on_aws().named(QUEUE, "QueueName", f"kb-{queue}{suffix}")


def arn(queue: Resource) -> str:
    return f"arn:aws:sqs:eu-central-1:123456789012:{queue.properties['QueueName']}"


def reader_of(queue: Resource) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the event source mapping and the function that read a queue."""
    mapping = on_aws().named(MAPPING, "EventSourceArn", arn(queue)).properties
    return mapping, on_aws().named(FUNCTION, "FunctionName", mapping["FunctionName"]).properties


def test_each_queue_of_the_code_and_its_dead_letters_make_all_the_queues_there_are():
    named = {resource.properties["QueueName"] for resource in on_aws().of_type(QUEUE)}
    assert named == {queue_of(queue, dead=dead).properties["QueueName"] for queue in Queue for dead in (False, True)}


@pytest.mark.parametrize("queue", Queue)
def test_a_message_that_fails_three_times_goes_to_the_dead_letters_of_its_own_queue(queue: Queue):
    redrive = queue_of(queue).properties["RedrivePolicy"]
    assert redrive == {"deadLetterTargetArn": arn(queue_of(queue, dead=True)), "maxReceiveCount": 3}


@pytest.mark.parametrize("queue", Queue)
def test_dead_letters_outlive_their_queue_and_are_read_by_the_function_that_tells_which_queue_they_were_in(
    queue: Queue,
):
    dead = queue_of(queue, dead=True)
    assert dead.properties["MessageRetentionPeriod"] == 14 * DAY
    assert dead.properties["MessageRetentionPeriod"] > queue_of(queue).properties["MessageRetentionPeriod"]
    assert reader_of(dead)[0]["FunctionName"] == "kb-dead_letter"
    assert source_queue(arn(dead)) is queue


@pytest.mark.parametrize("queue", Queue)
def test_a_queue_is_read_by_the_function_of_its_name(queue: Queue):
    assert reader_of(queue_of(queue))[0]["FunctionName"] == f"kb-{queue}"


@pytest.mark.parametrize("resource", on_aws().of_type(QUEUE), ids=str)
def test_a_message_stays_hidden_for_six_times_as_long_as_its_reader_may_take(resource: Resource):
    _, reader = reader_of(resource)
    assert resource.properties["VisibilityTimeout"] >= 6 * reader["Timeout"]


@pytest.mark.parametrize("resource", on_aws().of_type(QUEUE), ids=str)
def test_queues_are_encrypted_and_take_what_the_code_sends(resource: Resource):
    assert resource.properties["SqsManagedSseEnabled"] is True
    # Attributes count too; S3 asks for 64 KB at least.
    assert resource.properties["MaximumMessageSize"] >= MAX_BODY_BYTES + 16 * 1024


@pytest.mark.parametrize("dead", [False, True])
def test_knocks_on_publish_are_in_order_and_none_is_taken_for_the_duplicate_of_another(dead: bool):
    assert queue_of(Queue.PUBLISH, dead=dead).properties["FifoQueue"] is True
    assert queue_of(Queue.PUBLISH).properties["ContentBasedDeduplication"] is False


@pytest.mark.parametrize("stack", [on_aws, on_a_laptop])
def test_every_reader_reports_single_failures_and_is_bounded(stack: Any):
    for mapping in stack().of_type(MAPPING):
        assert mapping.properties["FunctionResponseTypes"] == ["ReportBatchItemFailures"], mapping
        assert 2 <= mapping.properties["ScalingConfig"]["MaximumConcurrency"] <= 1000, mapping


@pytest.mark.parametrize("queue", [Queue.QUESTION, Queue.SEARCH, Queue.ANSWER, Queue.PARSE, Queue.EMBED, Queue.PUBLISH])
def test_what_takes_long_or_is_waited_for_comes_one_at_a_time(queue: Queue):
    assert reader_of(queue_of(queue))[0]["BatchSize"] == 1


@pytest.mark.parametrize("queue", Queue)
def test_only_the_bucket_whose_events_it_carries_may_send_to_a_queue_from_outside(queue: Queue):
    url = f"https://queues/{queue_of(queue).properties['QueueName']}"
    policies = [p for p in on_aws().of_type("AWS::SQS::QueuePolicy") if url in p.properties["Queues"]]
    if queue not in BY_BUCKET:
        assert policies == []
        return
    (statement,) = policies[0].properties["PolicyDocument"]["Statement"]
    assert statement["Principal"] == {"Service": "s3.amazonaws.com"}
    assert statement["Action"] == "sqs:SendMessage"
    assert statement["Resource"] == arn(queue_of(queue))
    assert statement["Condition"] == {
        "StringEquals": {"aws:SourceAccount": "123456789012"},
        "ArnEquals": {"aws:SourceArn": f"arn:aws:s3:::kb-{BY_BUCKET[queue]}-123456789012-eu-central-1"},
    }


def test_no_policy_lets_everybody_in():
    assert '"Principal": "*"' not in json.dumps([p.properties for p in on_aws().of_type("AWS::SQS::QueuePolicy")])
