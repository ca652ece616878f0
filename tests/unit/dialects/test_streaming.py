"""Streams over ASGI, read as a client reads them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator

import pytest
from httpx_sse import EventSource
from starlette.testclient import TestClient

from knowledge_base.dialects import polling
from knowledge_base.dialects.platform.routes import CONTRACT as PLATFORM
from knowledge_base.dialects.streaming import streaming_application
from knowledge_base.dialects.uran.routes import CONTRACT as URAN
from knowledge_base.domain.access import Principal
from knowledge_base.domain.answers import AnswerFailed, AnswerFinished, AnswerStarted, Stage, TextDelta
from tests.world import World

QUESTION = {
    "messages": [{"role": "user", "content": "How hot?"}],
    "maxTokens": 128,
    "temperature": 0.7,
    "model": "m",
}


@pytest.fixture
def client(world: World) -> Iterator[TestClient]:
    key = world.container.access.create_key(world.caller, Principal("acme", "ann")).key
    with TestClient(streaming_application((PLATFORM, URAN), lambda: world.container)) as client:
        client.headers["authorization"] = f"Bearer {key}"
        yield client


def answer(world: World, *, after: float = 0.0, pieces: tuple[str, ...] = ("forty ", "degrees")) -> None:
    """Answer the question that was asked last, as the functions would."""
    time.sleep(after)
    token = world.queues.sent[-1][1]["question_token"]
    log = world.stores.answers
    log.append(token, Stage.ANSWER, 0, [AnswerStarted(), *map(TextDelta, pieces)])
    log.close(token, AnswerFinished())


def contents(text: str) -> str:
    lines = [line[6:] for line in text.splitlines() if line.startswith("data: {")]
    return "".join(json.loads(line)["choices"][0]["delta"].get("content", "") for line in lines)


def asked_and_answered(world: World, client: TestClient) -> object:
    def later() -> None:
        while not world.queues.sent:
            time.sleep(0.01)
        answer(world)

    thread = threading.Thread(target=later)
    thread.start()
    reply = client.post("/uran/lm/question", json=QUESTION)
    thread.join()
    return reply


def test_a_question_is_streamed_to_its_end(world: World, client: TestClient) -> None:
    reply = asked_and_answered(world, client)
    assert reply.status_code == 200
    assert reply.headers["content-type"].startswith("text/event-stream")
    assert contents(reply.text) == "forty degrees"
    assert reply.text.endswith("data: [DONE]\n\n")


def test_a_client_that_comes_back_gets_the_rest(world: World, client: TestClient) -> None:
    token = asked_and_answered(world, client).headers["x-answer-token"]
    rest = client.post("/uran/lm/question", headers={"Last-Event-ID": "3.1", "X-Answer-Token": token})
    assert contents(rest.text) == "degrees"
    same = client.get(f"/answers/{token}/events", headers={"Last-Event-ID": "3.1"})
    assert "event: delta" in same.text
    assert "forty" not in same.text
    assert same.text.count("event: finished") == 1


@pytest.mark.parametrize("last", ["9.0", "9.9", "3." + "9" * 5000, "nonsense", "3.-1", ""])
def test_whatever_a_client_says_it_read_last_it_gets_one_end(world: World, client: TestClient, last: str) -> None:
    token = asked_and_answered(world, client).headers["x-answer-token"]
    rest = client.post("/uran/lm/question", headers={"Last-Event-ID": last, "X-Answer-Token": token})
    assert rest.status_code == 200
    assert rest.text.count("[DONE]") == 1


def test_a_stranger_cannot_follow_an_answer(world: World, client: TestClient) -> None:
    token = asked_and_answered(world, client).headers["x-answer-token"]
    other = world.container.access.create_key(world.caller, Principal("acme", "bob")).key
    reply = client.get(f"/answers/{token}/events", headers={"authorization": f"Bearer {other}"})
    assert reply.status_code == 404
    assert reply.json()["error"]["code"] == "answer_not_found"


def test_a_refused_question_is_plain_json_in_the_contracts_form(client: TestClient) -> None:
    reply = client.post("/uran/lm/question", json={**QUESTION, "maxTokens": 0})
    assert reply.status_code == 400
    assert reply.json()["status"] == 400


def test_without_a_key_nothing_streams(client: TestClient) -> None:
    reply = client.post("/uran/lm/question", json=QUESTION, headers={"authorization": ""})
    assert reply.status_code == 401


def test_an_answer_that_nobody_writes_ends_at_its_deadline(world: World, client: TestClient) -> None:
    record = world.container.questions.ask(Principal("acme", "ann"), "uran", _question())
    world.clock.pass_seconds(400)
    reply = client.get(f"/answers/{record.token}/events")
    assert '"code": "timeout"' in reply.text


def test_a_failure_in_the_middle_ends_the_stream_once(world: World, client: TestClient) -> None:
    record = world.container.questions.ask(Principal("acme", "ann"), "uran", _question())
    world.stores.answers.append(record.token, Stage.ANSWER, 0, [AnswerStarted(), TextDelta("for")])
    world.stores.answers.close(record.token, AnswerFailed("unavailable", "the model broke off"))
    world.stores.answers.close(record.token, AnswerFinished())
    reply = client.get(f"/answers/{record.token}/events")
    assert reply.text.count("event: failed") == 1
    assert "event: finished" not in reply.text


def test_silence_is_filled_with_heartbeats(world: World, client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polling, "HEARTBEAT_SECONDS", 0.1)
    record = world.container.questions.ask(Principal("acme", "ann"), "uran", _question())
    thread = threading.Thread(target=answer, args=(world,), kwargs={"after": 0.8})
    thread.start()
    reply = client.get(f"/answers/{record.token}/events")
    thread.join()
    assert ": heartbeat\n" in reply.text
    assert all(event.data for event in EventSource(reply).iter_sse())
    assert "event: finished" in reply.text


def test_a_log_that_breaks_ends_the_stream_with_an_error(
    world: World, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = world.container.questions.ask(Principal("acme", "ann"), "uran", _question())
    reads: Iterator[list[object]] = iter([[]])

    def break_on_the_second(*_: object, **__: object) -> list[object]:
        for events in reads:
            return events
        raise RuntimeError("the table is on fire")

    monkeypatch.setattr(world.stores.answers, "read", break_on_the_second)
    reply = client.get(f"/answers/{record.token}/events")
    assert "event: failed" in reply.text
    assert "fire" not in reply.text


def _question() -> object:
    from knowledge_base.domain.answers import Message, Question

    return Question((Message("user", "How hot?"),))
