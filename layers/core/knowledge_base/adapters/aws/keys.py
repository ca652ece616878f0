"""API keys and webhook secrets in the Catalog table."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import TYPE_CHECKING

from knowledge_base.adapters.aws.expressions import absent, delete, equals, every, put
from knowledge_base.adapters.aws.items import Key, from_plain, to_item
from knowledge_base.adapters.aws.refusals import ConditionUnmet
from knowledge_base.adapters.aws.table import Table
from knowledge_base.domain.access import ApiKey
from knowledge_base.domain.errors import KeyNotFound, StaleState
from knowledge_base.ports.keys import WebhookSecrets

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.client import DynamoDBClient


class DynamoDBKeys:
    """Holds each key twice: under its hash, and in its tenant's list."""

    def __init__(self, client: DynamoDBClient, table_name: str) -> None:
        self._table = Table(client, table_name)

    def add(self, key: ApiKey) -> None:
        """Store a key; the same hash again replaces it."""
        before = self.find(key.key_hash)
        tenant = key.principal.tenant
        writes = [put(_by_hash(key.key_hash), to_item(key)), put(_listed(tenant, key.key_hash), to_item(key))]
        if before and before.principal.tenant != tenant:
            writes.append(delete(_listed(before.principal.tenant, key.key_hash)))
        self._table.transact(writes)

    def find(self, key_hash: str) -> ApiKey | None:
        """Return the key with this hash, None without one."""
        found = self._table.get(_by_hash(key_hash))
        return from_plain(ApiKey, found) if found else None

    def of_tenant(self, tenant: str) -> Iterator[ApiKey]:
        """Yield a tenant's keys, oldest first."""
        keys = (from_plain(ApiKey, item) for item in self._table.query(_list_of(tenant)))
        yield from sorted(keys, key=attrgetter("created_at", "key_id"))

    def remove(self, tenant: str, key_id: str) -> None:
        """Revoke a key.

        Raises:
            KeyNotFound: the tenant has no key with this id.
        """
        key_hash = next((key.key_hash for key in self.of_tenant(tenant) if key.key_id == key_id), None)
        if key_hash is None:
            raise KeyNotFound(key_id)
        self._table.transact([delete(_by_hash(key_hash)), delete(_listed(tenant, key_hash))])


class DynamoDBSecrets:
    """Holds one item with the secrets of each tenant."""

    def __init__(self, client: DynamoDBClient, table_name: str) -> None:
        self._table = Table(client, table_name)

    def get(self, tenant: str) -> WebhookSecrets | None:
        """Return the tenant's secrets, None before the first was made."""
        found = self._table.get(_secrets(tenant))
        return from_plain(WebhookSecrets, found) if found else None

    def put(self, tenant: str, secrets: WebhookSecrets, *, before: WebhookSecrets | None) -> None:
        """Replace the tenant's secrets.

        Raises:
            StaleState: they are no longer as `before`.
        """
        unchanged = (
            every(equals("current", before.current), equals("previous", before.previous)) if before else absent()
        )
        try:
            self._table.write(put(_secrets(tenant), to_item(secrets), given=unchanged))
        except ConditionUnmet:
            raise StaleState("the webhook secret was changed by somebody else") from None


def _by_hash(key_hash: str) -> Key:
    return Key.of(f"KEY#{key_hash}", "META")


def _listed(tenant: str, key_hash: str) -> Key:
    return Key.of(_list_of(tenant), key_hash)


def _list_of(tenant: str) -> str:
    return f"KEYS#{tenant}"


def _secrets(tenant: str) -> Key:
    return Key.of(f"SECRETS#{tenant}", "META")
