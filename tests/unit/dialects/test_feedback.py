"""What people think of answers, over the platform contract."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from knowledge_base.dialects.contract import Reply
from knowledge_base.dialects.platform.routes import CONTRACT
from knowledge_base.dialects.streaming import streaming_application
from knowledge_base.domain.access import Principal
from knowledge_base.domain.answers import Message, Question
from knowledge_base.domain.knowledge_bases import Dialect
from tests.builders import FACT
from tests.unit.dialects.test_platform_routes import Caller
from tests.world import World


def ask(world: World, user: str = "ann") -> str:
    caller = Principal("acme", user)
    question = Question((Message("user", "When does the pump start?"),), (world.knowledge_base().kb_id,))
    return world.container.questions.ask(caller, Dialect.URAN, question).token


def rate(call: Caller, token: str, **body: Any) -> Reply:
    return call("POST", "/answers/{token}/feedback", body, token=token)


def exported(world: World, query: str = "", *roles: str) -> list[dict[str, Any]]:
    client = TestClient(streaming_application([CONTRACT], lambda: world.container))
    key = Caller(world, "acme", *(roles or ("admin",))).key
    reply = client.get(f"/feedback{query}", headers={"authorization": f"Bearer {key}"})
    assert reply.status_code == 200, reply.text
    assert reply.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in reply.text.splitlines()]


def test_feedback_is_exported_with_what_was_asked_answered_and_cited(filled: World) -> None:
    token = ask(filled)
    filled.run()
    assert rate(Caller(filled), token, rating=4, comment=" good ").status == 200
    (line,) = exported(filled)
    assert (line["token"], line["rating"], line["comment"], line["user_id"]) == (token, 4, "good", "ann")
    assert line["question"] == "When does the pump start?"
    assert FACT in line["answer"]
    assert {chunk["kb_id"] for chunk in line["cited"]} == {filled.knowledge_base().kb_id}
    assert "tenant" not in line


@pytest.mark.parametrize(("thumb", "rating"), [("up", 5), ("down", 1)])
def test_thumbs_are_the_ends_of_the_scale(filled: World, thumb: str, rating: int) -> None:
    token = ask(filled)
    filled.run()
    assert rate(Caller(filled), token, rating=thumb).body["rating"] == rating


def test_who_changes_their_mind_is_counted_once(filled: World) -> None:
    token = ask(filled)
    filled.run()
    for rating in (1, 5):
        filled.clock.pass_seconds(1)
        rate(Caller(filled), token, rating=rating)
    assert [line["rating"] for line in exported(filled)] == [5]


def test_export_is_in_the_order_of_the_questions_and_starts_where_it_is_told_to(filled: World) -> None:
    tokens = [ask(filled)]
    filled.run()
    filled.clock.pass_seconds(3600)
    tokens.append(ask(filled))
    filled.run()
    for token in reversed(tokens):
        rate(Caller(filled), token, rating=3)
    lines = exported(filled)
    assert [line["token"] for line in lines] == tokens
    since = lines[1]["asked_at"].replace("+", "%2B")
    assert [line["token"] for line in exported(filled, f"?since={since}")] == tokens[1:]


@pytest.mark.parametrize("body", [{}, {"rating": 0}, {"rating": 6}, {"rating": "great"}, {"rating": 3, "stars": 1}])
def test_rating_off_the_scale_is_refused(filled: World, body: dict[str, Any]) -> None:
    token = ask(filled)
    filled.run()
    assert rate(Caller(filled), token, **body).status == 400
    assert exported(filled) == []


def test_answer_that_is_still_being_written_cannot_be_rated(filled: World) -> None:
    assert rate(Caller(filled), ask(filled), rating=5).status == 409


def test_answer_of_somebody_else_cannot_be_rated(filled: World) -> None:
    token = ask(filled, user="bob")
    filled.run()
    assert rate(Caller(filled), token, rating=5).status == 404
    assert rate(Caller(filled, "umbrella"), token, rating=5).status == 404


def test_feedback_is_for_admins_and_of_their_tenant_only(filled: World) -> None:
    token = ask(filled)
    filled.run()
    rate(Caller(filled), token, rating=5)
    client = TestClient(streaming_application([CONTRACT], lambda: filled.container))
    for caller, status in ((Caller(filled), 403), (Caller(filled, "umbrella", "admin"), 200)):
        reply = client.get("/feedback", headers={"authorization": f"Bearer {caller.key}"})
        assert (reply.status_code, reply.text if status == 200 else "") == (status, "")


def test_moment_that_is_none_is_refused(filled: World) -> None:
    client = TestClient(streaming_application([CONTRACT], lambda: filled.container))
    key = Caller(filled, "acme", "admin").key
    assert client.get("/feedback?since=yesterday", headers={"authorization": f"Bearer {key}"}).status_code == 400
