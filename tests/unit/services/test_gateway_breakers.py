"""What fails behind a gateway shuts it, what callers do wrong does not, and one probe opens it again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from knowledge_base.bootstrap import Container
from knowledge_base.domain.access import Principal
from knowledge_base.domain.answers import AnswerFailed, AnswerRecord, Message, Question
from knowledge_base.domain.breakers import BreakerRule
from knowledge_base.domain.errors import ChatRefused, ChatUnavailable, IndexUnavailable, Overloaded
from knowledge_base.domain.knowledge_bases import Dialect
from knowledge_base.ports.queues import Queue
from knowledge_base.services.gateways import Gateway, GatewayState
from tests.fakes import FakeChat
from tests.world import World

FAILURES, REST = 3, 30
OPERATOR = Principal("acme", "root", frozenset({"operator"}))


@pytest.fixture
def world(world: World) -> World:
    settings = replace(world.settings, breaker=BreakerRule(FAILURES, timedelta(seconds=REST)))
    world.container = Container(settings, world.stores)
    return world


def chat(world: World, **changes: Any) -> AnswerRecord:
    question = Question((Message("user", "Hello?"),), **changes)
    return world.container.questions.ask(world.caller, Dialect.URAN, question)


def fail_answers(world: World, count: int = FAILURES) -> None:
    world.stores.chat = FakeChat([ChatUnavailable("no chat endpoint answers")])
    for _ in range(count):
        chat(world)
        world.run()
    world.clock.pass_seconds(2)


def state(world: World, gateway: Gateway = Gateway.ASSISTANT) -> GatewayState:
    return next(found for found in world.container.gateways.states(OPERATOR) if found.gateway is gateway)


def refusal(ask: Callable[[], object]) -> Overloaded:
    with pytest.raises(Overloaded) as refused:
        ask()
    return refused.value


def test_failures_in_a_row_open_a_gateway_and_operators_see_since_when_and_why(world: World) -> None:
    fail_answers(world, FAILURES - 1)
    chat(world)
    opened = world.clock.now()
    world.run()
    world.clock.pass_seconds(5)
    refused = refusal(lambda: chat(world))
    assert refused.retry_after == REST - 5
    found = state(world)
    assert (found.state, found.since, found.breaker.failures) == ("open", opened, FAILURES)
    assert "unavailable" in found.reason
    assert "unavailable" in str(refused)


def test_success_in_between_keeps_a_gateway_closed(world: World) -> None:
    for _ in range(2):
        fail_answers(world, FAILURES - 1)
        world.stores.chat.pieces = ("Hello.",)
        chat(world)
        world.run()
    assert state(world).state == "closed"
    assert state(world).breaker.failures == 0


def test_a_gateway_that_is_shut_leaves_the_others_open(world: World) -> None:
    fail_answers(world)
    assert state(world, Gateway.QUESTIONS).state == "closed"
    chat(world, kb_ids=(world.knowledge_base().kb_id,))


def test_questions_that_the_model_does_not_take_shut_nobody_out(world: World) -> None:
    world.stores.chat = FakeChat([ChatRefused("the chat endpoint refused the request (status 400)")])
    for _ in range(2 * FAILURES):
        record = chat(world)
        world.run()
        error = world.container.answers.get(world.caller, record.token).error
        assert error and error.code == "refused"
        world.clock.pass_seconds(2)
    assert state(world).state == "closed"


@pytest.mark.parametrize("code", ["knowledge_base_not_found", "cancelled", "not_configured", "embedding_failed"])
def test_what_callers_or_settings_do_wrong_opens_nothing(world: World, code: str) -> None:
    for _ in range(2 * FAILURES):
        record = chat(world)
        world.container.answers._endings.end(record, AnswerFailed(code, "said to the caller"))
    assert state(world).state == "closed"


def test_documents_that_cannot_be_read_open_nothing(world: World) -> None:
    for number in range(2 * FAILURES):
        world.import_text(f"{number}.txt", "")
    world.run()
    world.web.pages.clear()
    assert state(world, Gateway.DOCUMENTS).state == "closed"


def test_one_probe_is_let_in_after_the_rest_and_its_success_opens_for_all(world: World) -> None:
    fail_answers(world)
    world.clock.pass_seconds(REST)
    assert state(world).state == "half_open"
    world.stores.chat.pieces = ("Hello.",)
    chat(world)
    assert refusal(lambda: chat(world)).retry_after
    world.run()
    world.clock.pass_seconds(2)
    assert state(world).state == "closed"
    chat(world)
    chat(world)


def test_a_question_that_was_asked_before_is_no_probe(world: World) -> None:
    asked = chat(world, caller_token="mine")
    fail_answers(world)
    world.clock.pass_seconds(REST)
    assert chat(world, caller_token="mine").token == asked.token
    chat(world)


def test_a_probe_that_fails_shuts_for_another_rest(world: World) -> None:
    fail_answers(world)
    since = state(world).since
    world.clock.pass_seconds(REST)
    chat(world)
    world.run()
    world.clock.pass_seconds(2)
    assert refusal(lambda: chat(world)).retry_after == REST - 2
    assert state(world).since == since


def test_processes_share_the_state_and_the_one_probe(world: World) -> None:
    others = [Container(world.container._settings, world.stores) for _ in range(3)]
    fail_answers(world)
    for other in others:
        refusal(lambda other=other: other.gateways.admit(Gateway.ASSISTANT))
    world.clock.pass_seconds(REST)
    admitted = 0
    for other in others:
        try:
            other.gateways.admit(Gateway.ASSISTANT)
            admitted += 1
        except Overloaded:
            pass
    assert admitted == 1


def test_a_probe_that_never_tells_gives_way_to_the_next(world: World) -> None:
    fail_answers(world)
    world.clock.pass_seconds(REST)
    chat(world)
    world.queues.messages[Queue.QUESTION].clear()
    world.clock.pass_seconds(31)
    chat(world)


def test_what_was_let_in_before_closes_nothing_during_the_rest(world: World) -> None:
    chat(world)
    waiting = world.queues.messages[Queue.QUESTION].pop()
    fail_answers(world)
    world.stores.chat.pieces = ("Hello.",)
    world.queues.messages[Queue.QUESTION].append(waiting)
    world.run()
    assert state(world).state == "open"


def test_an_embedder_that_stays_silent_shuts_the_documents_gateway_and_one_that_is_busy_does_not(world: World) -> None:
    for number in range(FAILURES):
        world.import_text(f"{number}.txt", f"Text number {number}.")
    world.run(Queue.FETCH, Queue.PARSE, Queue.CHUNK)
    world.stores.embedders.embedder.down = True
    waiting = list(world.queues.messages[Queue.EMBED])
    for _ in waiting:
        world.deliver(Queue.EMBED)
    assert state(world, Gateway.DOCUMENTS).state == "closed"
    world.clock.pass_seconds(61)
    for message in waiting:
        world.handle(Queue.EMBED, message)
    assert state(world, Gateway.DOCUMENTS).reason == "the embedder does not answer"
    refusal(lambda: world.container.gateways.admit(Gateway.DOCUMENTS))
    world.stores.embedders.embedder.down = False
    world.clock.pass_seconds(REST)
    world.run()
    assert state(world, Gateway.DOCUMENTS).state == "closed"


def test_an_index_that_does_not_answer_shuts_the_documents_gateway(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = world.import_text("a.txt", "Some text.")
    world.run(Queue.FETCH, Queue.PARSE, Queue.CHUNK, Queue.EMBED)
    index = world.stores.indexes.of(world.knowledge_base().config.embedding)

    def refuse(*_: object) -> None:
        raise IndexUnavailable("the vector index does not answer")

    monkeypatch.setattr(type(index), "write", refuse)
    for _ in range(FAILURES):
        with pytest.raises(IndexUnavailable):
            world.container.publishing.publish(version.kb_id)
    assert state(world, Gateway.DOCUMENTS).reason == "the index does not answer"


def test_work_is_done_also_when_its_outcome_cannot_be_noted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object, **__: object) -> None:
        raise Overloaded("too many writes at once")

    world.stores.chat = FakeChat([ChatUnavailable("down")])
    chat(world)
    monkeypatch.setattr(world.stores.breakers, "put", lost)
    world.run()
    assert state(world).breaker.failures == 0
