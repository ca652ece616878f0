"""What waits to be published, and who publishes, in the Catalog table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from knowledge_base.adapters.aws.expressions import Write, absent, delete, either, equals, every, put, up_to, update
from knowledge_base.adapters.aws.items import Key, encode, from_plain, to_item
from knowledge_base.adapters.aws.knowledge_bases import NOT_DELETED, kb_key, staged_of
from knowledge_base.adapters.aws.refusals import ConditionUnmet
from knowledge_base.adapters.aws.table import Table
from knowledge_base.domain.errors import KnowledgeBaseNotFound, StaleState
from knowledge_base.domain.knowledge_bases import KnowledgeBaseStatus
from knowledge_base.ports.catalog import Publication, Purge, Staged
from knowledge_base.ports.clock import Clock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.client import DynamoDBClient

_STAGED, _PURGE = "staged", "purge"
_CLAIM, _CLAIMED_UNTIL = "publisher", "publisher_until"


class DynamoDBPublications:
    """Holds an item for each thing that waits, and the publisher's claim in the knowledge base's own item."""

    def __init__(self, client: DynamoDBClient, table_name: str, clock: Clock) -> None:
        self._table = Table(client, table_name)
        self._clock = clock

    def stage(self, kb_id: str, staged: Staged) -> None:
        """Add to what waits; twice changes nothing."""
        with suppress(ConditionUnmet):
            self._table.write(new_staged(kb_id, staged, self._clock.now()))

    def staged(self, kb_id: str, *, limit: int) -> list[Staged]:
        """Return what waits, removals first."""
        waiting = self._table.query(staged_of(kb_id), page_size=limit)
        return [from_plain(Staged, item) for item in islice(waiting, limit)]

    def waiting(self) -> Iterator[str]:
        """Yield the knowledge bases in which something waits; may lag by a second."""
        partitions = dict.fromkeys(key.pk for key in self._table.open_keys(_STAGED))
        return (partition.removeprefix(staged_of("")) for partition in partitions)

    def unstage(self, kb_id: str, staged: Staged) -> None:
        """Take away from what waits; twice changes nothing."""
        self._table.write(delete(_key(kb_id, staged)))

    def begin(self, kb_id: str, *, token: str, now: int, lease: int) -> Publication:
        """Claim the knowledge base for `lease` seconds, for its present revision + 1.

        `taken_over` says that an earlier claim ran out unfinished: its writes under this revision
        have to be undone first.

        Raises:
            StaleState: another publisher holds the claim.
            KnowledgeBaseNotFound: the knowledge base is deleted.
        """
        # One's own claim counts as run out: it is met when the reply to the first try was lost.
        free = either(absent(_CLAIM), up_to(_CLAIMED_UNTIL, now), equals(_CLAIM, token))
        claim = {_CLAIM: token, _CLAIMED_UNTIL: now + lease}
        try:
            claimed = update(kb_key(kb_id), assign=claim, given=every(NOT_DELETED, free))
            before = self._table.write(claimed, returning="ALL_OLD")
        except ConditionUnmet as unmet:
            if unmet.stored.get("status", KnowledgeBaseStatus.DELETED) == KnowledgeBaseStatus.DELETED:
                raise KnowledgeBaseNotFound(kb_id) from None
            raise StaleState("another publisher is at work") from None
        return Publication(kb_id, token, before["revision"] + 1, taken_over=_CLAIM in before)

    def commit(self, publication: Publication) -> None:
        """Raise revision and generation and end the claim, in one conditional write.

        Raises:
            StaleState: the claim ran out and was taken over.
        """
        # A transaction, although of one write: it may be sent twice without being done twice.
        try:
            self._table.transact([self._raised_revision(publication)])
        except ConditionUnmet:
            raise StaleState("another publisher took over") from None

    def _raised_revision(self, publication: Publication) -> Write:
        return update(
            kb_key(publication.kb_id),
            assign={"revision": publication.revision, "updated_at": self._clock.now()},
            add={"generation": 1},
            remove=[_CLAIM, _CLAIMED_UNTIL],
            given=equals(_CLAIM, publication.token),
        )

    def abandon(self, publication: Publication) -> None:
        """End the claim without raising the revision, after everything under it was undone."""
        ended = update(
            kb_key(publication.kb_id),
            remove=[_CLAIM, _CLAIMED_UNTIL],
            given=equals(_CLAIM, publication.token),
        )
        with suppress(ConditionUnmet):
            self._table.write(ended)

    def schedule_purge(self, purge: Purge) -> None:
        """Remember what to purge later; twice changes nothing."""
        item = {**to_item(purge), **encode({"open": _PURGE})}
        with suppress(ConditionUnmet):
            self._table.write(put(_purge(purge), item, given=absent()))

    def due_purges(self, now: int, *, limit: int) -> list[Purge]:
        """Return purges whose time has come; may lag by a second."""
        return [from_plain(Purge, item) for item in self._table.overdue(_PURGE, now, limit=limit)]

    def finish_purge(self, purge: Purge) -> None:
        """Forget a purge that is done."""
        self._table.write(delete(_purge(purge)))


def new_staged(kb_id: str, staged: Staged, since: datetime) -> Write:
    """Return the write that adds to what waits, unless it does already."""
    index = encode({"open": _STAGED, "due": int(since.timestamp())})
    return put(_key(kb_id, staged), {**to_item(staged), **index}, given=absent())


def _key(kb_id: str, staged: Staged) -> Key:
    rank = 0 if staged.removal else 1
    return Key.of(staged_of(kb_id), f"{rank}#{staged.document_id}#{staged.ordinal:010d}")


def _purge(purge: Purge) -> Key:
    return Key.of(f"PURGES#{purge.kb_id}", f"{purge.revision:010d}#{purge.document_id}")
