"""Dead letters in DynamoDB."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from knowledge_base.adapters.aws.dead_letters import DynamoDBDeadLetters
from tests.aws import Intercepted, emulated_aws, one_at_a_time
from tests.builders import NOON
from tests.contract.dead_letters_contract import DeadLettersContract, a_dead_letter, ids


@pytest.fixture
def client() -> Iterator[Any]:
    with emulated_aws() as aws:
        aws.catalog_table()
        yield one_at_a_time(aws.dynamodb)


@pytest.fixture
def dead_letters(client: Any) -> DynamoDBDeadLetters:
    return DynamoDBDeadLetters(client, "catalog")


class TestDynamoDBDeadLetters(DeadLettersContract):
    pass


def test_letter_that_another_puts_first_keeps_the_others_first_time(
    client: Any, dead_letters: DynamoDBDeadLetters
) -> None:
    rivals = [a_dead_letter(first_at=NOON + timedelta(seconds=9))]

    def overtaken(operation: str, call: Callable[[], Any]) -> Any:
        reply = call()
        if operation == "get_item" and rivals:
            dead_letters.put(rivals.pop())
        return reply

    letter = a_dead_letter(attempts=5)
    DynamoDBDeadLetters(Intercepted(client, overtaken), "catalog").put(letter)
    assert dead_letters.get("acme", "dead-1") == replace(letter, first_at=NOON + timedelta(seconds=9))
    assert ids(dead_letters, limit=1) == ["dead-1"]
