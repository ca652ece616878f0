"""Answers and their events in the Runtime table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

from knowledge_base.adapters.aws.expressions import Write, absent, check, equals, put, update
from knowledge_base.adapters.aws.items import Key, Plain, encode, from_plain, to_item
from knowledge_base.adapters.aws.refusals import ConditionUnmet
from knowledge_base.adapters.aws.table import Table
from knowledge_base.adapters.aws.tables import EXPIRES_AT
from knowledge_base.domain.answers import (
    AnswerEvent,
    AnswerFailed,
    AnswerFinished,
    AnswerRecord,
    AnswerStatus,
    EventId,
    LoggedEvent,
    Stage,
)
from knowledge_base.domain.errors import AnswerNotFound, StaleState
from knowledge_base.domain.traces import StageTrace
from knowledge_base.ports.clock import Clock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.client import DynamoDBClient

LIFETIME = timedelta(days=7)
_OPEN, _UNTOLD = "answer", "untold_answer"
_TRACE = "TRACE"
_TERMINAL = EventId(Stage.END, 0)


class DynamoDBAnswerLog:
    """Holds an answer's head in one item, and each event in one of its own.

    Events are written in one transaction with the condition that the head is running, and the head
    ends in one transaction with the terminal event: so nothing can follow that.
    """

    def __init__(self, client: DynamoDBClient, table_name: str, clock: Clock) -> None:
        self._table = Table(client, table_name)
        self._clock = clock

    def open(self, record: AnswerRecord) -> None:
        """Store a new answer's head.

        Raises:
            StaleState: the token is in use.
        """
        index = encode({"open": _OPEN, "due": record.deadline, EXPIRES_AT: self._expires_at()})
        try:
            self._table.write(put(_head(record.token), {**to_item(record), **index}, given=absent()))
        except ConditionUnmet:
            raise StaleState("the answer's token is in use") from None

    def head(self, token: str) -> AnswerRecord:
        """Return an answer's head.

        Raises:
            AnswerNotFound: there is none.
        """
        found = self._table.get(_head(token))
        if not found:
            raise AnswerNotFound(token)
        return from_plain(AnswerRecord, found)

    def append(self, token: str, stage: Stage, first: int, events: Sequence[AnswerEvent]) -> bool:
        """Write events of a stage under the numbers from `first` on; at most 20 at once.

        Returns False, and writes none that is not there already, when the answer has ended.
        """
        running = check(_head(token), equals("status", AnswerStatus.RUNNING))
        numbered = enumerate(events, first)
        try:
            self._table.transact(
                [running], [self._event(token, EventId(stage, number), first, event) for number, event in numbered]
            )
        except ConditionUnmet:
            return False
        return True

    def close(self, token: str, event: AnswerFinished | AnswerFailed, *, untold: bool = False) -> bool:
        """Write the terminal event and end the answer; False when it has ended already.

        `untold` says, in the same write, that somebody is still to be told of the end.
        """
        return self._end(token, [], event, untold=untold)

    def conclude(
        self,
        token: str,
        stage: Stage,
        first: int,
        events: Sequence[AnswerEvent],
        end: AnswerFinished,
        *,
        untold: bool = False,
    ) -> bool:
        """Write a stage's events from a number on and end the answer, all at once; at most 20.

        Returns False, and writes nothing, when the answer has ended or one of these events is there.
        """
        last = [self._event(token, EventId(stage, number), first, event) for number, event in enumerate(events, first)]
        return self._end(token, last, end, untold=untold)

    def told(self, token: str) -> None:
        """Record that who was to be told of an answer's end has been; again changes nothing."""
        with suppress(ConditionUnmet):
            self._table.write(update(_head(token), remove=["open"], given=equals("open", _UNTOLD)))

    def untold(self, now: int, *, limit: int) -> list[AnswerRecord]:
        """Return answers that ended at second `now` or before and are not told yet; may lag by a second."""
        return [from_plain(AnswerRecord, item) for item in self._table.overdue(_UNTOLD, now, limit=limit)]

    def read(self, token: str, *, after: EventId | None = None) -> list[LoggedEvent]:
        """Return the events after an id, in order; all of them without one. Consistent."""
        edge = _sort_key(after) if after else None
        return list(_without_gap(self._table.query(f"EVENTS#{token}", after=edge), after))

    def note(self, token: str, trace: StageTrace) -> None:
        """Store what a stage did; that of the same stage is replaced. Also after the answer has ended."""
        item = {**to_item(trace), **encode({EXPIRES_AT: self._expires_at()})}
        self._table.write(put(Key.of(_head(token).pk, f"{_TRACE}#{trace.stage.value}"), item))

    def notes(self, token: str) -> list[StageTrace]:
        """Return what the stages noted, in their order."""
        return [from_plain(StageTrace, item) for item in self._table.query(_head(token).pk, after=_TRACE)]

    def overdue(self, now: int, *, limit: int) -> list[AnswerRecord]:
        """Return running answers whose deadline has passed; may lag by a second."""
        return [from_plain(AnswerRecord, item) for item in self._table.overdue(_OPEN, now, limit=limit)]

    def _end(self, token: str, last: Sequence[Write], event: AnswerFinished | AnswerFailed, *, untold: bool) -> bool:
        now = self._clock.now()
        end = {"status": _status(event), "finished_at": now}
        owed = {"open": _UNTOLD, "due": int(now.timestamp())} if untold else {}
        running = equals("status", AnswerStatus.RUNNING)
        ended = update(_head(token), assign={**end, **owed}, remove=[] if untold else ["open"], given=running)
        try:
            self._table.transact([ended, *last, self._event(token, _TERMINAL, _TERMINAL.number, event)])
        except ConditionUnmet:
            return False
        return True

    def _event(self, token: str, event_id: EventId, first: int, event: AnswerEvent) -> Write:
        item = {**to_item(event), **encode({"first": first, EXPIRES_AT: self._expires_at()})}
        return put(Key.of(f"EVENTS#{token}", _sort_key(event_id)), item, given=absent())

    def _expires_at(self) -> int:
        return int((self._clock.now() + LIFETIME).timestamp())


def _status(event: AnswerFinished | AnswerFailed) -> AnswerStatus:
    if isinstance(event, AnswerFinished):
        return AnswerStatus.FINISHED
    return AnswerStatus.CANCELLED if event.code == "cancelled" else AnswerStatus.FAILED


def _head(token: str) -> Key:
    return Key.of(f"ANSWER#{token}", "HEAD")


def _sort_key(event_id: EventId) -> str:
    return f"{event_id.stage.value}#{event_id.number:06d}"


def _without_gap(items: Iterable[Plain], last: EventId | None) -> Iterator[LoggedEvent]:
    """Yield events up to the first gap.

    A query may see one part of a transaction's items before another. Who takes up again after an
    event must not have passed one that comes to light later, so an event waits for all those that
    were appended together with it, from `first` on, and stand before it.
    """
    for item in items:
        event_id = _event_id(item)
        if event_id.number != item["first"] and last != EventId(event_id.stage, event_id.number - 1):
            return
        yield LoggedEvent(event_id, from_plain(cast("type[Any]", AnswerEvent), item))
        last = event_id


def _event_id(item: Plain) -> EventId:
    stage, number = item["sk"].split("#")
    return EventId(Stage(stage), int(number))
