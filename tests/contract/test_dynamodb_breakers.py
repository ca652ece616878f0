"""Breakers in DynamoDB."""

from __future__ import annotations

import pytest

from knowledge_base.adapters.aws.breakers import DynamoDBBreakers
from tests.aws import emulated_aws, one_at_a_time
from tests.contract.breakers_contract import BreakersContract
from tests.fakes import FakeClock


class TestDynamoDBBreakers(BreakersContract):
    @pytest.fixture
    def breakers(self):
        with emulated_aws() as aws:
            table = aws.runtime_table()
            yield DynamoDBBreakers(one_at_a_time(aws.dynamodb), table, FakeClock())
