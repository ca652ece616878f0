"""Other systems on the queues: what they read is the Request, and what they send as the Response is answered from."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from infra.local.deploy import function_name
from infra.messages.__main__ import path_of
from tests.e2e.client import Behind, Client
from tests.e2e.outside import Outside

TEXTS = ["He’s first phone number is 1xxxx", "He’s second phone number is 1xxxxxx"]


@pytest.fixture
def search_stopped(behind: Behind) -> Iterator[None]:
    """While our own search does not read its queue, somebody else may."""
    functions = behind._client("lambda")
    [mapping] = functions.list_event_source_mappings(FunctionName=function_name("search"))["EventSourceMappings"]
    functions.update_event_source_mapping(UUID=mapping["UUID"], Enabled=False)
    yield
    functions.update_event_source_mapping(UUID=mapping["UUID"], Enabled=True)


def receive(behind: Behind, queue: str, seconds: float = 60) -> dict[str, Any]:
    url, until = behind.queue_url(queue), time.monotonic() + seconds
    while time.monotonic() < until:
        for message in behind.sqs.receive_message(QueueUrl=url, WaitTimeSeconds=1).get("Messages", []):
            behind.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
            body: dict[str, Any] = json.loads(message["Body"])
            return body
    raise AssertionError(f"no message came on {queue}")


def test_another_search_service_reads_the_request_and_sends_the_response(
    client: Client, behind: Behind, outside: Outside, search_stopped: None
) -> None:
    client.import_documents([outside.page("qiu.txt", b"Qiu.", "txt")], "phones", outside.notify_url)
    outside.wait_for({"qiu.txt"}, seconds=90)
    asked = {"text": "What’s the phone number of Qiu?", "respUrl": outside.notify_url, "repository": "phones"}
    token = client.http.post("/uran/llm/question", json=asked).json()["data"]["questionToken"]
    request = receive(behind, "search")
    Draft202012Validator(json.loads(path_of("request").read_text())).validate(request)
    assert request["question_token"] == token
    assert len(request["embedding"]) == 384
    head = {name: request[name] for name in ("question_token", "question", "resp_url")}
    behind.sqs.send_message(QueueUrl=behind.queue_url("answer"), MessageBody=json.dumps({**head, "texts": TEXTS}))
    until = time.monotonic() + 60
    while (stored := client.stored_answer(token))["status"] == "running":
        assert time.monotonic() < until
        time.sleep(0.2)
    assert "phone number is 1xxxx" in stored["answer"]
