"""The log of answers in DynamoDB."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from knowledge_base.adapters.aws.answer_log import DynamoDBAnswerLog
from knowledge_base.domain.answers import AnswerFinished, EventId, Message, Question, Stage, TextDelta
from knowledge_base.domain.errors import Overloaded, PayloadTooLarge
from tests.aws import EmulatedAws, a_refusal, counted, emulated_aws, one_at_a_time, refusing
from tests.builders import NOON
from tests.contract.answer_log_contract import DEADLINE, AnswerLogContract, Log, a_record
from tests.fakes import FakeClock

WEEK = 7 * 24 * 3600


@pytest.fixture
def aws() -> Iterator[EmulatedAws]:
    with emulated_aws() as aws:
        aws.runtime_table()
        yield aws


def a_log(client: Any) -> Log:
    clock = FakeClock()
    return Log(DynamoDBAnswerLog(client, "runtime", clock), clock)


@pytest.fixture
def log(aws: EmulatedAws) -> Log:
    return a_log(one_at_a_time(aws.dynamodb))


class TestDynamoDBAnswerLog(AnswerLogContract):
    pass


def test_reader_never_passes_an_event_that_comes_to_light_later(aws: EmulatedAws, log: Log) -> None:
    # A query may see one part of a transaction before another; moto cannot, so a part is taken away.
    log.answers.open(a_record())
    log.answers.append("token-1", Stage.ANSWER, 0, [TextDelta("a")])
    log.answers.append("token-1", Stage.ANSWER, 1, [TextDelta("b"), TextDelta("c"), TextDelta("d")])
    hidden = {"pk": {"S": "EVENTS#token-1"}, "sk": {"S": "3#000002"}}
    item = aws.dynamodb.get_item(TableName="runtime", Key=hidden)["Item"]
    aws.dynamodb.delete_item(TableName="runtime", Key=hidden)
    assert [each.event for each in log.answers.read("token-1")] == [TextDelta("a"), TextDelta("b")]
    assert log.answers.read("token-1", after=EventId(Stage.ANSWER, 1)) == []
    aws.dynamodb.put_item(TableName="runtime", Item=item)
    assert [each.event.text for each in log.answers.read("token-1", after=EventId(Stage.ANSWER, 1))] == ["c", "d"]


def test_append_and_close_and_read_take_one_round_trip_each(aws: EmulatedAws) -> None:
    calls: Counter[str] = Counter()
    log = a_log(counted(aws.dynamodb, calls))
    log.answers.open(a_record())
    log.answers.append("token-1", Stage.ANSWER, 0, [TextDelta("a")] * 20)
    log.answers.close("token-1", AnswerFinished())
    log.answers.read("token-1")
    log.answers.head("token-1")
    assert calls == {"put_item": 1, "transact_write_items": 2, "query": 1, "get_item": 1}


@pytest.mark.parametrize("reasons", [("TransactionConflict", "None"), ("None", "ThrottlingError")])
def test_append_outlasts_collisions(
    aws: EmulatedAws, monkeypatch: pytest.MonkeyPatch, reasons: tuple[str, ...]
) -> None:
    monkeypatch.setattr("knowledge_base.adapters.aws.table.sleep", lambda _: None)
    collisions = [a_refusal("TransactionCanceledException", "TransactWriteItems", *reasons) for _ in range(3)]
    log = a_log(refusing(aws.dynamodb, {"transact_write_items": collisions}))
    log.answers.open(a_record())
    assert log.answers.append("token-1", Stage.ANSWER, 0, [TextDelta("a")])
    assert len(log.answers.read("token-1")) == 1


def test_endless_collisions_are_overload_and_not_the_end(aws: EmulatedAws, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knowledge_base.adapters.aws.table.sleep", lambda _: None)
    reasons = ("TransactionConflict", "None")
    collisions = [a_refusal("TransactionCanceledException", "TransactWriteItems", *reasons) for _ in range(99)]
    log = a_log(refusing(aws.dynamodb, {"transact_write_items": collisions}))
    log.answers.open(a_record())
    with pytest.raises(Overloaded):
        log.answers.append("token-1", Stage.ANSWER, 0, [TextDelta("a")])


def test_answers_expire_after_a_week(aws: EmulatedAws, log: Log) -> None:
    log.answers.open(a_record())
    log.answers.append("token-1", Stage.ANSWER, 0, [TextDelta("a")])
    log.answers.close("token-1", AnswerFinished())
    items = aws.dynamodb.scan(TableName="runtime")["Items"]
    assert len(items) == 3
    assert {item["expires_at"]["N"] for item in items} == {str(int(NOON.timestamp()) + WEEK)}


def test_ended_answer_leaves_the_index(aws: EmulatedAws, log: Log) -> None:
    log.answers.open(a_record())
    assert aws.dynamodb.scan(TableName="runtime", IndexName="open")["Count"] == 1
    log.answers.close("token-1", AnswerFinished())
    assert aws.dynamodb.scan(TableName="runtime", IndexName="open")["Count"] == 0
    assert log.answers.overdue(DEADLINE, limit=10) == []


def test_question_beyond_what_an_item_holds_is_too_large(log: Log) -> None:
    with pytest.raises(PayloadTooLarge):
        log.answers.open(a_record(question=Question((Message("user", "x" * 410_000),))))


def test_head_written_by_a_later_release_can_be_read(aws: EmulatedAws, log: Log) -> None:
    log.answers.open(a_record())
    aws.dynamodb.update_item(
        TableName="runtime",
        Key={"pk": {"S": "ANSWER#token-1"}, "sk": {"S": "HEAD"}},
        UpdateExpression="SET question.mood = :v, colour = :v",
        ExpressionAttributeValues={":v": {"S": "blue"}},
    )
    assert log.answers.head("token-1") == a_record()
