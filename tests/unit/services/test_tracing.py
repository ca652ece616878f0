"""How an answer came about can be read beside it: what was found, what each stage took, what the model used."""

from __future__ import annotations

from typing import Any

import pytest

from knowledge_base.domain.answers import AnswerStatus, Stage
from knowledge_base.domain.errors import IndexUnavailable
from knowledge_base.domain.traces import StageTrace, Usage
from tests.builders import FACT
from tests.fakes import FakeChat
from tests.unit.dialects.test_platform_routes import Caller
from tests.unit.services.test_answering import ask
from tests.world import World


def notes(world: World, token: str) -> list[StageTrace]:
    return world.container.answers.traces(world.container.answers.head(world.caller, token))


def test_the_found_chunks_are_listed_with_their_scores_and_the_revision_they_were_found_at(filled: World) -> None:
    record = ask(filled)
    filled.run()
    search = next(note for note in notes(filled, record.token) if note.stage is Stage.SEARCH)
    kb_id = filled.knowledge_base().kb_id
    assert search.revisions == {kb_id: filled.stores.knowledge_bases.get(kb_id).revision}
    best = search.hits[0]
    assert best.kb_id == kb_id
    assert (best.vector_rank, best.keyword_rank) == (1, 1)
    assert [hit.score for hit in search.hits] == sorted((hit.score for hit in search.hits), reverse=True)


def test_each_stage_says_when_it_began_and_how_long_it_took(filled: World) -> None:
    record = ask(filled)
    filled.clock.pass_seconds(2)
    filled.run()
    told = notes(filled, record.token)
    assert [note.stage for note in told] == [Stage.QUESTION, Stage.SEARCH, Stage.ANSWER]
    assert all(note.began_after >= 2 and note.took > 0 for note in told)
    assert told[-1].first_after is not None
    assert 0 < told[-1].first_after <= told[-1].took


def test_tokens_are_those_that_the_endpoint_reports(filled: World) -> None:
    filled.stores.chat = FakeChat(["At forty degrees [1]."], usage=Usage("m", 321, 7))
    record = ask(filled)
    filled.run()
    assert notes(filled, record.token)[-1].usage == Usage("m", 321, 7)


def test_tokens_are_counted_where_the_endpoint_reports_none(filled: World) -> None:
    filled.stores.chat = FakeChat(["At forty ", "degrees [1]."])
    record = ask(filled)
    filled.run()
    usage = notes(filled, record.token)[-1].usage
    assert usage is not None
    assert usage.is_estimated
    assert usage.prompt_tokens > 50
    assert 3 <= usage.completion_tokens <= 10


def test_a_stage_that_fails_leaves_its_note_all_the_same(filled: World, monkeypatch: pytest.MonkeyPatch) -> None:
    record = ask(filled)

    def down(*_: Any, **__: Any) -> None:
        raise IndexUnavailable("the index does not answer")

    monkeypatch.setattr(filled.container.searching, "search", down)
    with pytest.raises(IndexUnavailable):
        filled.run()
    assert [note.stage for note in notes(filled, record.token)] == [Stage.QUESTION, Stage.SEARCH]


def test_an_answer_is_written_although_nothing_can_be_noted(filled: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise IndexUnavailable("the table does not answer")

    record = ask(filled)
    monkeypatch.setattr(filled.stores.answers, "note", full)
    filled.run()
    told = filled.container.answers.get(filled.caller, record.token)
    assert told.record.status is AnswerStatus.FINISHED
    assert FACT in told.text


def test_the_platform_shows_the_trace_to_who_asked(filled: World) -> None:
    caller = Caller(filled, filled.caller.tenant)
    who = filled.container.access.authenticate({"authorization": f"Bearer {caller.key}"})
    filled.caller = who
    record = ask(filled)
    filled.run()
    shown = caller("GET", "/answers/{token}", token=record.token).body["trace"]
    assert shown["searched"] == "When does the pump start?"
    assert shown["user_id"] == who.user_id
    assert [stage["stage"] for stage in shown["stages"]] == ["question", "search", "answer"]
    assert shown["hits"][0]["chunk_id"]
    assert Caller(filled, "umbrella")("GET", "/answers/{token}", token=record.token).status == 404
