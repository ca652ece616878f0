"""What every log of answers promises."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from knowledge_base.domain.answers import (
    AnswerEvent,
    AnswerFailed,
    AnswerFinished,
    AnswerRecord,
    AnswerStarted,
    AnswerStatus,
    EventId,
    Message,
    Question,
    Reference,
    SourceFound,
    Stage,
    Step,
    StepReached,
    TextDelta,
)
from knowledge_base.domain.errors import AnswerNotFound, StaleState
from knowledge_base.domain.knowledge_bases import Dialect
from knowledge_base.domain.traces import StageTrace, TracedHit, Usage
from knowledge_base.ports.answer_log import AnswerLog
from tests.aws import in_threads
from tests.builders import NOON, a_principal
from tests.contract.catalog_contract import eventually
from tests.fakes import FakeClock

DEADLINE = int(NOON.timestamp()) + 300
EVERY_KIND: list[AnswerEvent] = [
    AnswerStarted(),
    StepReached(Step.SEARCHING),
    SourceFound(Reference(1, "doc-1", "价格.pdf", "", "0" * 32, None, 3, 7, "quot", 0.875, None, kb_id="kb-1")),
    SourceFound(Reference(2, "doc-1", "a", "https://a.example", "", 4, 0, 1, "q", 1.0, 1 / 3, chunk_id="c", ordinal=2)),
    TextDelta("泵 \x00 \n"),
    TextDelta(""),
]


@dataclass(frozen=True)
class Log:
    answers: AnswerLog
    clock: FakeClock


def a_record(**changes: Any) -> AnswerRecord:
    question = Question((Message("user", "Where is the pump?", ("https://a.example/pump.png",)),), ("kb-1",), 0.35)
    values = {
        "token": "token-1",
        "principal": a_principal(roles=frozenset({"admin"})),
        "dialect": Dialect.URAN,
        "question": question,
        "created_at": NOON,
        "deadline": DEADLINE,
    }
    return AnswerRecord(**{**values, **changes})


class AnswerLogContract:
    """Subclasses give the fixture `log`: an empty one."""

    @pytest.fixture(autouse=True)
    def record(self, log: Log) -> AnswerRecord:
        log.answers.open(a_record())
        return a_record()

    def test_opened_answer_is_running(self, log: Log, record: AnswerRecord) -> None:
        assert log.answers.head("token-1") == record
        assert log.answers.read("token-1") == []

    def test_token_in_use_is_refused(self, log: Log, record: AnswerRecord) -> None:
        with pytest.raises(StaleState):
            log.answers.open(a_record(principal=a_principal(user_id="eve")))
        assert log.answers.head("token-1") == record

    @pytest.mark.parametrize("token", ["no-such", "", "x" * 4000, "\ud800"])
    def test_unknown_token_is_not_found(self, log: Log, token: str) -> None:
        with pytest.raises(AnswerNotFound):
            log.answers.head(token)
        assert log.answers.read(token) == []
        assert not log.answers.append(token, Stage.ANSWER, 0, [AnswerStarted()])
        assert not log.answers.close(token, AnswerFinished())

    def test_every_kind_of_event_comes_back(self, log: Log) -> None:
        assert log.answers.append("token-1", Stage.ANSWER, 1, EVERY_KIND)
        logged = log.answers.read("token-1")
        assert [each.event for each in logged] == EVERY_KIND
        assert [each.event_id for each in logged] == [EventId(Stage.ANSWER, number) for number in range(1, 7)]

    def test_stages_follow_one_another_and_the_end_comes_last(self, log: Log) -> None:
        log.answers.append("token-1", Stage.ANSWER, 0, [AnswerStarted()])
        log.answers.append("token-1", Stage.QUESTION, 0, [StepReached(Step.READING_IMAGES)])
        log.answers.append("token-1", Stage.SEARCH, 0, [StepReached(Step.SEARCHING)])
        log.answers.close("token-1", AnswerFinished(degraded=("dense",), evidence=False))
        logged = log.answers.read("token-1")
        assert [each.event_id.stage for each in logged] == [Stage.QUESTION, Stage.SEARCH, Stage.ANSWER, Stage.END]
        assert logged[-1].event == AnswerFinished(degraded=("dense",), evidence=False)

    def test_reading_goes_on_after_any_event(self, log: Log) -> None:
        for first in (*range(0, 120, 20), 990, 1005, 99_990):
            log.answers.append("token-1", Stage.ANSWER, first, [TextDelta(str(first + n)) for n in range(15)])
        whole = log.answers.read("token-1")
        assert [int(each.event.text) for each in whole] == [each.event_id.number for each in whole]
        assert len(whole) == 9 * 15
        for place in (0, 9, 10, 99, 100, 133):
            assert log.answers.read("token-1", after=whole[place].event_id) == whole[place + 1 :]
        assert log.answers.read("token-1", after=whole[-1].event_id) == []
        assert log.answers.read("token-1", after=EventId(Stage.QUESTION, 5)) == whole

    def test_event_is_written_once(self, log: Log) -> None:
        log.answers.append("token-1", Stage.ANSWER, 0, [TextDelta("a"), TextDelta("b")])
        assert log.answers.append("token-1", Stage.ANSWER, 0, [TextDelta("x"), TextDelta("y")])
        assert [each.event for each in log.answers.read("token-1")] == [TextDelta("a"), TextDelta("b")]

    def test_redelivery_writes_what_is_missing(self, log: Log) -> None:
        log.answers.append("token-1", Stage.ANSWER, 0, [TextDelta("a"), TextDelta("b")])
        log.answers.append("token-1", Stage.ANSWER, 1, [TextDelta("x"), TextDelta("c"), TextDelta("d")])
        assert [each.event.text for each in log.answers.read("token-1")] == ["a", "b", "c", "d"]

    def test_a_conclusion_is_read_as_words_and_end(self, log: Log) -> None:
        log.answers.append("token-1", Stage.ANSWER, 0, [StepReached(Step.COMPOSING)])
        said = [AnswerStarted(), TextDelta("forty")]
        assert log.answers.conclude("token-1", Stage.ANSWER, 1, said, AnswerFinished())
        assert [each.event for each in log.answers.read("token-1")][1:] == [*said, AnswerFinished()]
        assert log.answers.head("token-1").status is AnswerStatus.FINISHED
        assert not log.answers.append("token-1", Stage.ANSWER, 3, [TextDelta("more")])

    def test_a_conclusion_without_anything_before_it_is_read_whole(self, log: Log) -> None:
        log.answers.conclude("token-1", Stage.ANSWER, 1, [AnswerStarted(), TextDelta("forty")], AnswerFinished())
        assert len(log.answers.read("token-1")) == 3

    def test_nothing_is_concluded_where_words_have_begun(self, log: Log) -> None:
        log.answers.append("token-1", Stage.ANSWER, 0, [StepReached(Step.COMPOSING), AnswerStarted()])
        before = log.answers.read("token-1")
        assert not log.answers.conclude("token-1", Stage.ANSWER, 1, [AnswerStarted()], AnswerFinished())
        assert log.answers.read("token-1") == before
        assert log.answers.head("token-1").status is AnswerStatus.RUNNING

    def test_nothing_is_concluded_after_the_end(self, log: Log) -> None:
        log.answers.close("token-1", AnswerFailed("cancelled", "x"))
        assert not log.answers.conclude("token-1", Stage.ANSWER, 1, [TextDelta("a")], AnswerFinished())
        assert len(log.answers.read("token-1")) == 1

    def test_nothing_to_append_tells_whether_it_has_ended(self, log: Log) -> None:
        assert log.answers.append("token-1", Stage.ANSWER, 0, [])
        log.answers.close("token-1", AnswerFinished())
        assert not log.answers.append("token-1", Stage.ANSWER, 0, [])

    @pytest.mark.parametrize(
        ("end", "status"),
        [
            (AnswerFinished(), AnswerStatus.FINISHED),
            (AnswerFailed("chat_unavailable", "no endpoint answers"), AnswerStatus.FAILED),
            (AnswerFailed("cancelled", "cancelled by its owner"), AnswerStatus.CANCELLED),
        ],
    )
    def test_close_ends_the_answer(
        self, log: Log, record: AnswerRecord, end: AnswerFinished | AnswerFailed, status: AnswerStatus
    ) -> None:
        log.clock.pass_seconds(2)
        assert log.answers.close("token-1", end)
        assert log.answers.head("token-1") == replace(record, status=status, finished_at=NOON + timedelta(seconds=2))
        assert [each.event for each in log.answers.read("token-1")] == [end]

    def test_nothing_follows_the_end(self, log: Log) -> None:
        log.answers.append("token-1", Stage.ANSWER, 0, [TextDelta("a")])
        log.answers.close("token-1", AnswerFailed("cancelled", "cancelled"))
        told = log.answers.read("token-1")
        assert not log.answers.append("token-1", Stage.ANSWER, 0, [TextDelta("a"), TextDelta("b")])
        assert not log.answers.close("token-1", AnswerFinished())
        assert log.answers.read("token-1") == told

    def test_one_of_many_parallel_ends_is_told(self, log: Log) -> None:
        def end_or_go_on(number: int) -> bool:
            if number % 2:
                return log.answers.close("token-1", AnswerFailed(f"code-{number}", "x"))
            return log.answers.append("token-1", Stage.ANSWER, number, [TextDelta(str(number))])

        outcomes = in_threads(20, end_or_go_on)
        assert sum(outcomes[1::2]) == 1
        logged = log.answers.read("token-1")
        ended = [each for each in logged if each.event_id.stage is Stage.END]
        assert ended == logged[-1:]
        written = {each.event.text for each in logged[:-1]}
        assert written == {str(number) for number in range(0, 20, 2) if outcomes[number]}

    def test_an_end_that_is_owed_to_somebody_stays_so_until_it_is_told(self, log: Log) -> None:
        ended = {"owed": True, "nobody's": False}
        for token, untold in ended.items():
            log.answers.open(a_record(token=token))
            assert log.answers.close(token, AnswerFinished(), untold=untold)
        log.answers.open(a_record(token="concluded"))
        log.answers.conclude("concluded", Stage.ANSWER, 1, [TextDelta("Yes.")], AnswerFinished(), untold=True)
        now = int(NOON.timestamp())

        def owed() -> set[str]:
            return {record.token for record in log.answers.untold(now, limit=10)}

        eventually(owed, {"owed", "concluded"})
        assert log.answers.untold(now - 1, limit=10) == []
        for _ in range(2):
            log.answers.told("owed")
        eventually(owed, {"concluded"})

    def test_notes_of_the_stages_come_back_in_their_order_whenever_they_were_written(self, log: Log) -> None:
        hit = TracedHit("doc-1:1:0", "kb-1", 0.9, 0.875, 12.5, 1, None)
        notes = [
            StageTrace(Stage.QUESTION, 0.01, 0.05, searched="泵"),
            StageTrace(Stage.SEARCH, 0.1, 0.02, revisions={"kb-1": 7}, hits=(hit,)),
            StageTrace(Stage.ANSWER, 0.2, 1.5, first_after=0.4, usage=Usage("m", 300, 20, is_estimated=True)),
        ]
        log.answers.close("token-1", AnswerFinished())
        for note in reversed(notes):
            log.answers.note("token-1", note)
        assert log.answers.notes("token-1") == notes
        assert log.answers.notes("token-2") == []

    def test_a_stage_that_runs_again_replaces_its_note(self, log: Log) -> None:
        log.answers.note("token-1", StageTrace(Stage.SEARCH, 0.1, 0.02))
        log.answers.note("token-1", StageTrace(Stage.SEARCH, 9.5, 0.03))
        assert log.answers.notes("token-1") == [StageTrace(Stage.SEARCH, 9.5, 0.03)]

    def test_overdue_answers_are_those_still_running(self, log: Log) -> None:
        log.answers.open(a_record(token="token-2", deadline=DEADLINE - 10))
        log.answers.open(a_record(token="token-3", deadline=DEADLINE - 20))
        log.answers.open(a_record(token="token-4", deadline=DEADLINE + 1))
        log.answers.close("token-3", AnswerFinished())

        def overdue(limit: int) -> list[str]:
            return [record.token for record in log.answers.overdue(DEADLINE, limit=limit)]

        eventually(lambda: overdue(10), ["token-2", "token-1"])
        assert overdue(1) == ["token-2"]
