"""Intakes in DynamoDB."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from knowledge_base.adapters.aws.documents import DynamoDBDocuments
from knowledge_base.adapters.aws.intakes import DynamoDBIntakes
from knowledge_base.domain.documents import Document, Source, Version
from knowledge_base.domain.errors import StaleState
from knowledge_base.domain.intakes import Decision
from knowledge_base.ports.catalog import NEW_AT_ONCE, Acceptance, Claim
from knowledge_base.ports.intakes import Intakes
from tests.aws import emulated_aws
from tests.builders import NOON
from tests.contract.intakes_contract import IntakesContract, an_intake
from tests.fakes import FakeClock

DAY = 24 * 3600


@pytest.fixture
def client() -> Iterator[Any]:
    with emulated_aws() as aws:
        aws.catalog_table()
        yield aws.dynamodb


@pytest.fixture
def intakes(client: Any) -> Intakes:
    return DynamoDBIntakes(client, "catalog", FakeClock())


class TestDynamoDBIntakes(IntakesContract):
    pass


def acceptance(number: int, **changes: Any) -> Acceptance:
    document = Document(f"doc-{number}", "acme", "kb-1", frozenset({f"{number}.txt"}), "ann", NOON, NOON)
    version = Version.accepted(document, Source(f"{number}.txt", "https://a.example", "txt", f"md5 {number}"), NOON)
    claims = (Claim("name", f"{number}.txt"), Claim("content", f"md5 {number}"))
    return Acceptance(document, version, claims, **changes)


def test_as_many_new_documents_as_are_promised_are_decided_in_one_transaction(client: Any, intakes: Intakes) -> None:
    intake = an_intake(count=NEW_AT_ONCE)
    accepted = [acceptance(number, place=intake.place(number)) for number in range(NEW_AT_ONCE)]
    DynamoDBDocuments(client, "catalog", FakeClock()).accept_new(accepted)
    decisions = intakes.decisions([intake.place(number) for number in range(NEW_AT_ONCE)])
    assert decisions == {intake.place(n): Decision(intake.place(n), f"doc-{n}", 1) for n in range(NEW_AT_ONCE)}


def test_a_document_is_not_accepted_at_a_place_that_is_decided(client: Any, intakes: Intakes) -> None:
    intake, documents = an_intake(), DynamoDBDocuments(client, "catalog", FakeClock())
    intakes.decide(Decision(intake.place(0), "another", 1))
    new = acceptance(1, place=intake.place(0))
    with pytest.raises(StaleState):
        documents.accept_new([new])
    with pytest.raises(StaleState):
        documents.accept(new.document, new.version, new.claims, place=new.place)
    assert documents.get_many(["doc-1"]) == {}


def test_everything_of_an_intake_is_forgotten_after_a_week(client: Any, intakes: Intakes) -> None:
    intake = an_intake()
    intakes.add(intake)
    intakes.decide(Decision(intake.place(0), "doc-1", 1))
    items = client.scan(TableName="catalog")["Items"]
    assert {int(item["expires_at"]["N"]) for item in items} == {int(NOON.timestamp()) + 7 * DAY}
    assert len(items) == 3
