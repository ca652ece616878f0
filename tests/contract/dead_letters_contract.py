"""What every store of dead letters promises."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from knowledge_base.domain.dead_letters import DeadLetter, DeadLetterKind
from knowledge_base.domain.errors import DeadLetterNotFound, InvalidInput
from knowledge_base.ports.dead_letters import DeadLetters
from tests.aws import in_threads
from tests.builders import NOON


def a_dead_letter(**changes: Any) -> DeadLetter:
    values = {
        "dead_letter_id": "dead-1",
        "tenant": "acme",
        "kind": DeadLetterKind.DOCUMENT,
        "subject": "doc-1",
        "code": "internal",
        "message": "an unexpected error",
        "attempts": 3,
        "queue": "parse",
        "body": '{"Records": []}',
        "first_at": NOON,
        "last_at": NOON,
        "ordinal": 2,
    }
    return DeadLetter(**{**values, **changes})


def ids(dead_letters: DeadLetters, *, limit: int) -> list[str]:
    found, cursor = [], None
    while True:
        page = dead_letters.page("acme", limit=limit, cursor=cursor)
        found += [letter.dead_letter_id for letter in page.dead_letters]
        cursor = page.next_cursor
        if cursor is None:
            return found


class DeadLettersContract:
    """Subclasses give the fixture `dead_letters`: an empty one."""

    def test_letter_can_be_read_and_listed_at_once(self, dead_letters: DeadLetters) -> None:
        dead_letters.put(a_dead_letter())
        assert dead_letters.get("acme", "dead-1") == a_dead_letter()
        assert dead_letters.page("acme", limit=10).dead_letters == (a_dead_letter(),)

    def test_letter_of_another_tenant_is_not_found(self, dead_letters: DeadLetters) -> None:
        dead_letters.put(a_dead_letter())
        with pytest.raises(DeadLetterNotFound):
            dead_letters.get("umbrella", "dead-1")
        with pytest.raises(DeadLetterNotFound):
            dead_letters.remove("umbrella", "dead-1")
        assert dead_letters.page("umbrella", limit=10).dead_letters == ()

    def test_same_id_again_replaces_all_but_the_first_time(self, dead_letters: DeadLetters) -> None:
        dead_letters.put(a_dead_letter())
        again = a_dead_letter(
            first_at=NOON + timedelta(hours=1), last_at=NOON + timedelta(hours=1), attempts=6, code="stalled"
        )
        dead_letters.put(again)
        expected = replace(again, first_at=NOON)
        assert dead_letters.get("acme", "dead-1") == expected
        assert dead_letters.page("acme", limit=10).dead_letters == (expected,)

    def test_parallel_puts_of_one_id_keep_one_letter(self, dead_letters: DeadLetters) -> None:
        outcomes = in_threads(
            10, lambda n: dead_letters.put(a_dead_letter(first_at=NOON + timedelta(seconds=n), attempts=n))
        )
        assert outcomes == [None] * 10
        assert ids(dead_letters, limit=10) == ["dead-1"]

    @pytest.mark.parametrize("limit", [1, 2, 5, 10])
    def test_pages_show_every_letter_once_newest_first(self, dead_letters: DeadLetters, limit: int) -> None:
        for number in range(5):
            letter = a_dead_letter(dead_letter_id=f"dead-{number}", first_at=NOON + timedelta(seconds=number // 2))
            dead_letters.put(letter)
        assert ids(dead_letters, limit=limit) == ["dead-4", "dead-3", "dead-2", "dead-1", "dead-0"]

    def test_removed_letter_is_gone(self, dead_letters: DeadLetters) -> None:
        dead_letters.put(a_dead_letter())
        dead_letters.remove("acme", "dead-1")
        assert ids(dead_letters, limit=10) == []
        with pytest.raises(DeadLetterNotFound):
            dead_letters.remove("acme", "dead-1")

    def test_page_after_a_removed_letter_goes_on(self, dead_letters: DeadLetters) -> None:
        for number in range(4):
            dead_letters.put(a_dead_letter(dead_letter_id=f"dead-{number}", first_at=NOON + timedelta(seconds=number)))
        page = dead_letters.page("acme", limit=2)
        dead_letters.remove("acme", "dead-2")
        rest = dead_letters.page("acme", limit=2, cursor=page.next_cursor)
        assert [letter.dead_letter_id for letter in rest.dead_letters] == ["dead-1", "dead-0"]

    @pytest.mark.parametrize("cursor", ["", "!", "价", "x" * 9000])
    def test_foreign_cursor_is_refused(self, dead_letters: DeadLetters, cursor: str) -> None:
        with pytest.raises(InvalidInput):
            dead_letters.page("acme", limit=10, cursor=cursor)
