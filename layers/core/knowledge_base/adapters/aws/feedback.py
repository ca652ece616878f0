"""Feedback in the Catalog table, in the order in which the questions were asked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from knowledge_base.adapters.aws.expressions import put
from knowledge_base.adapters.aws.items import Key, from_plain, moment, to_item
from knowledge_base.adapters.aws.table import Table
from knowledge_base.domain.feedback import Feedback

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.client import DynamoDBClient


class DynamoDBFeedback:
    """Holds each feedback in one item; an answer's place in the order never changes, so there is one for each."""

    def __init__(self, client: DynamoDBClient, table_name: str) -> None:
        self._table = Table(client, table_name)

    def put(self, feedback: Feedback) -> None:
        """Store a feedback; one on the same answer is replaced."""
        key = Key.of(_partition(feedback.tenant), f"{moment(feedback.asked_at)}#{feedback.token}")
        self._table.write(put(key, to_item(feedback)))

    def all_of(self, tenant: str, *, since: datetime | None = None) -> Iterator[Feedback]:
        """Yield a tenant's feedback in the order in which the questions were asked, from a moment on. Consistent."""
        after = moment(since) if since else None
        return (from_plain(Feedback, item) for item in self._table.query(_partition(tenant), after=after))


def _partition(tenant: str) -> str:
    return f"FEEDBACK#{tenant}"
