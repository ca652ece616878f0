"""Questions whose answers are posted, and answers that come from another service."""

from __future__ import annotations

import json
from collections import deque
from typing import Any

import pytest

from knowledge_base.adapters.web.guarded import GuardedWeb
from knowledge_base.dialects.contract import Reply, Request, handle
from knowledge_base.dialects.uran.routes import CONTRACT
from knowledge_base.domain.access import Principal
from knowledge_base.domain.answers import (
    AnswerFinished,
    AnswerRecord,
    AnswerStarted,
    AnswerStatus,
    Message,
    Question,
    Stage,
    Step,
    StepReached,
    TextDelta,
)
from knowledge_base.domain.errors import DownloadFailed
from knowledge_base.domain.knowledge_bases import Dialect
from knowledge_base.ports.queues import Queue
from knowledge_base.ports.web import PostReply
from tests.builders import FACT
from tests.fakes import FakeChat
from tests.world import World

URL = "https://caller.example/uran/llm/response"
TEXT = {"text": "When does the pump start?", "respUrl": URL}
TABLE = {
    "messages": [{"role": "user", "content": "When does the pump start?"}],
    "maxTokens": 128,
    "temperature": 0.7,
    "model": "koala-mm",
    "repository": "handbook",
    "threshold": 0.0,
    "questionToken": "w3rdsjighh1388903",
    "notifyUrl": URL,
}


class Caller:
    """Calls routes as one user."""

    def __init__(self, world: World, tenant: str = "acme", user: str = "ann") -> None:
        self.world = world
        operator = Principal("acme", "root", frozenset({"operator"}))
        self.key = world.container.access.create_key(operator, Principal(tenant, user)).key

    def __call__(self, path: str, body: Any) -> Reply:
        route = next(route for route in CONTRACT.routes if (route.method, route.path) == ("POST", path))
        request = Request(headers={"x-api-key": self.key}, body=json.dumps(body).encode())
        return handle(CONTRACT, route, request, self.world.container)


@pytest.fixture
def call(world: World) -> Caller:
    return Caller(world)


@pytest.fixture
def filled(world: World) -> World:
    world.import_text("pump.txt", FACT)
    world.run()
    return world


def posted(world: World) -> list[tuple[str, Any]]:
    return [(url, json.loads(body)) for url, body, _ in world.web.posted]


def waiting(world: World, user: str = "ann") -> AnswerRecord:
    question = Question((Message("user", "How hot?"),))
    return world.container.questions.ask(Principal("acme", user), Dialect.URAN, question)


def text_of(world: World, token: str) -> str:
    return world.container.answers.get(Principal("acme", "ann"), token).text


def test_a_question_of_the_table_is_answered_at_once_with_its_token(filled: World, call: Caller) -> None:
    reply = call("/uran/llm/question", TABLE)
    expected = {"status": 200, "message": "success", "data": {"questionToken": "w3rdsjighh1388903"}}
    assert reply.body == expected
    filled.run()
    ((url, body),) = posted(filled)
    assert (url, body["questionToken"]) == (URL, "w3rdsjighh1388903")
    assert FACT in body["answer"]
    assert set(body) == {"questionToken", "answer"}


def test_a_question_of_the_example_gets_a_token_and_is_posted_under_it(world: World, call: Caller) -> None:
    world.stores.chat = FakeChat(["At ", "forty."])
    token = call("/uran/llm/question", TEXT).body["data"]["questionToken"]
    world.run()
    assert posted(world) == [(URL, {"questionToken": token, "answer": "At forty."})]
    assert text_of(world, token) == "At forty."


def test_both_addresses_given_the_answer_goes_to_the_first_named(world: World, call: Caller) -> None:
    world.stores.chat = FakeChat(["Yes."])
    call("/uran/llm/question", {**TEXT, "notifyUrl": "https://other.example/x"})
    world.run()
    assert [url for url, _ in posted(world)] == [URL]


def test_an_answer_that_fails_is_posted_with_the_reason(world: World, call: Caller) -> None:
    call("/uran/llm/question", TEXT)
    world.run()
    ((_, body),) = posted(world)
    assert (body["answer"], body["status"]) == ("", 503)
    assert "KB_LLM_ENDPOINTS" in body["message"]


def test_an_answer_that_nobody_writes_is_posted_as_failed_by_the_sweep(world: World, call: Caller) -> None:
    call("/uran/llm/question", TEXT)
    world.clock.pass_seconds(400)
    world.container.sweeping.sweep()
    world.run(Queue.NOTIFY)
    assert [body["status"] for _, body in posted(world)] == [504]


class Killed(BaseException):
    """What a process that is killed does: nothing more."""


@pytest.mark.parametrize("way", ["answered", "cancelled", "taken"])
def test_who_is_killed_between_the_end_and_the_telling_is_followed_by_the_sweep(
    world: World, call: Caller, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    world.stores.chat = FakeChat(["Yes."])
    reply = call("/uran/llm/question", TEXT)
    token, ann = reply.headers["X-Answer-Token"], Principal("acme", "ann")
    ends = {
        "answered": world.run,
        "cancelled": lambda: world.container.answers.cancel(ann, token),
        "taken": lambda: world.container.answers.take(ann, token, "Yes."),
    }

    def die(_: Any) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(world.container._answer_endings, "_tell", die)
        with pytest.raises(Killed):
            ends[way]()
    world.queues.messages.clear()
    assert posted(world) == []
    world.clock.pass_seconds(60)
    world.container.sweeping.sweep()
    world.run()
    assert [body["answer"] for _, body in posted(world)] == ["" if way == "cancelled" else "Yes."]
    world.clock.pass_seconds(60)
    world.container.sweeping.sweep()
    world.run()
    assert len(posted(world)) == 1


def test_a_receiver_that_refuses_is_tried_again_under_the_same_id(world: World, call: Caller) -> None:
    world.stores.chat = FakeChat(["Yes."])
    call("/uran/llm/question", TEXT)
    world.web.replies = deque([PostReply(500, b""), DownloadFailed("connection refused")])
    for _ in range(3):
        world.run()
        world.clock.pass_seconds(10)
        world.queues.messages[Queue.NOTIFY].append(world.queues.bodies(Queue.NOTIFY)[-1])
    world.run()
    assert len(world.web.posted) == 3
    assert len({headers["webhook-id"] for _, _, headers in world.web.posted}) == 1


@pytest.mark.parametrize("piece", ["n", '"', "n\n", "n\x01", "好"])
def test_an_answer_of_any_length_that_is_taken_is_posted_whole(world: World, call: Caller, piece: str) -> None:
    call("/uran/llm/question", {**TEXT, "questionToken": "t1"})
    answer = piece * (299_000 // len(piece.encode()))
    assert call("/uran/lm/response", {"questionToken": "t1", "answer": answer}).status == 200
    world.run()
    assert [json.loads(body)["answer"] == answer for _, body, _ in world.web.posted] == [True]
    page = world.container.delivery_log.page(
        Principal("acme", "root", frozenset({"admin"})), since=None, until=None, limit=5, cursor=None
    )
    assert [len(delivery.tries) for delivery in page.deliveries] == [1]


def test_a_receiver_that_never_takes_the_answer_leaves_a_dead_letter(world: World, call: Caller) -> None:
    world.stores.chat = FakeChat(["Yes."])
    call("/uran/llm/question", TEXT)
    world.web.replies = deque([PostReply(500, b"")] * 5)
    for _ in range(5):
        world.run()
        world.clock.pass_seconds(60)
        world.queues.messages[Queue.NOTIFY].append(world.queues.bodies(Queue.NOTIFY)[-1])
    (letter,) = world.container.dead_letters.page(world.caller, limit=10, cursor=None).dead_letters
    assert (letter.subject, letter.attempts) == (URL, 5)


def test_who_ended_an_answer_and_died_is_made_up_for_by_the_message_that_comes_again(
    world: World, call: Caller
) -> None:
    world.stores.chat = FakeChat(["Yes."])
    token = call("/uran/llm/question", TEXT).body["data"]["questionToken"]
    world.run(Queue.QUESTION)
    message = world.queues.messages[Queue.ANSWER][0]
    world.stores.answers.append(token, Stage.ANSWER, 0, [StepReached(Step.COMPOSING), TextDelta("Yes.")])
    world.stores.answers.close(token, AnswerFinished())
    world.run()
    world.handle(Queue.ANSWER, message)
    world.run()
    assert [body["answer"] for _, body in posted(world)] == ["Yes."]


def test_the_same_question_under_the_same_token_is_asked_once(filled: World, call: Caller) -> None:
    first, second = call("/uran/llm/question", TABLE), call("/uran/llm/question", TABLE)
    assert first.body == second.body
    assert first.headers["X-Answer-Token"] == second.headers["X-Answer-Token"]
    filled.run()
    assert len(posted(filled)) == 1


def test_another_question_under_the_same_token_is_refused(filled: World, call: Caller) -> None:
    call("/uran/llm/question", TABLE)
    reply = call("/uran/llm/question", {**TABLE, "maxTokens": 64})
    assert (reply.status, reply.body["status"]) == (409, 409)


def test_two_users_may_call_their_questions_the_same(filled: World, call: Caller) -> None:
    mine = call("/uran/llm/question", TABLE)
    other = Caller(filled, user="bob")("/uran/llm/question", TABLE)
    assert other.status == 200
    assert mine.headers["X-Answer-Token"] != other.headers["X-Answer-Token"]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"text": "q"}, "respUrl"),
        ({"respUrl": URL}, "messages or text"),
        ({**TEXT, "text": " "}, "text"),
        ({**TEXT, "respUrl": "ws://caller.example/uran/lm/notify"}, "ws is not served"),
        ({**TABLE, "notifyUrl": "wss://caller.example/uran/lm/notify"}, "notifyUrl"),
        ({**TEXT, "notifyUrl": "ws://caller.example"}, "notifyUrl"),
        ({key: value for key, value in TABLE.items() if key != "maxTokens"}, "maxTokens"),
        ({key: value for key, value in TABLE.items() if key != "threshold"}, "threshold"),
        ({**TABLE, "threshold": 2}, "threshold"),
        ({**TABLE, "questionToken": "x" * 257}, "questionToken"),
        ({**TABLE, "messages": [{"role": "assistant", "content": "Hello"}]}, "user"),
        ({**TABLE, "messages": []}, "messages"),
        ({**TEXT, "text": "a" * 100_001}, "text"),
        ({**TABLE, "messages": [{"role": "user", "content": "泵" * 60_000}] * 2}, "300000"),
    ],
)
def test_a_wrong_question_is_refused_with_its_place(call: Caller, wrong: Any, says: str) -> None:
    reply = call("/uran/llm/question", wrong)
    assert (reply.status, reply.body["status"]) == (400, 400)
    assert says in reply.body["message"]


def test_an_address_inside_is_refused(call: Caller) -> None:
    call.world.stores.web = GuardedWeb(frozenset())
    reply = call("/uran/llm/question", {**TEXT, "respUrl": "http://127.0.0.1:80/x"})
    assert (reply.status, reply.body["status"]) == (400, 400)


def test_a_question_to_an_unknown_repository_is_refused(call: Caller) -> None:
    assert call("/uran/llm/question", TABLE).status == 404


@pytest.mark.parametrize("path", ["/uran/lm/response", "/uran/llm/response", "/ruran/lm/response"])
def test_an_answer_from_elsewhere_ends_the_waiting_one(world: World, call: Caller, path: str) -> None:
    record = waiting(world)
    reply = call(path, {"questionToken": record.token, "answer": "火灾 \n 40°"})
    assert (reply.status, reply.body) == (200, {"status": 200, "message": "success"})
    told = world.container.answers.get(Principal("acme", "ann"), record.token)
    assert (told.text, told.record.status) == ("火灾 \n 40°", AnswerStatus.FINISHED)


def test_after_it_our_own_answer_says_nothing_more(world: World, call: Caller) -> None:
    world.stores.chat = FakeChat(["Ours."])
    record = waiting(world)
    call("/uran/lm/response", {"questionToken": record.token, "answer": "Theirs."})
    world.run()
    assert text_of(world, record.token) == "Theirs."


def test_it_is_taken_while_ours_is_being_composed_but_not_begun(world: World, call: Caller) -> None:
    record = waiting(world)
    world.stores.answers.append(record.token, Stage.ANSWER, 0, [StepReached(Step.COMPOSING)])
    assert call("/uran/lm/response", {"questionToken": record.token, "answer": "Theirs."}).status == 200
    assert text_of(world, record.token) == "Theirs."


def test_once_ours_has_begun_it_is_refused_and_ours_goes_on(world: World, call: Caller) -> None:
    record = waiting(world)
    world.stores.answers.append(
        record.token, Stage.ANSWER, 0, [StepReached(Step.COMPOSING), AnswerStarted(), TextDelta("Ou")]
    )
    reply = call("/uran/lm/response", {"questionToken": record.token, "answer": "Theirs."})
    assert (reply.status, reply.body["status"]) == (409, 409)
    assert text_of(world, record.token) == "Ou"


def test_the_same_answer_again_is_taken_and_another_is_not(world: World, call: Caller) -> None:
    record = waiting(world)
    body = {"questionToken": record.token, "answer": "Theirs."}
    assert [call("/uran/lm/response", body).status for _ in range(2)] == [200, 200]
    assert call("/uran/lm/response", {**body, "answer": "Other."}).status == 409
    assert text_of(world, record.token) == "Theirs."


@pytest.mark.parametrize(("tenant", "user"), [("acme", "bob"), ("other", "ann")])
def test_a_stranger_answers_nothing(world: World, tenant: str, user: str) -> None:
    record = waiting(world)
    reply = Caller(world, tenant, user)("/uran/lm/response", {"questionToken": record.token, "answer": "Evil."})
    assert (reply.status, reply.body["status"]) == (404, 404)
    assert world.stores.answers.head(record.token).status is AnswerStatus.RUNNING


def test_an_unknown_token_is_not_found(call: Caller) -> None:
    reply = call("/uran/lm/response", {"questionToken": "nothing", "answer": "x"})
    assert (reply.status, reply.body) == (404, {"status": 404, "message": "answer not found: nothing"})


def test_a_question_with_a_token_of_the_callers_is_answered_by_that_token(filled: World, call: Caller) -> None:
    call("/uran/llm/question", TABLE)
    reply = call("/ruran/lm/response", {"questionToken": TABLE["questionToken"], "answer": "Theirs."})
    assert reply.status == 200
    filled.run()
    assert posted(filled) == [(URL, {"questionToken": TABLE["questionToken"], "answer": "Theirs."})]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"answer": "x"}, "questionToken"),
        ({"questionToken": "t"}, "answer"),
        ({"questionToken": "t", "answer": " "}, "answer"),
        ({"questionToken": 5, "answer": "x"}, "questionToken"),
        ({"questionToken": "t", "answer": "a" * 300_001}, "300000"),
    ],
)
def test_a_wrong_answer_is_refused_with_its_place(call: Caller, body: Any, says: str) -> None:
    reply = call("/uran/lm/response", body)
    assert (reply.status, reply.body["status"]) == (400, 400)
    assert says in reply.body["message"]
