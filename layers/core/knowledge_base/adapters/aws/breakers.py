"""The gateways' breakers in the Runtime table: one item each, replaced only by who has seen its latest turn."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from knowledge_base.adapters.aws.expressions import absent, equals, put
from knowledge_base.adapters.aws.items import Key, encode, from_plain, to_item
from knowledge_base.adapters.aws.refusals import ConditionUnmet
from knowledge_base.adapters.aws.table import Table
from knowledge_base.adapters.aws.tables import EXPIRES_AT
from knowledge_base.domain.breakers import Breaker
from knowledge_base.domain.errors import StaleState
from knowledge_base.ports.clock import Clock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.client import DynamoDBClient

LIFETIME = timedelta(days=1)


class DynamoDBBreakers:
    """Holds each breaker in one item."""

    def __init__(self, client: DynamoDBClient, table_name: str, clock: Clock) -> None:
        self._table = Table(client, table_name)
        self._clock = clock

    def get(self, name: str) -> Breaker:
        """Return the breaker of a name. Consistent."""
        found = self._table.get(_key(name))
        return from_plain(Breaker, found) if found else Breaker()

    def put(self, name: str, breaker: Breaker, *, before: Breaker) -> None:
        """Store a breaker in place of `before`, with the next turn.

        Raises:
            StaleState: another process has changed it since.
        """
        expires_at = int((self._clock.now() + LIFETIME).timestamp())
        item = {**to_item(replace(breaker, turn=before.turn + 1)), **encode({EXPIRES_AT: expires_at})}
        unchanged = equals("turn", before.turn) if before.turn else absent()
        try:
            self._table.write(put(_key(name), item, given=unchanged))
        except ConditionUnmet:
            raise StaleState("the breaker was changed by somebody else") from None


def _key(name: str) -> Key:
    return Key.of(f"BREAKER#{name}", "STATE")
