"""Keys and webhook secrets in DynamoDB."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from knowledge_base.adapters.aws.keys import DynamoDBKeys, DynamoDBSecrets
from tests.aws import emulated_aws, one_at_a_time
from tests.contract.keys_contract import KeysContract, SecretsContract


@pytest.fixture
def client() -> Iterator[Any]:
    with emulated_aws() as aws:
        aws.catalog_table()
        yield one_at_a_time(aws.dynamodb)


class TestDynamoDBKeys(KeysContract):
    @pytest.fixture
    def keys(self, client: Any) -> DynamoDBKeys:
        return DynamoDBKeys(client, "catalog")


class TestDynamoDBSecrets(SecretsContract):
    @pytest.fixture
    def secrets(self, client: Any) -> DynamoDBSecrets:
        return DynamoDBSecrets(client, "catalog")
