"""Who comes when too much is waiting is told to come again."""

from __future__ import annotations

import json

import pytest

from knowledge_base.bootstrap import Container
from knowledge_base.dialects.contract import Contract, Reply, Request, handle
from knowledge_base.dialects.platform.routes import CONTRACT as PLATFORM
from knowledge_base.dialects.uran.routes import CONTRACT as URAN
from knowledge_base.domain.access import Principal
from knowledge_base.domain.answers import Message, Question
from knowledge_base.domain.errors import Overloaded
from knowledge_base.domain.knowledge_bases import Dialect
from knowledge_base.ports.queues import Queue
from knowledge_base.services.gateways import Gateway
from knowledge_base.settings import read_settings
from tests.unit.dialects.engineering import Caller
from tests.world import World

QUESTION = Question((Message("user", "How hot?"),))
IMPORT = {
    "documents": [{"name": "a.txt", "type": "txt", "url": "https://files.example/a.txt", "md5": "x"}],
    "repository": "Spec",
    "notifyUrl": "https://caller.example",
}


@pytest.fixture
def crowded(world: World) -> World:
    """A world that lets three questions and two documents wait."""
    limits = read_settings({"KB_QUESTION_QUEUE_LIMIT": "3", "KB_INGESTION_QUEUE_LIMIT": "2"})
    container = Container(limits, world.stores)
    world.container.gateways = container.gateways
    return world


def ask(world: World) -> str:
    return world.container.questions.ask(world.caller, Dialect.URAN, QUESTION).token


def call(world: World, contract: Contract, method: str, path: str, *roles: str) -> Reply:
    operator = Principal("acme", "root", frozenset({"operator"}))
    key = world.container.access.create_key(operator, Principal("acme", "ann", frozenset(roles))).key
    route = next(route for route in contract.routes if (route.method, route.path) == (method, path))
    request = Request(headers={"x-api-key": key}, body=json.dumps(IMPORT).encode())
    return handle(contract, route, request, world.container)


def test_questions_are_let_in_up_to_the_limit_and_again_when_they_are_worked_off(crowded: World) -> None:
    for _ in range(3):
        ask(crowded)
        crowded.clock.pass_seconds(2)
    with pytest.raises(Overloaded) as refusal:
        ask(crowded)
    assert refusal.value.retry_after
    assert len(crowded.queues.messages[Queue.QUESTION]) == 3
    crowded.run()
    crowded.clock.pass_seconds(2)
    ask(crowded)


def test_a_refused_question_leaves_nothing_behind(crowded: World) -> None:
    for _ in range(3):
        ask(crowded)
    crowded.clock.pass_seconds(2)
    before = len(crowded.stores.answers.overdue(2**33, limit=100))
    with pytest.raises(Overloaded):
        ask(crowded)
    assert len(crowded.stores.answers.overdue(2**33, limit=100)) == before


def test_imports_are_refused_in_the_contracts_form_with_the_time_to_come_back(crowded: World) -> None:
    for queue in (Queue.PARSE, Queue.EMBED):
        crowded.queues.send(queue, {})
    reply = call(crowded, URAN, "POST", "/uran/lm/documents")
    assert (reply.status, reply.body["status"]) == (503, 503)
    assert int(reply.headers["Retry-After"]) == 60
    assert not crowded.queues.messages[Queue.FETCH]


def test_content_is_refused_while_what_is_said_of_documents_can_be_changed(crowded: World) -> None:
    ann = Caller(crowded)
    document_id = ann.store("Pump 7 runs at 40 degrees.")
    for _ in range(2):
        crowded.queues.send(Queue.PARSE, {})
    crowded.clock.pass_seconds(2)
    new = {"document": ("pump.md", "Pump 7 runs at 50 degrees.")}
    for method, path, options in (
        ("POST", "/documents", {"files": new}),
        ("PUT", f"/documents/{document_id}", {"files": new}),
        ("POST", f"/documents/{document_id}/versions/1/restore", {}),
    ):
        reply = ann(method, path, **options)
        assert (reply.status, reply.headers["Retry-After"]) == (503, "60")
    assert ann.change(document_id, {"title": "Pump 7"}).status == 200
    assert [each["version"] for each in ann("GET", f"/documents/{document_id}/versions").body["versions"]] == [1]


def test_questions_wait_for_no_documents(crowded: World) -> None:
    for _ in range(5):
        crowded.queues.send(Queue.PARSE, {})
    crowded.container.gateways.admit(Gateway.QUESTIONS)


def test_the_queue_is_not_asked_for_every_caller(crowded: World, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[Queue] = []
    monkeypatch.setattr(crowded.queues, "waiting", lambda queue: looks.append(queue) or 0)
    for _ in range(10):
        crowded.container.gateways.admit(Gateway.QUESTIONS)
    assert looks == [Queue.QUESTION]


def test_operators_see_how_much_waits(crowded: World) -> None:
    for _ in range(3):
        ask(crowded)
    crowded.clock.pass_seconds(2)
    reply = call(crowded, PLATFORM, "GET", "/admin/gateways", "operator")
    assert reply.body == {
        "gateways": [
            {"name": "documents", "state": "closed", "waiting": 0, "limit": 2},
            {"name": "questions", "state": "open", "waiting": 3, "limit": 3},
        ]
    }


def test_what_waits_is_shown_to_operators_alone(crowded: World) -> None:
    assert call(crowded, PLATFORM, "GET", "/admin/gateways", "admin").status == 403


@pytest.mark.parametrize("value", ["0", "-1", "many", "1.5"])
def test_a_limit_that_is_none_is_refused_by_name(value: str) -> None:
    with pytest.raises(ValueError, match="KB_QUESTION_QUEUE_LIMIT"):
        read_settings({"KB_QUESTION_QUEUE_LIMIT": value})
