"""Votes on what searches found, in the Catalog table: an item for each query and text, with who said what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from knowledge_base.adapters.aws.expressions import differs, update
from knowledge_base.adapters.aws.items import Key, Plain
from knowledge_base.adapters.aws.knowledge_bases import kb_key, votes_of
from knowledge_base.adapters.aws.refusals import ConditionUnmet
from knowledge_base.adapters.aws.table import Table
from knowledge_base.domain.errors import KnowledgeBaseNotFound
from knowledge_base.domain.knowledge_bases import KnowledgeBaseStatus
from knowledge_base.domain.relevance import Rating, VotePlace, Votes, VotesByText

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.client import DynamoDBClient

_SETS = {Rating.UP: "up", Rating.DOWN: "down"}


class DynamoDBRelevanceVotes:
    """Keeps the voters of each side as a set, so that a vote that is cast twice counts once."""

    def __init__(self, client: DynamoDBClient, table_name: str) -> None:
        self._table = Table(client, table_name)

    def cast(self, place: VotePlace, voter: str, rating: Rating) -> None:
        """Store a vote in place of the voter's earlier one, and count it at the knowledge base, both or neither."""
        mine = frozenset({voter})
        add = {name: mine for side, name in _SETS.items() if side is rating}
        take = {name: mine for side, name in _SETS.items() if side is not rating}
        key = Key.of(votes_of(place.kb_id), f"{place.query}#{place.text}")
        is_there = differs("status", KnowledgeBaseStatus.DELETED)
        try:
            self._table.transact(
                [update(key, add=add, take=take), update(kb_key(place.kb_id), add={"votes": 1}, given=is_there)]
            )
        except ConditionUnmet:
            raise KnowledgeBaseNotFound(place.kb_id) from None

    def of(self, kb_id: str, query: str) -> VotesByText:
        """Return the votes on a query. Consistent."""
        items = self._table.query(votes_of(kb_id), prefix=f"{query}#")
        return {item["sk"].partition("#")[2]: _votes(item) for item in items}


def _votes(item: Plain) -> Votes:
    return Votes(len(item.get("up", ())), len(item.get("down", ())))
