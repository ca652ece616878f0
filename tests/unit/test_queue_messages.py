"""The Request and Response messages: their schemas are those of the code, and other systems can speak them."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from infra.messages.__main__ import EXAMPLES, FILES, MESSAGES, render
from infra.written import differing
from knowledge_base.domain.answers import Answer, AnswerRecord, AnswerStatus, Message, Question
from knowledge_base.domain.knowledge_bases import Dialect
from knowledge_base.ports.queues import Queue
from tests.builders import FACT
from tests.fakes import FakeChat
from tests.world import World

SEEDS_FIELDS = {
    "request": {"question_token", "question", "resp_url", "embedding"},
    "response": {"question_token", "question", "resp_url", "texts"},
}


def schema(name: str) -> Any:
    import json

    return json.loads(render(name))


def ask(world: World) -> AnswerRecord:
    question = Question((Message("user", "When does the pump start?"),), (world.knowledge_base().kb_id,))
    return world.container.questions.ask(world.caller, Dialect.URAN, question)


def answer(world: World, record: AnswerRecord) -> Answer:
    return world.container.answers.get(world.caller, record.token)


def test_the_written_schemas_are_those_of_the_code() -> None:
    assert list(differing(FILES)) == []


@pytest.mark.parametrize("name", MESSAGES)
def test_schema_is_valid_and_takes_the_documents_own_example(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))
    Draft202012Validator(schema(name)).validate(EXAMPLES[name])
    assert SEEDS_FIELDS[name] <= schema(name)["properties"].keys()
    assert EXAMPLES[name].keys() == SEEDS_FIELDS[name]


def test_what_is_sent_obeys_the_schemas(filled: World) -> None:
    record = ask(filled)
    filled.run()
    for name, queue in (("request", Queue.SEARCH), ("response", Queue.ANSWER)):
        [body] = filled.queues.bodies(queue)
        Draft202012Validator(schema(name)).validate(body)
        assert SEEDS_FIELDS[name] <= body.keys()
        assert body["question_token"] == record.token


def test_a_request_with_the_documents_fields_alone_is_searched_by_its_vector(filled: World) -> None:
    record = ask(filled)
    filled.queues.messages[Queue.QUESTION].clear()
    vector = filled.stores.embedders.embedder.embed_query("When does the pump start?")
    filled.queues.send(
        Queue.SEARCH,
        {"question_token": record.token, "question": "When?", "resp_url": "", "embedding": list(vector)},
    )
    filled.run()
    assert FACT in answer(filled, record).text
    assert answer(filled, record).degraded == ()


@pytest.mark.parametrize("chat", [None, FakeChat([FACT])])
def test_a_response_with_the_documents_fields_alone_is_answered_from_its_texts(
    filled: World, chat: FakeChat | None
) -> None:
    filled.stores.chat = chat
    record = ask(filled)
    filled.queues.messages[Queue.QUESTION].clear()
    filled.queues.send(
        Queue.ANSWER,
        {"question_token": record.token, "question": "When?", "resp_url": "", "texts": [FACT, "It hums."]},
    )
    filled.run()
    assert answer(filled, record).record.status is AnswerStatus.FINISHED
    assert FACT in answer(filled, record).text


def test_a_message_about_a_question_that_nobody_asked_changes_nothing(filled: World) -> None:
    for name, queue in (("request", Queue.SEARCH), ("response", Queue.ANSWER)):
        filled.queues.send(queue, EXAMPLES[name])
    filled.run()
    assert not filled.queues.messages[Queue.ANSWER]
