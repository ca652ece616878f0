"""Dead letters in the Catalog table."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from knowledge_base.adapters.aws.cursors import decode_cursor, encode_cursor
from knowledge_base.adapters.aws.expressions import absent, delete, equals, put
from knowledge_base.adapters.aws.items import Key, encode, from_plain, moment, to_item
from knowledge_base.adapters.aws.refusals import ConditionUnmet
from knowledge_base.adapters.aws.table import Table
from knowledge_base.domain.dead_letters import DeadLetter
from knowledge_base.domain.errors import DeadLetterNotFound
from knowledge_base.ports.dead_letters import DeadLetterPage

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.client import DynamoDBClient


class DynamoDBDeadLetters:
    """Holds each letter under its id, and its id in the tenant's order by `first_at`, which never changes."""

    def __init__(self, client: DynamoDBClient, table_name: str) -> None:
        self._table = Table(client, table_name)

    def put(self, dead_letter: DeadLetter) -> None:
        """Store a dead letter; one with the same id is replaced, its `first_at` kept."""
        while True:
            before = self._find(dead_letter.tenant, dead_letter.dead_letter_id)
            try:
                return self._replace(before, dead_letter) if before else self._add(dead_letter)
            except ConditionUnmet:  # somebody else added or removed it in between
                continue

    def _add(self, letter: DeadLetter) -> None:
        order = put(_ordered(letter), encode({"dead_letter_id": letter.dead_letter_id}))
        self._table.transact([put(_key(letter.tenant, letter.dead_letter_id), to_item(letter), given=absent()), order])

    def _replace(self, before: DeadLetter, letter: DeadLetter) -> None:
        kept = replace(letter, first_at=before.first_at)
        same = equals("first_at", before.first_at)
        self._table.write(put(_key(letter.tenant, letter.dead_letter_id), to_item(kept), given=same))

    def get(self, tenant: str, dead_letter_id: str) -> DeadLetter:
        """Return a tenant's dead letter.

        Raises:
            DeadLetterNotFound: there is none.
        """
        found = self._find(tenant, dead_letter_id)
        if not found:
            raise DeadLetterNotFound(dead_letter_id)
        return found

    def _find(self, tenant: str, dead_letter_id: str) -> DeadLetter | None:
        found = self._table.get(_key(tenant, dead_letter_id))
        return from_plain(DeadLetter, found) if found else None

    def page(self, tenant: str, *, limit: int, cursor: str | None = None) -> DeadLetterPage:
        """Return a tenant's dead letters.

        Raises:
            InvalidInput: the cursor is not one of ours.
        """
        before = decode_cursor(cursor) if cursor is not None else None
        order = self._table.query(f"DEAD-ORDER#{tenant}", before=before, descending=True, page_size=limit + 1)
        rows = list(islice(order, limit + 1))
        more = len(rows) > limit
        letters = self._letters(tenant, [row["dead_letter_id"] for row in rows[:limit]])
        return DeadLetterPage(tuple(letters), encode_cursor(rows[limit - 1]["sk"]) if more else None)

    def _letters(self, tenant: str, ids: list[str]) -> list[DeadLetter]:
        found = self._table.get_many(_key(tenant, dead_letter_id) for dead_letter_id in ids)
        letters = {item["dead_letter_id"]: from_plain(DeadLetter, item) for item in found}
        return [letters[dead_letter_id] for dead_letter_id in ids if dead_letter_id in letters]

    def remove(self, tenant: str, dead_letter_id: str) -> None:
        """Forget a dead letter.

        Raises:
            DeadLetterNotFound: there is none.
        """
        letter = self.get(tenant, dead_letter_id)
        self._table.transact([delete(_key(tenant, dead_letter_id)), delete(_ordered(letter))])


def _key(tenant: str, dead_letter_id: str) -> Key:
    return Key.of(f"DEAD#{tenant}", dead_letter_id)


def _ordered(letter: DeadLetter) -> Key:
    return Key.of(f"DEAD-ORDER#{letter.tenant}", f"{moment(letter.first_at)}#{letter.dead_letter_id}")
