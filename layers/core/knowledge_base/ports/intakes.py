"""Intakes, and what was decided about the documents in them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from knowledge_base.domain.documents import Failure
from knowledge_base.domain.intakes import Decision, Intake, Place


class Intakes(Protocol):
    """What was taken in and is decided bit by bit; kept for a week.

    A place is decided once: whoever comes second gets `StaleState`, here and where a decision is stored
    together with what it decides.
    """

    def add(self, intake: Intake) -> None:
        """Store a new intake."""

    def get(self, intake_id: str) -> Intake | None:
        """Return an intake, None when it is gone."""

    def standing(self, tenant: str) -> list[Intake]:
        """Return a tenant's intakes that are not done, or in which documents failed, oldest first. Consistent."""

    def decisions(self, places: Collection[Place]) -> dict[Place, Decision]:
        """Return what is decided about places, in one round trip for each hundred. Consistent."""

    def decide(self, decision: Decision) -> None:
        """Store a decision by itself.

        Raises:
            StaleState: the place is decided.
        """

    def refuse(self, places: Sequence[Place], failure: Failure) -> None:
        """Decide that places failed; those that are decided stay as they are."""

    def advance(self, intake: Intake, position: int, *, due: int, failed: bool = False) -> Intake:
        """Record that all places before a position are decided; an earlier one than recorded changes nothing.

        With the last place the intake is done.
        """

    def overdue(self, now: int, *, limit: int) -> list[Intake]:
        """Return intakes that are not done and whose `due` has passed; may lag by a second."""

    def postpone(self, intake: Intake, *, due: int, resumes: int) -> None:
        """Set when the sweep looks again, and how often it has set the intake going again.

        Raises:
            StaleState: the intake has moved since it was read.
        """
