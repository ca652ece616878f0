"""Knowledge bases in the Catalog table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from knowledge_base.adapters.aws.expressions import Write, absent, delete, differs, equals, every, present, put, update
from knowledge_base.adapters.aws.items import Key, Plain, encode, from_plain, to_item
from knowledge_base.adapters.aws.refusals import ConditionUnmet
from knowledge_base.adapters.aws.table import READ_BATCH, Table
from knowledge_base.domain.errors import KnowledgeBaseNotFound, NameTaken, StaleState
from knowledge_base.domain.knowledge_bases import Dialect, KnowledgeBase, KnowledgeBaseConfig, KnowledgeBaseStatus
from knowledge_base.ports.clock import Clock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.client import DynamoDBClient

_DELETED = KnowledgeBaseStatus.DELETED
NOT_DELETED = differs("status", _DELETED)
_OPEN = "kb-deleted"


class DynamoDBKnowledgeBases:
    """Holds each knowledge base in one item, and its name in another that makes the name unique."""

    def __init__(self, client: DynamoDBClient, table_name: str, clock: Clock) -> None:
        self._table = Table(client, table_name)
        self._clock = clock

    def create(self, knowledge_base: KnowledgeBase) -> None:
        """Store a new knowledge base.

        Raises:
            NameTaken: one with this dialect and name exists in the tenant.
        """
        kb_id = knowledge_base.kb_id
        name = put(_name_of(knowledge_base), encode({"kb_id": kb_id}), given=absent())
        try:
            self._table.transact([name, put(kb_key(kb_id), to_item(knowledge_base), given=absent())])
        except ConditionUnmet as unmet:
            if 0 in unmet.failed:
                raise NameTaken("a knowledge base with this name exists") from None
            raise StaleState("a knowledge base with this id exists") from None

    def get(self, kb_id: str) -> KnowledgeBase:
        """Return a knowledge base that is not deleted.

        Raises:
            KnowledgeBaseNotFound: there is none.
        """
        found = self._live(kb_id)
        if not found:
            raise KnowledgeBaseNotFound(kb_id)
        return found

    def find(self, tenant: str, dialect: Dialect, name: str) -> KnowledgeBase | None:
        """Return the tenant's knowledge base of this name, None without one."""
        claim = self._table.get(Key.of(_names(tenant, dialect), name))
        return self._live(claim["kb_id"]) if claim else None

    def _live(self, kb_id: str) -> KnowledgeBase | None:
        found = self._table.get(kb_key(kb_id))
        return from_plain(KnowledgeBase, found) if found and found["status"] != _DELETED else None

    def all_of(self, tenant: str, dialect: Dialect) -> Iterator[KnowledgeBase]:
        """Yield the tenant's knowledge bases of one dialect, by name."""
        claims = list(self._table.query(_names(tenant, dialect)))
        for start in range(0, len(claims), READ_BATCH):
            yield from self._in_order(claims[start : start + READ_BATCH])

    def _in_order(self, claims: list[Plain]) -> Iterator[KnowledgeBase]:
        found = {item["kb_id"]: item for item in self._table.get_many(kb_key(claim["kb_id"]) for claim in claims)}
        live = (found[claim["kb_id"]] for claim in claims if claim["kb_id"] in found)
        return (from_plain(KnowledgeBase, item) for item in live if item["status"] != _DELETED)

    def configure(self, knowledge_base: KnowledgeBase, config: KnowledgeBaseConfig) -> KnowledgeBase:
        """Give a knowledge base another configuration, if nothing has been written to it since it was read.

        Raises:
            StaleState: somebody has, or it is deleted.
        """
        change = {"config": config, "updated_at": self._clock.now()}
        unchanged = every(NOT_DELETED, equals("generation", knowledge_base.generation))
        try:
            self._table.write(
                update(kb_key(knowledge_base.kb_id), assign=change, add={"generation": 1}, given=unchanged)
            )
        except ConditionUnmet:
            raise StaleState("the knowledge base has changed meanwhile") from None
        return self.get(knowledge_base.kb_id)

    def mark_deleted(self, knowledge_base: KnowledgeBase) -> None:
        """Mark it as deleted and free its name; what it holds is purged later. Again: nothing happens."""
        with suppress(ConditionUnmet):
            self._table.transact([self._deletion(knowledge_base.kb_id)], [_freed_name(knowledge_base)])

    def _deletion(self, kb_id: str) -> Write:
        now = self._clock.now()
        return update(
            kb_key(kb_id),
            assign={"status": _DELETED, "updated_at": now, "open": _OPEN, "due": int(now.timestamp())},
            add={"generation": 1},
            given=NOT_DELETED,
        )

    def deleted(self) -> Iterator[KnowledgeBase]:
        """Yield knowledge bases that are marked as deleted and not yet purged; may lag by a second."""
        for found in self._table.get_many(self._table.open_keys(_OPEN)):
            yield from_plain(KnowledgeBase, found)

    def erase(self, kb_id: str) -> None:
        """Forget a deleted knowledge base for good.

        Raises:
            StaleState: it is not marked as deleted.
        """
        if self._live(kb_id):
            raise StaleState("the knowledge base is in use")
        for partition in (documents_of(kb_id), claims_of(kb_id), staged_of(kb_id), votes_of(kb_id)):
            self._table.delete_many(_keys(self._table.query(partition)))
        # Last, so that an erasure that broke off is found again.
        self._table.write(delete(kb_key(kb_id)))

    def raise_generation(self, kb_id: str) -> None:
        """Count one more write, so that cached results of before no longer fit."""
        with suppress(ConditionUnmet):
            self._table.write(raised_generation(kb_id))


def raised_generation(kb_id: str) -> Write:
    """Return the write that raises the generation of a knowledge base, if there is one."""
    return update(kb_key(kb_id), add={"generation": 1}, given=present())


def kb_key(kb_id: str) -> Key:
    """Return the key of a knowledge base's item."""
    return Key.of(f"KB#{kb_id}", "META")


def documents_of(kb_id: str) -> str:
    """Return the partition that lists a knowledge base's documents."""
    return f"DOCUMENTS#{kb_id}"


def claims_of(kb_id: str) -> str:
    """Return the partition of the claims in a knowledge base."""
    return f"CLAIMS#{kb_id}"


def staged_of(kb_id: str) -> str:
    """Return the partition of what waits for a knowledge base's next publish."""
    return f"STAGED#{kb_id}"


def votes_of(kb_id: str) -> str:
    """Return the partition of the votes on what searches of a knowledge base found."""
    return f"VOTES#{kb_id}"


def _names(tenant: str, dialect: Dialect) -> str:
    return f"NAMES#{dialect}#{tenant}"


def _name_of(knowledge_base: KnowledgeBase) -> Key:
    return Key.of(_names(knowledge_base.tenant, knowledge_base.dialect), knowledge_base.name)


def _freed_name(knowledge_base: KnowledgeBase) -> Write:
    mine = equals("kb_id", knowledge_base.kb_id)
    return delete(_name_of(knowledge_base), given=mine)


def _keys(items: Iterable[Plain]) -> Iterator[Key]:
    return (Key(item["pk"], item["sk"]) for item in items)
