"""Answers over the engineering contract: plain and streamed, over what the caller may read."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from httpx import Response
from starlette.testclient import TestClient

from knowledge_base.dialects.engineering.routes import CONTRACT
from knowledge_base.dialects.streaming import streaming_application
from knowledge_base.domain.access import Principal
from knowledge_base.domain.answers import AnswerFailed
from knowledge_base.domain.errors import AnswerNotFound
from tests.unit.dialects.engineering import Caller
from tests.world import World

PUMP = "The pump starts at 40 degrees. It is green."
VALVE = "The valve opens at 60 degrees."
ASKED = "When does the pump start?"


@pytest.fixture
def ann(world: World) -> Caller:
    return Caller(world)


@contextmanager
def functions_at_work(world: World) -> Iterator[None]:
    """Let the functions take messages while a client waits."""
    ended = threading.Event()

    def work() -> None:
        while not ended.is_set():
            world.run()
            time.sleep(0.01)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def post(caller: Caller, body: dict[str, Any], **headers: str) -> Response:
    """Ask, while the functions work."""
    world = caller.world
    with TestClient(streaming_application([CONTRACT], lambda: world.container)) as client, functions_at_work(world):
        sent = {"authorization": f"Bearer {caller.key}", **headers}
        return client.post("/answer", json=body, headers=sent)


def events(reply: Response) -> list[tuple[str, dict[str, Any]]]:
    assert reply.headers["content-type"].startswith("text/event-stream")
    frames = [frame.splitlines() for frame in reply.text.strip().split("\n\n")]
    fields = [dict(line.partition(": ")[::2] for line in frame) for frame in frames]
    return [(frame["event"], json.loads(frame["data"])) for frame in fields]


def test_an_answer_quotes_the_document_and_says_where(ann: Caller) -> None:
    document_id = ann.store(PUMP, {"title": "Pumps"})
    reply = post(ann, {"question": ASKED})
    assert reply.status_code == 200, reply.text
    body = reply.json()
    assert "40 degrees" in body["answer"]
    (source,) = body["references"]
    assert (source["document_id"], source["version"], source["chunk_index"]) == (document_id, 1, 0)
    assert (source["title"], source["index"], source["page"]) == ("Pumps", 1, None)
    assert PUMP[source["start"] : source["end"]] == source["quote"]
    assert body["token"] == reply.headers["x-answer-token"]
    assert body["degraded"] == []


@pytest.mark.parametrize("asking", [{"stream": True}, {}])
def test_a_stream_tells_the_same_answer_as_events(ann: Caller, asking: dict[str, bool]) -> None:
    ann.store(PUMP)
    plain = post(ann, {"question": ASKED}).json()
    reply = post(ann, {"question": ASKED, **asking}, **({} if asking else {"accept": "text/event-stream"}))
    told = events(reply)
    assert "".join(data["text"] for kind, data in told if kind == "delta") == plain["answer"]
    assert [data["reference"] for kind, data in told if kind == "source"] == plain["references"]
    assert [kind for kind, _ in told if kind in ("started", "finished")] == ["started", "finished"]
    assert told[-1][0] == "finished"


def test_an_answer_holds_only_what_the_caller_may_read(world: World, ann: Caller) -> None:
    ann.store(PUMP)
    bob = Caller(world, "bob")
    assert "40" not in post(bob, {"question": ASKED}).json()["answer"]
    ann.store("The pump starts at 45 degrees.", {"public": True})
    told = post(bob, {"question": ASKED}).json()
    assert "45 degrees" in told["answer"]
    assert [source["quote"] for source in told["references"]] == ["The pump starts at 45 degrees."]


def test_an_answer_is_gone_for_who_may_no_longer_read_what_it_quotes(world: World, ann: Caller) -> None:
    document_id = ann.store(PUMP, {"acl": {"role:editors": ["read"]}})
    token = post(Caller(world, "bob", "editors"), {"question": ASKED}).json()["token"]
    answers, editor = world.container.answers, Principal("acme", "bob", frozenset({"editors"}))
    assert "40 degrees" in answers.get(editor, token).text

    def assert_gone(reader: Principal) -> None:
        for way in (answers.get, answers.head, answers.cancel):
            with pytest.raises(AnswerNotFound):
                way(reader, token)

    assert_gone(Principal("acme", "bob"))
    ann.change(document_id, {"acl": None})
    assert_gone(editor)
    ann.change(document_id, {"public": True})
    assert answers.head(editor, token).token == token


def test_an_answer_is_made_of_the_documents_that_a_filter_means(ann: Caller) -> None:
    ann.store("The pump starts at 40 degrees.", {"tags": ["old"]})
    ann.store("The pump starts at 50 degrees.", {"tags": ["new"]})
    answer = post(ann, {"question": ASKED, "filters": {"tags": ["new"]}}).json()["answer"]
    assert "50 degrees" in answer and "40" not in answer
    nothing = post(ann, {"question": ASKED, "filters": {"tags": ["new", "old"]}}).json()
    assert nothing["references"] == [] and "degrees" not in nothing["answer"]


def test_an_answer_joins_several_documents(ann: Caller) -> None:
    documents = {ann.store(PUMP), ann.store(VALVE)}
    told = post(ann, {"question": "At how many degrees does the pump start and the valve open?"}).json()
    assert {source["document_id"] for source in told["references"]} == documents


def test_a_tenant_without_documents_is_told_that_nothing_was_found(world: World) -> None:
    told = post(Caller(world, "eve", tenant="globex"), {"question": ASKED}).json()
    assert told["references"] == [] and told["answer"]


def test_a_follow_up_is_understood_from_what_was_said_before(ann: Caller) -> None:
    ann.store("The pump is painted green.")
    ann.store("The valve is painted red.")
    history = [{"role": "user", "content": "When does the pump start?"}, {"role": "assistant", "content": "At noon."}]
    told = post(ann, {"question": "How is it painted?", "history": history}).json()
    assert "green" in told["answer"].split(".")[0]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "question"),
        ({"question": "  "}, "question"),
        ({"question": ASKED, "limit": 0}, "limit"),
        ({"question": ASKED, "filters": {"tagz": ["x"]}}, "filters.tagz"),
        ({"question": ASKED, "stream": "maybe"}, "stream"),
        ({"question": ASKED, "colour": "red"}, "colour"),
    ],
)
def test_a_wrong_question_is_a_problem_that_names_the_field(ann: Caller, body: dict[str, Any], field: str) -> None:
    for accept in ("application/json", "text/event-stream"):
        reply = post(ann, body, accept=accept)
        assert (reply.status_code, reply.headers["content-type"]) == (400, "application/problem+json")
        assert reply.json()["detail"].startswith(field)


def test_a_failed_answer_is_a_problem_with_its_status(world: World, ann: Caller) -> None:
    def fail() -> None:
        while not world.queues.sent:
            time.sleep(0.01)
        world.stores.answers.close(world.queues.sent[-1][1]["question_token"], AnswerFailed("unavailable", "no model"))

    with TestClient(streaming_application([CONTRACT], lambda: world.container)) as client:
        failing = threading.Thread(target=fail)
        failing.start()
        reply = client.post("/answer", json={"question": ASKED}, headers={"authorization": f"Bearer {ann.key}"})
        failing.join()
    assert (reply.status_code, reply.json()["code"], reply.headers["retry-after"]) == (503, "unavailable", "5")
