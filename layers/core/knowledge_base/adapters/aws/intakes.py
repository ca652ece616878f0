"""Intakes in the Catalog table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from knowledge_base.adapters.aws.expressions import Write, absent, delete, equals, every, present, put, up_to, update
from knowledge_base.adapters.aws.items import Key, Plain, encode, from_plain, moment, to_item
from knowledge_base.adapters.aws.refusals import ConditionUnmet
from knowledge_base.adapters.aws.table import Table
from knowledge_base.adapters.aws.tables import EXPIRES_AT
from knowledge_base.domain.documents import Failure
from knowledge_base.domain.errors import StaleState
from knowledge_base.domain.intakes import Decision, Intake, Place
from knowledge_base.ports.clock import Clock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.client import DynamoDBClient

LIFETIME = timedelta(days=7)
_OPEN = "intake"
_AT_ONCE = 100


class DynamoDBIntakes:
    """Holds an intake with its decisions in one partition, and the list of those that stand in their tenant's."""

    def __init__(self, client: DynamoDBClient, table_name: str, clock: Clock) -> None:
        self._table = Table(client, table_name)
        self._clock = clock

    def add(self, intake: Intake) -> None:
        """Store a new intake."""
        index = encode({"open": _OPEN, **self._expiry()})
        listed = encode({"intake_id": intake.intake_id, **self._expiry()})
        self._table.transact([put(_key(intake.intake_id), {**to_item(intake), **index}), put(_listed(intake), listed)])

    def get(self, intake_id: str) -> Intake | None:
        """Return an intake, None when it is gone."""
        found = self._table.get(_key(intake_id))
        return from_plain(Intake, found) if found else None

    def standing(self, tenant: str) -> list[Intake]:
        """Return a tenant's intakes that are not done, or in which documents failed, oldest first. Consistent."""
        ids = [row["intake_id"] for row in self._table.query(f"INTAKES#{tenant}")]
        found = {item["intake_id"]: from_plain(Intake, item) for item in self._table.get_many(map(_key, ids))}
        return [found[each] for each in ids if each in found]

    def decisions(self, places: Collection[Place]) -> dict[Place, Decision]:
        """Return what is decided about places, in one round trip for each hundred. Consistent."""
        found = (from_plain(Decision, item) for item in self._table.get_many(map(_decided, places)))
        return {decision.place: decision for decision in found}

    def decide(self, decision: Decision) -> None:
        """Store a decision by itself.

        Raises:
            StaleState: the place is decided.
        """
        try:
            self._table.write(new_decision(decision, self._clock))
        except ConditionUnmet:
            raise StaleState("the place is decided by now") from None

    def refuse(self, places: Sequence[Place], failure: Failure) -> None:
        """Decide that places failed; those that are decided stay as they are."""
        for start in range(0, len(places), _AT_ONCE):
            refused = [Decision(place, failure=failure) for place in places[start : start + _AT_ONCE]]
            self._table.transact([], [new_decision(decision, self._clock) for decision in refused])

    def advance(self, intake: Intake, position: int, *, due: int, failed: bool = False) -> Intake:
        """Record that all places before a position are decided; an earlier one than recorded changes nothing.

        With the last place the intake is done.
        """
        resumes = intake.resumes if failed else 0
        moved = replace(intake, position=position, due=due, resumes=resumes, failed=intake.failed or failed)
        assign: dict[str, Any] = {name: getattr(moved, name) for name in ("position", "due", "resumes", "failed")}
        not_back = every(present(), up_to("position", position))
        advanced = update(_key(intake.intake_id), assign=assign, remove=["open"] * moved.is_done, given=not_back)
        unlisted = [delete(_listed(intake))] if moved.is_done and not moved.failed else []
        with suppress(ConditionUnmet):
            self._table.transact([advanced, *unlisted])
        return moved

    def overdue(self, now: int, *, limit: int) -> list[Intake]:
        """Return intakes that are not done and whose `due` has passed; may lag by a second."""
        return [from_plain(Intake, item) for item in self._table.overdue(_OPEN, now, limit=limit)]

    def postpone(self, intake: Intake, *, due: int, resumes: int) -> None:
        """Set when the sweep looks again, and how often it has set the intake going again.

        Raises:
            StaleState: the intake has moved since it was read.
        """
        unchanged = every(*(equals(name, getattr(intake, name)) for name in ("position", "due", "resumes")))
        try:
            self._table.write(update(_key(intake.intake_id), assign={"due": due, "resumes": resumes}, given=unchanged))
        except ConditionUnmet:
            raise StaleState("the intake has moved") from None

    def _expiry(self) -> Plain:
        return expiry(self._clock)


def expiry(clock: Clock) -> Plain:
    """Return the attribute by which an item of an intake is dropped once nobody asks for it any more."""
    return {EXPIRES_AT: int((clock.now() + LIFETIME).timestamp())}


def new_decision(decision: Decision, clock: Clock) -> Write:
    """Return the write that stores a decision about a place that has none."""
    return put(_decided(decision.place), {**to_item(decision), **encode(expiry(clock))}, given=absent())


def _key(intake_id: str) -> Key:
    return Key.of(f"INTAKE#{intake_id}", "META")


def _decided(place: Place) -> Key:
    return Key.of(f"INTAKE#{place.intake_id}", f"D#{place.number:04d}")


def _listed(intake: Intake) -> Key:
    return Key.of(f"INTAKES#{intake.tenant}", f"{moment(intake.accepted_at)}#{intake.intake_id}")
