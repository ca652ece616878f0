"""The emulator as a process: what functions stored outlives it, however it ends."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.unit.local.emulated import Stack, running, wait_until


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack for tests that leave it running."""
    with running(tmp_path_factory.mktemp("shared")) as stack:
        yield stack


@pytest.fixture
def own_stack(tmp_path: Path) -> Iterator[Stack]:
    """A stack that a test may kill."""
    with running(tmp_path) as stack:
        yield stack


def put(stack: Stack, pk: str, **more: Any) -> None:
    stack.client("dynamodb").put_item(TableName="kb-table", Item={"pk": {"S": pk}, "sk": {"S": "0"}, **more})


def send(stack: Stack, queue: str, body: str, **how: Any) -> None:
    stack.client("sqs").send_message(QueueUrl=stack.queue_url(queue), MessageBody=body, **how)


def keys(stack: Stack) -> set[str]:
    return {item["pk"]["S"] for item in stack.client("dynamodb").scan(TableName="kb-table")["Items"]}


def one_key(pk: str) -> dict[str, Any]:
    return {"TableName": "kb-table", "Key": {"pk": {"S": pk}, "sk": {"S": "0"}}}


def write_items(stack: Stack) -> None:
    for number in range(50):
        put(stack, f"item {number}", text={"S": "中文 \x00 \ud7ff"}, raw={"B": b"\x00\xff"}, some={"NS": ["1", "2.5"]})
    dynamodb = stack.client("dynamodb")
    dynamodb.delete_item(**one_key("item 7"))
    dynamodb.update_item(
        **one_key("item 8"), UpdateExpression="SET n = :n", ExpressionAttributeValues={":n": {"N": "5"}}
    )


def write_transactions(stack: Stack) -> None:
    """One that holds, and one whose second write is refused."""

    def new(pk: str, condition: str = "attribute_not_exists(pk)") -> dict[str, Any]:
        item = {"pk": {"S": pk}, "sk": {"S": "0"}}
        return {"Put": {"TableName": "kb-table", "Item": item, "ConditionExpression": condition}}

    dynamodb = stack.client("dynamodb")
    dynamodb.transact_write_items(TransactItems=[new("a"), new("b")])
    with pytest.raises(dynamodb.exceptions.TransactionCanceledException):
        dynamodb.transact_write_items(TransactItems=[new("c"), new("d", "attribute_exists(pk)")])


def write_objects(stack: Stack) -> None:
    s3 = stack.client("s3")
    about = {"Metadata": {"sha": "1"}, "ContentType": "text/plain"}
    s3.put_object(Bucket="documents", Key="t/中文 a%2F.txt", Body=b"hello", **about)
    s3.put_object(Bucket="documents", Key="gone", Body=b"x")
    s3.delete_object(Bucket="documents", Key="gone")


def send_messages(stack: Stack) -> None:
    for number in range(5):
        send(stack, "idle", f"message {number}")
        send(stack, "idle.fifo", f"in order {number}", MessageGroupId="g")
    send(stack, "late", "later", DelaySeconds=600)


def receive_messages(stack: Stack) -> None:
    """One is received and deleted, another one only received."""
    sqs, url = stack.client("sqs"), stack.queue_url("busy")
    send(stack, "busy", "done")
    [done] = sqs.receive_message(QueueUrl=url)["Messages"]
    sqs.delete_message(QueueUrl=url, ReceiptHandle=done["ReceiptHandle"])
    send(stack, "busy", "under way")
    assert stack.receive("busy") == ["under way"]
    assert stack.receive("busy") == []


@pytest.fixture(scope="module")
def killed_and_started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack that was killed right after its last write, and is up again."""
    with running(tmp_path_factory.mktemp("killed")) as stack:
        for write in (write_items, write_transactions, write_objects, send_messages, receive_messages):
            write(stack)
        stack.kill()
        stack.start()
        yield stack


def test_items_are_there_after_a_kill(killed_and_started: Stack) -> None:
    found = keys(killed_and_started) - {"a", "b"}
    item = killed_and_started.client("dynamodb").get_item(**one_key("item 8"))["Item"]

    assert found == {f"item {number}" for number in range(50) if number != 7}
    assert item["n"] == {"N": "5"}
    assert item["text"] == {"S": "中文 \x00 \ud7ff"}
    assert item["raw"] == {"B": b"\x00\xff"}


def test_transaction_is_there_as_a_whole_and_a_refused_one_not_at_all(killed_and_started: Stack) -> None:
    assert {"a", "b"} <= keys(killed_and_started)
    assert not {"c", "d"} & keys(killed_and_started)


def test_objects_are_there_after_a_kill(killed_and_started: Stack) -> None:
    s3 = killed_and_started.client("s3")
    found = s3.get_object(Bucket="documents", Key="t/中文 a%2F.txt")

    assert found["Body"].read() == b"hello"
    assert found["Metadata"] == {"sha": "1"}
    assert found["ContentType"] == "text/plain"
    assert s3.list_objects_v2(Bucket="documents")["KeyCount"] == 1


def test_messages_are_there_after_a_kill_in_their_order(killed_and_started: Stack) -> None:
    assert killed_and_started.receive("idle") == [f"message {number}" for number in range(5)]
    assert killed_and_started.receive("idle.fifo") == [f"in order {number}" for number in range(5)]


def test_message_that_was_being_worked_on_is_visible_again_and_a_deleted_one_is_gone(killed_and_started: Stack) -> None:
    [again] = killed_and_started.client("sqs").receive_message(
        QueueUrl=killed_and_started.queue_url("busy"),
        MaxNumberOfMessages=10,
        MessageSystemAttributeNames=["ApproximateReceiveCount"],
    )["Messages"]

    assert again["Body"] == "under way"
    assert again["Attributes"]["ApproximateReceiveCount"] == "1"


def test_delay_of_a_message_outlives_the_emulator(killed_and_started: Stack) -> None:
    assert killed_and_started.receive("late") == []


def test_function_killed_in_the_middle_ends_with_the_emulator_and_is_run_again(own_stack: Stack) -> None:
    own_stack.client("s3").put_object(Bucket="documents", Key="slow", Body=b"x")
    wait_until((own_stack.traces / "slow-1-begun").exists)

    own_stack.kill()
    time.sleep(1.0)
    (own_stack.traces / "slow-1-begun").unlink()
    own_stack.start(QUICK="1")

    wait_until((own_stack.traces / "slow-1-ended").exists)


def test_message_whose_worker_is_killed_comes_back_within_seconds(own_stack: Stack) -> None:
    own_stack.client("s3").put_object(Bucket="documents", Key="slow", Body=b"x")
    wait_until((own_stack.traces / "slow-1-begun").exists)

    [pid] = httpx.get(f"{own_stack.url}/_local/workers").json()["kb-work"]
    os.kill(pid, signal.SIGKILL)

    wait_until((own_stack.traces / "slow-2-ended").exists, seconds=15)


def test_clean_end_keeps_everything_too(own_stack: Stack) -> None:
    put(own_stack, "a")
    send(own_stack, "idle", "m")

    own_stack.child.ask_to_end()
    own_stack.child.wait(10)

    assert own_stack.start() == {"items": 1, "messages": 1}


def test_many_restarts_neither_lose_nor_double_anything(own_stack: Stack) -> None:
    for number in range(3):
        put(own_stack, f"{number}")
        send(own_stack, "idle", f"{number}")
        own_stack.kill()
        assert own_stack.start() == {"items": number + 1, "messages": number + 1}
        assert own_stack.receive("idle", VisibilityTimeout=0) == [f"{n}" for n in range(number + 1)]


def test_group_with_few_messages_in_work_goes_before_one_with_many(own_stack: Stack) -> None:
    sqs = own_stack.client("sqs")
    url = sqs.get_queue_url(QueueName="idle")["QueueUrl"]
    for number in range(6):
        sqs.send_message(QueueUrl=url, MessageBody=f"noisy {number}", MessageGroupId="noisy")
    first = own_stack.receive("idle", MaxNumberOfMessages=2)
    sqs.send_message(QueueUrl=url, MessageBody="quiet 0", MessageGroupId="quiet")
    sqs.send_message(QueueUrl=url, MessageBody="quiet 1", MessageGroupId="quiet")

    assert first == ["noisy 0", "noisy 1"]
    assert own_stack.receive("idle", MaxNumberOfMessages=1) == ["quiet 0"]
    assert own_stack.receive("idle", MaxNumberOfMessages=3) == ["quiet 1", "noisy 2", "noisy 3"]


def test_bucket_does_not_send_its_test_event_at_every_start(stack: Stack) -> None:
    time.sleep(0.3)

    assert "KeyError: 'Records'" not in stack.log.read_text()


def test_handled_messages_leave_nothing_in_the_file(stack: Stack) -> None:
    for number in range(10):
        stack.client("s3").put_object(Bucket="documents", Key=f"k{number}", Body=b"x")
    wait_until(lambda: len(list(stack.traces.glob("*-ended"))) == 10)

    with sqlite3.connect(stack.kept) as file:
        wait_until(lambda: file.execute("SELECT count(*) FROM messages").fetchone() == (0,))


def test_function_sees_the_package_and_none_of_the_persons_own_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KB_TENANT", "mine")
    monkeypatch.setenv("AWS_PROFILE", "production")
    stack = Stack(tmp_path / "stack")
    stack.launch()
    monkeypatch.delenv("AWS_PROFILE")
    stack.deploy()

    reply = httpx.get(f"{stack.api}/hello", timeout=30).json()

    stack.kill()
    assert reply == {"path": "/hello", "package": "knowledge_base", "tenant": None, "profile": None}


def test_output_and_failures_of_functions_are_in_the_log(stack: Stack) -> None:
    stack.client("s3").put_object(Bucket="documents", Key="k", Body=b"x")
    failed = httpx.get(f"{stack.api}/fail", timeout=30)

    assert failed.status_code == 502
    wait_until(lambda: "INFO worked key=k" in stack.log.read_text())
    assert "ValueError: on purpose" in stack.log.read_text()


@pytest.mark.parametrize("path", ["/_ministack/reset", "/_localstack/health", "/_ministack/config"])
def test_emulators_own_paths_are_closed(stack: Stack, path: str) -> None:
    put(stack, "a")

    assert httpx.post(f"{stack.url}{path}").status_code == 403
    assert "a" in keys(stack)


def test_workers_are_told_by_function(stack: Stack) -> None:
    httpx.post(f"{stack.url}/_local/warm", params={"function": ["kb-echo"]}, timeout=30)

    [pid] = httpx.get(f"{stack.url}/_local/workers").json()["kb-echo"]

    os.kill(pid, 0)
    assert json.loads(httpx.get(f"{stack.api}/x").text)["path"] == "/x"
    assert httpx.get(f"{stack.url}/_local/workers").json()["kb-echo"] == [pid]
