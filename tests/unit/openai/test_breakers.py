"""Breakers: closed, open, half-open."""

from __future__ import annotations

import time
from datetime import datetime

import boto3
import pytest
from aws_lambda_powertools.utilities.circuit_breaker.persistence import CircuitBreakerDynamoDBPersistence
from moto import mock_aws

from knowledge_base.adapters.openai import breakers
from knowledge_base.adapters.openai.breakers import Breaker, BreakerOpen, ProcessBreakerStore
from knowledge_base.adapters.openai.embedder import OpenAIEmbedder
from knowledge_base.adapters.openai.endpoint_errors import EndpointDown, RequestRefused
from knowledge_base.domain.errors import EmbedderUnavailable
from tests.scripted_openai import ScriptedOpenAI, fail, vector_of
from tests.unit.openai.endpoints import PACE, an_embedder, an_endpoint


class Calls:
    """Counts calls, which fail while `error` is set."""

    def __init__(self) -> None:
        self.count = 0
        self.error: Exception | None = None

    def __call__(self) -> str:
        self.count += 1
        if self.error:
            raise self.error
        return "fine"


@pytest.fixture
def calls() -> Calls:
    return Calls()


@pytest.fixture
def breaker(request: pytest.FixtureRequest) -> Breaker:
    return Breaker(request.node.name, ProcessBreakerStore())


def fail_three_times(breaker: Breaker, calls: Calls) -> None:
    calls.error = EndpointDown("is broken")
    for _ in range(3):
        with pytest.raises(EndpointDown):
            breaker.call(calls)


def pass_seconds(monkeypatch: pytest.MonkeyPatch, seconds: int) -> None:
    """Let Powertools' clock, and ours, jump."""

    class Later(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return datetime.fromtimestamp(time.time())  # noqa: DTZ006 as Powertools has it

    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + seconds)
    monkeypatch.setattr("aws_lambda_powertools.utilities.circuit_breaker.base.dt.datetime", Later)


def test_three_failures_in_a_row_open_it(breaker: Breaker, calls: Calls) -> None:
    fail_three_times(breaker, calls)

    with pytest.raises(BreakerOpen) as refusal:
        breaker.call(calls)

    assert calls.count == 3
    assert 1 <= refusal.value.retry_after <= breakers.OPEN_SECONDS


def test_a_success_in_between_starts_the_count_anew(breaker: Breaker, calls: Calls) -> None:
    for error in (EndpointDown("a"), EndpointDown("b"), None, EndpointDown("c"), EndpointDown("d")):
        calls.error = error
        if error:
            with pytest.raises(EndpointDown):
                breaker.call(calls)
        else:
            breaker.call(calls)

    calls.error = None
    assert breaker.call(calls) == "fine"


def test_refused_requests_do_not_open_it(breaker: Breaker, calls: Calls) -> None:
    calls.error = RequestRefused(400)

    for _ in range(10):
        with pytest.raises(RequestRefused):
            breaker.call(calls)

    assert calls.count == 10


def test_after_its_time_one_success_closes_it(breaker: Breaker, calls: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_three_times(breaker, calls)
    pass_seconds(monkeypatch, breakers.OPEN_SECONDS + 6)

    calls.error = None

    assert [breaker.call(calls) for _ in range(3)] == ["fine"] * 3


def test_after_its_time_one_failure_opens_it_again(
    breaker: Breaker, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_three_times(breaker, calls)
    pass_seconds(monkeypatch, breakers.OPEN_SECONDS + 6)

    with pytest.raises(EndpointDown):
        breaker.call(calls)
    with pytest.raises(BreakerOpen):
        breaker.call(calls)

    assert calls.count == 4


def test_an_open_breaker_keeps_the_pool_from_asking_and_says_when_to_come_back(
    server: ScriptedOpenAI, waits: list[float]
) -> None:
    embedder = an_embedder(server)
    server.will(fail(500), fail(500), fail(500))
    with pytest.raises(EmbedderUnavailable):
        embedder.embed_query("a")

    with pytest.raises(EmbedderUnavailable) as refusal:
        embedder.embed_query("a")

    assert len(server.requests) == 3
    assert refusal.value.retry_after == pytest.approx(breakers.OPEN_SECONDS, abs=2)


def test_an_open_breaker_sends_everybody_to_the_other_endpoint(server: ScriptedOpenAI, other: ScriptedOpenAI) -> None:
    embedder = OpenAIEmbedder([an_endpoint(server), an_endpoint(other, weight=0)], query_pace=PACE)
    server.will(*[fail(503)] * 9)

    vectors = [embedder.embed_query("a") for _ in range(6)]

    assert vectors == [vector_of("a")] * 6
    assert (len(server.requests), len(other.requests)) == (3, 6)


@mock_aws
def test_a_store_in_a_table_opens_the_breakers_of_other_processes_too(calls: Calls) -> None:
    client = boto3.client("dynamodb", region_name="us-east-1")
    client.create_table(
        TableName="runtime",
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
    )

    def store() -> CircuitBreakerDynamoDBPersistence:
        return CircuitBreakerDynamoDBPersistence(
            "runtime",
            key_attr="pk",
            sort_key_attr="sk",
            static_pk_value="breaker",
            expiry_attr="expires_at",
            boto3_client=client,
        )

    fail_three_times(Breaker("shared", store()), calls)

    with pytest.raises(BreakerOpen):
        Breaker("shared", store()).call(calls)

    item = client.get_item(TableName="runtime", Key={"pk": {"S": "breaker"}, "sk": {"S": "shared"}})["Item"]
    assert item["state"] == {"S": "OPEN"}
    assert int(item["expires_at"]["N"]) > time.time()
