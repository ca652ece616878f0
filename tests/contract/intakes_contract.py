"""What every store of intakes promises."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from knowledge_base.domain.documents import Failure, FailureCode
from knowledge_base.domain.errors import StaleState
from knowledge_base.domain.intakes import Decision, Intake, new_intake_id
from knowledge_base.ports.intakes import Intakes
from tests.builders import NOON
from tests.contract.catalog_contract import eventually

DUE = int(NOON.timestamp())
FAILURE = Failure(FailureCode.STALLED, "not taken up in time")


def an_intake(**changes: Any) -> Intake:
    values = {
        "intake_id": new_intake_id(),
        "tenant": "acme",
        "user_id": "ann",
        "kb_id": "kb-1",
        "repository": "handbook",
        "notify_url": "https://caller.example/hook",
        "count": 3,
        "accepted_at": NOON,
        "due": DUE,
    }
    return Intake(**{**values, **changes})


class IntakesContract:
    """Subclasses give the fixture `intakes`: an empty store."""

    def test_one_comes_back_as_it_was_added(self, intakes: Intakes) -> None:
        intake = an_intake()
        intakes.add(intake)
        assert intakes.get(intake.intake_id) == intake
        assert intakes.get(new_intake_id()) is None

    def test_those_of_a_tenant_that_are_not_done_stand_the_oldest_first(self, intakes: Intakes) -> None:
        later = an_intake(accepted_at=NOON + timedelta(seconds=1))
        earlier, done, foreign = an_intake(), an_intake(), an_intake(tenant="other")
        for each in (later, earlier, done, foreign):
            intakes.add(each)
        intakes.advance(done, 3, due=DUE)
        assert intakes.standing("acme") == [earlier, later]

    def test_a_done_one_in_which_documents_failed_still_stands(self, intakes: Intakes) -> None:
        intake = an_intake()
        intakes.add(intake)
        intakes.advance(intake, 3, due=DUE, failed=True)
        [found] = intakes.standing("acme")
        assert (found.is_done, found.failed) == (True, True)

    def test_an_advance_never_goes_back(self, intakes: Intakes) -> None:
        intake = an_intake()
        intakes.add(intake)
        intakes.advance(intake, 2, due=DUE)
        intakes.advance(intake, 1, due=DUE)
        found = intakes.get(intake.intake_id)
        assert found and found.position == 2

    def test_a_place_is_decided_once(self, intakes: Intakes) -> None:
        intake = an_intake()
        intakes.add(intake)
        first = Decision(intake.place(1), "doc-1", 2)
        intakes.decide(first)
        with pytest.raises(StaleState):
            intakes.decide(Decision(intake.place(1), "doc-2", 1))
        intakes.refuse([intake.place(number) for number in range(3)], FAILURE)
        refused = {intake.place(number): Decision(intake.place(number), failure=FAILURE) for number in (0, 2)}
        assert intakes.decisions([intake.place(n) for n in range(3)]) == {intake.place(1): first, **refused}

    def test_only_what_is_not_done_is_overdue(self, intakes: Intakes) -> None:
        late, later, done = an_intake(), an_intake(due=DUE + 10), an_intake()
        for each in (late, later, done):
            intakes.add(each)
        intakes.advance(done, 3, due=DUE)
        eventually(lambda: intakes.overdue(DUE, limit=10), [late])
        intakes.postpone(late, due=DUE + 5, resumes=1)
        eventually(lambda: intakes.overdue(DUE, limit=10), [])
        eventually(lambda: intakes.overdue(DUE + 5, limit=10), [replace(late, due=DUE + 5, resumes=1)])

    def test_one_that_has_moved_is_not_postponed(self, intakes: Intakes) -> None:
        intake = an_intake()
        intakes.add(intake)
        intakes.advance(intake, 1, due=DUE)
        with pytest.raises(StaleState):
            intakes.postpone(intake, due=DUE + 5, resumes=1)
