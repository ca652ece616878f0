"""What every store of breakers promises."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from knowledge_base.domain.breakers import Breaker
from knowledge_base.domain.errors import StaleState
from knowledge_base.ports.breakers import Breakers
from tests.aws import in_threads
from tests.builders import NOON

OPENED = Breaker(failures=3, since=NOON, reason="the model does not answer", opened_at=NOON)


class BreakersContract:
    """Subclasses give the fixture `breakers`: an empty one."""

    def test_breaker_that_nobody_stored_is_closed(self, breakers: Breakers) -> None:
        assert breakers.get("questions") == Breaker()

    def test_breaker_comes_back_as_it_was_stored_one_turn_on(self, breakers: Breakers) -> None:
        breakers.put("questions", OPENED, before=Breaker())
        assert breakers.get("questions") == replace(OPENED, turn=1)
        assert breakers.get("documents") == Breaker()

    def test_change_of_what_has_changed_meanwhile_is_refused(self, breakers: Breakers) -> None:
        breakers.put("questions", OPENED, before=Breaker())
        with pytest.raises(StaleState):
            breakers.put("questions", Breaker(failures=1), before=Breaker())
        now = breakers.get("questions")
        breakers.put("questions", replace(now, opened_at=None), before=now)
        assert breakers.get("questions").turn == 2

    def test_of_many_at_once_one_wins(self, breakers: Breakers) -> None:
        breakers.put("questions", OPENED, before=Breaker())
        before = breakers.get("questions")

        def probe(number: int) -> bool:
            try:
                breakers.put("questions", replace(before, probe_at=NOON + timedelta(seconds=number)), before=before)
            except StaleState:
                return False
            return True

        won = in_threads(8, probe)
        assert sum(won) == 1
