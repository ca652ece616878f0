"""From a question to an answer that can be checked, whatever the models do."""

from __future__ import annotations

from typing import Any

import pytest

from knowledge_base.bootstrap import Container
from knowledge_base.domain.answers import (
    Answer,
    AnswerRecord,
    AnswerStatus,
    Message,
    Question,
    Stage,
    Step,
    StepReached,
    TextDelta,
)
from knowledge_base.domain.errors import ChatUnavailable, EmbeddingRefused
from knowledge_base.domain.knowledge_bases import Dialect
from knowledge_base.domain.object_keys import VersionKey
from knowledge_base.domain.parsed import decode_parsed
from knowledge_base.ports.models import Capabilities
from knowledge_base.ports.queues import Queue
from tests.builders import FACT
from tests.fakes import FakeChat
from tests.world import World


def ask(world: World, text: str = "When does the pump start?", **changes: Any) -> AnswerRecord:
    kb_ids = changes.pop("kb_ids", (world.knowledge_base().kb_id,))
    question = Question((Message("user", text),), kb_ids, **changes)
    return world.container.questions.ask(world.caller, Dialect.URAN, question)


def answer(world: World, record: AnswerRecord) -> Answer:
    return world.container.answers.get(world.caller, record.token)


def test_without_a_chat_model_the_answer_quotes_what_was_found(filled: World) -> None:
    record = ask(filled)
    filled.run()
    told = answer(filled, record)
    assert told.record.status is AnswerStatus.FINISHED
    assert FACT in told.text
    assert "[1]" in told.text


def test_a_copy_of_a_page_takes_no_place_from_another_source(filled: World) -> None:
    for number in range(4):
        filled.import_text(
            f"copy-{number}.txt", f"Operating the plant.\n\n{FACT}\n\nIt stops by itself.", md5=f"{number}"
        )
    filled.import_text("winter.txt", "In winter the pump starts late, at sixty degrees.")
    filled.run()
    record = ask(filled, top_k=2)
    filled.run()
    names = {reference.name for reference in answer(filled, record).references}
    assert "winter.txt" in names
    assert len(names) == 2


def test_every_quote_stands_at_its_place_in_the_parsed_text(filled: World) -> None:
    record = ask(filled)
    filled.run()
    for reference in answer(filled, record).references:
        key = VersionKey("acme", reference.document_id, reference.ordinal)
        text = decode_parsed(filled.objects.get(key.parsed())).text
        assert text[reference.start : reference.end] == reference.quote


def test_the_steps_come_in_order(filled: World) -> None:
    record = ask(filled)
    filled.run()
    events = [logged.event for logged in filled.stores.answers.read(record.token)]
    assert [event.step for event in events if isinstance(event, StepReached)] == [Step.SEARCHING, Step.COMPOSING]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("??? !!!", "No information retrieved"),
        ("the of and a", "No information retrieved"),
        ("quantum chromodynamics?", "No information retrieved"),
        ("量子力学？", "没有检索到相关信息"),
    ],
)
def test_without_evidence_the_answer_says_so(filled: World, text: str, said: str) -> None:
    record = ask(filled, text)
    filled.run()
    told = answer(filled, record)
    assert said in told.text
    assert told.references == ()


def test_a_follow_up_is_searched_with_what_it_rests_on(filled: World) -> None:
    turns = (
        Message("user", "When does the pump start?"),
        Message("assistant", "At 40 degrees."),
        Message("user", "Why?"),
    )
    question = Question(turns, kb_ids=(filled.knowledge_base().kb_id,))
    record = filled.container.questions.ask(filled.caller, Dialect.URAN, question)
    filled.run()
    found = answer(filled, record)
    assert FACT in found.text
    assert found.references


def test_a_chat_model_writes_and_its_markers_become_references(filled: World) -> None:
    filled.stores.chat = FakeChat(["It starts at ", "forty degrees [1", "] and [7] more."])
    record = ask(filled)
    filled.run()
    told = answer(filled, record)
    assert "forty degrees [1]" in told.text
    assert "[7]" not in told.text
    assert [reference.index for reference in told.references] == [1]


def test_a_chat_model_that_does_not_answer_is_stood_in_for_by_quotes(filled: World) -> None:
    filled.stores.chat = FakeChat([ChatUnavailable("no chat endpoint answers")])
    record = ask(filled)
    filled.run()
    told = answer(filled, record)
    assert FACT in told.text
    assert told.degraded == ("chat",)


def test_a_chat_model_that_breaks_off_fails_the_answer(filled: World) -> None:
    filled.stores.chat = FakeChat(["It starts ", ChatUnavailable("the endpoint broke off")])
    record = ask(filled)
    filled.run()
    told = answer(filled, record)
    assert told.record.status is AnswerStatus.FAILED
    assert told.text.startswith("It starts")


def test_chat_mode_without_a_chat_model_names_the_missing_setting(world: World) -> None:
    record = ask(world, kb_ids=())
    world.run()
    error = answer(world, record).error
    assert error
    assert (error.code, "KB_LLM_ENDPOINTS" in error.message) == ("not_configured", True)


def test_chat_mode_passes_on_background_and_turns(world: World) -> None:
    world.stores.chat = FakeChat(["Hello."])
    record = ask(world, kb_ids=(), background="You are kind.")
    world.run()
    assert answer(world, record).text == "Hello."
    assert [message.content for message in world.stores.chat.asked[0]] == [
        "You are kind.",
        "When does the pump start?",
    ]


def test_a_cancelled_answer_gets_no_more_words(filled: World) -> None:
    record = ask(filled)
    said: list[str] = []

    def cancel() -> None:
        if not said:
            said.append("cancelled")
            filled.container.answers.cancel(filled.caller, record.token)

    filled.stores.chat = FakeChat(["One. "] * 50, between=cancel)
    filled.run()
    told = answer(filled, record)
    assert told.record.status is AnswerStatus.CANCELLED
    assert len(told.text) < 50 * len("One. ")


def test_a_second_try_after_the_first_words_ends_the_answer_as_failed(filled: World) -> None:
    record = ask(filled)
    filled.run(Queue.QUESTION, Queue.SEARCH)
    filled.stores.answers.append(record.token, Stage.ANSWER, 0, [TextDelta("The pump ")])
    filled.run()
    told = answer(filled, record)
    assert told.record.status is AnswerStatus.FAILED
    assert told.text == "The pump "


def test_messages_that_come_twice_say_nothing_twice(filled: World) -> None:
    record = ask(filled)
    for queue in (Queue.QUESTION, Queue.SEARCH):
        message = filled.queues.messages[queue][0]
        filled.run(queue)
        filled.handle(queue, message)
    filled.run()
    assert answer(filled, record).text.count(FACT) == 1


def test_the_embedder_being_down_is_said_in_the_answer(filled: World) -> None:
    filled.stores.embedders.embedder.down = True
    record = ask(filled)
    filled.run()
    told = answer(filled, record)
    assert FACT in told.text
    assert told.degraded == ("embedding",)


def test_a_refusing_embedder_ends_the_answer_with_its_reason(filled: World) -> None:
    filled.stores.embedders.embedder.refusal = EmbeddingRefused("the text cannot be embedded")
    record = ask(filled)
    filled.run()
    error = answer(filled, record).error
    assert error
    assert error.code == "embedding_failed"


def test_a_repository_that_is_removed_meanwhile_ends_the_answer(filled: World) -> None:
    record = ask(filled)
    kb = filled.knowledge_base()
    filled.container.knowledge_bases.remove(kb.tenant, kb.dialect, kb.name)
    filled.run()
    error = answer(filled, record).error
    assert error
    assert error.code == "knowledge_base_not_found"


def test_an_answer_that_nobody_writes_is_ended_by_the_sweep(filled: World) -> None:
    record = ask(filled)
    filled.queues.messages.clear()
    filled.clock.pass_seconds(301)
    filled.container.sweeping.sweep()
    error = answer(filled, record).error
    assert error
    assert error.code == "timeout"


def test_the_queues_carry_the_field_names_of_the_uran_document(filled: World) -> None:
    record = ask(filled)
    filled.run()
    request, response = filled.queues.bodies(Queue.SEARCH)[0], filled.queues.bodies(Queue.ANSWER)[0]
    assert request["question_token"] == response["question_token"] == record.token
    assert request["question"] == response["question"] == "When does the pump start?"
    assert len(request["embedding"]) == 64
    assert FACT in "".join(response["texts"])


def test_a_model_is_shown_what_stands_beside_the_passage_that_was_found(world: World) -> None:
    paragraphs = [f"Hall {number} has a door of its own. " * 60 for number in range(4)]
    paragraphs[2] = f"{FACT} " * 2 + "The lamps of the pump are green. " * 100
    world.import_text("pump.txt", "\n\n".join(paragraphs))
    world.run()
    chat = FakeChat(["At forty degrees [1]."])
    world.stores.chat = chat
    record = ask(world, top_k=1)
    world.run()
    shown = chat.asked[0][-1].content
    assert FACT in shown
    assert "Hall 1 has a door" in shown
    (reference,) = answer(world, record).references
    version = world.stores.versions.get(reference.document_id, reference.ordinal)
    text = decode_parsed(world.objects.get(version.key.parsed())).text
    assert text[reference.start : reference.end] == reference.quote == FACT


def test_sources_keep_within_what_the_model_reads_at_once(world: World) -> None:
    for number in range(6):
        world.import_text(f"{number}.txt", f"The pump of hall {number} starts at {number} degrees. " * 30)
    world.run()
    shown = {}
    for context in (None, 2_000, 900):
        chat = FakeChat(["At forty degrees [1]."], known=Capabilities(context))
        world.stores.chat = chat
        world.container = Container(world.settings, world.stores)
        ask(world, max_tokens=200, top_k=6)
        world.run()
        shown[context] = chat.asked[0][-1].content
    assert shown[None].count("<source") == 6
    assert 1 <= shown[900].count("<source") < shown[2_000].count("<source") < 6
