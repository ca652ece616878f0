"""A DynamoDB table, as the adapters of this package use it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from operator import itemgetter
from time import sleep
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from botocore.exceptions import ClientError

from knowledge_base.adapters.aws.expressions import (
    Aliases,
    Condition,
    Write,
    above,
    below,
    equals,
    every,
    starts_with,
    up_to,
)
from knowledge_base.adapters.aws.items import Attribute, Item, Key, Plain, fit, to_plain
from knowledge_base.adapters.aws.refusals import ConditionUnmet, Refusal
from knowledge_base.adapters.aws.tables import OPEN_INDEX
from knowledge_base.domain.errors import Overloaded, PayloadTooLarge

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.client import DynamoDBClient

T = TypeVar("T")

MAX_ITEM_BYTES = 400 * 1024
READ_BATCH, WRITE_BATCH = 100, 25
TRIES = 10
FIRST_PAUSE, LONGEST_PAUSE = 0.02, 1.0


class Table:
    """Reads consistently, writes conditionally, and outlasts collisions with other writers.

    A write that collides with a transaction is tried again, so `ConditionUnmet` always means that a
    condition really failed. Every method raises `Overloaded` when the table does not keep up.
    """

    def __init__(self, client: DynamoDBClient, name: str) -> None:
        self._client = client
        self._name = name

    def get(self, key: Key) -> Plain | None:
        """Return an item, None without one."""
        reply = _outlast(
            partial(self._client.get_item, TableName=self._name, Key=key.attributes(), ConsistentRead=True)
        )
        return to_plain(reply["Item"]) if "Item" in reply else None

    def get_many(self, keys: Iterable[Key]) -> list[Plain]:
        """Return those items that exist, in any order, in one round trip for each hundred."""
        wanted = [key.attributes() for key in dict.fromkeys(keys)]
        return [to_plain(item) for batch in _batches(wanted, READ_BATCH) for item in self._get_batch(batch)]

    def _get_batch(self, keys: list[Item]) -> Iterator[Item]:
        left: Any = {self._name: {"Keys": keys, "ConsistentRead": True}}
        for pause in _pauses():
            reply = _outlast(partial(self._client.batch_get_item, RequestItems=left))
            yield from reply["Responses"].get(self._name, [])
            left = reply.get("UnprocessedKeys")
            if not left:
                return
            sleep(pause)
        raise _overloaded()

    def query(
        self,
        pk: str,
        *,
        after: str | None = None,
        before: str | None = None,
        prefix: str | None = None,
        descending: bool = False,
        page_size: int | None = None,
    ) -> Iterator[Plain]:
        """Yield the items of a partition in order of their sort keys: those after or before one, or with a prefix."""
        edges = (
            above("sk", after) if after is not None else None,
            below("sk", before) if before is not None else None,
            starts_with("sk", prefix) if prefix is not None else None,
        )
        request = _where(every(equals("pk", fit(pk)), *(edge for edge in edges if edge)))
        limit = {"Limit": page_size} if page_size else {}
        return self._pages({**request, **limit, "ConsistentRead": True, "ScanIndexForward": not descending})

    def open_keys(self, kind: str, *, until: int | None = None, page_size: int | None = None) -> Iterator[Key]:
        """Yield the keys of what is open, the longest due first; may lag by a second."""
        due = [up_to("due", until)] if until is not None else []
        limit = {"Limit": page_size} if page_size else {}
        for item in self._pages({"IndexName": OPEN_INDEX, **_where(every(equals("open", kind), *due)), **limit}):
            yield Key(item["pk"], item["sk"])

    def overdue(self, kind: str, now: int, *, limit: int) -> list[Plain]:
        """Return what is open and due, the longest due first; what is missing may lag by a second."""
        keys = islice(self.open_keys(kind, until=now, page_size=limit), limit)
        still = [item for item in self.get_many(keys) if item.get("open") == kind and item["due"] <= now]
        return sorted(still, key=itemgetter("due"))

    def _pages(self, request: dict[str, Any]) -> Iterator[Plain]:
        start: dict[str, Any] = {}
        while True:
            page = _outlast(partial(self._client.query, TableName=self._name, **request, **start))
            yield from map(to_plain, page["Items"])
            if "LastEvaluatedKey" not in page:
                return
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    def write(self, write: Write, *, returning: Literal["NONE", "ALL_OLD", "ALL_NEW"] = "NONE") -> Plain:
        """Do one write; return the item as it was before or is after it.

        Raises:
            ConditionUnmet: the write's condition does not hold.
            PayloadTooLarge: the item is larger than DynamoDB stores.
        """
        calls: dict[str, Callable[..., Any]] = {
            "Put": self._client.put_item,
            "Update": self._client.update_item,
            "Delete": self._client.delete_item,
        }
        answers = {"ReturnValues": returning}
        if "ConditionExpression" in write.parameters:
            answers["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        reply = _outlast(partial(calls[write.action], TableName=self._name, **write.parameters, **answers))
        return to_plain(reply.get("Attributes", {}))

    def transact(self, required: Sequence[Write], optional: Sequence[Write] = ()) -> None:
        """Do all required writes together with those optional ones whose conditions hold.

        Raises:
            ConditionUnmet: the condition of a required write does not hold; nothing is written.
            PayloadTooLarge: an item is larger than DynamoDB stores.
        """
        left = list(optional)
        while True:
            try:
                return self._transact([*required, *left])
            except ConditionUnmet as unmet:
                if min(unmet.failed) < len(required):
                    raise
                left = [write for place, write in enumerate(left, len(required)) if place not in unmet.failed]

    def _transact(self, writes: list[Write]) -> None:
        if not writes:
            return
        items: Any = [{write.action: {"TableName": self._name, **write.parameters}} for write in writes]
        _outlast(partial(self._client.transact_write_items, TransactItems=items))

    def delete_many(self, keys: Iterable[Key]) -> None:
        """Delete items, one by one in any order."""
        requests = [{"DeleteRequest": {"Key": key.attributes()}} for key in dict.fromkeys(keys)]
        for batch in _batches(requests, WRITE_BATCH):
            self._write_batch(batch)

    def _write_batch(self, requests: list[Attribute]) -> None:
        left: Any = {self._name: requests}
        for pause in _pauses():
            left = _outlast(partial(self._client.batch_write_item, RequestItems=left)).get("UnprocessedItems")
            if not left:
                return
            sleep(pause)
        raise _overloaded()


def _outlast(call: Callable[[], T]) -> T:
    for pause in _pauses():
        try:
            return call()
        except ClientError as error:
            _raise_unless_collision(error)
        sleep(pause)
    raise _overloaded()


def _raise_unless_collision(error: ClientError) -> None:
    refusal = Refusal(error)
    if unmet := refusal.unmet():
        raise unmet from None
    if refusal.is_too_large():
        raise PayloadTooLarge(MAX_ITEM_BYTES) from None
    if refusal.is_throttling():
        raise _overloaded() from error
    if not refusal.is_collision():
        raise error


def _pauses() -> Iterator[float]:
    for turn in range(TRIES):
        yield random.uniform(0, min(LONGEST_PAUSE, FIRST_PAUSE * 2**turn))  # noqa: S311 - spreads tries, hides nothing


def _overloaded() -> Overloaded:
    return Overloaded("too many writes at once", retry_after=1)


def _where(condition: Condition) -> dict[str, Any]:
    aliases = Aliases()
    return {"KeyConditionExpression": condition(aliases), **aliases.parameters()}


def _batches(elements: list[Attribute], size: int) -> Iterator[list[Attribute]]:
    return (elements[start : start + size] for start in range(0, len(elements), size))
