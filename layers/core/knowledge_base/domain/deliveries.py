"""Notifications: who wants to hear of an ingestion's end, and the deliveries on their way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from knowledge_base.domain.deadlines import SUBSCRIPTION, due_in
from knowledge_base.domain.documents import Source, Version


class DeliveryState(StrEnum):
    """Where a delivery stands."""

    PENDING = "pending"
    DELIVERED = "delivered"
    DEAD = "dead"


class DeliveryForm(StrEnum):
    """What is told, and in whose words."""

    URAN_DOCUMENT_STATUS = "uran.document_status"
    URAN_ANSWER = "uran.answer"


@dataclass(frozen=True, slots=True)
class Subscription:
    """The wish of one call to hear, at `url`, how one version ended; in the words of that call."""

    subscription_id: str
    document_id: str
    ordinal: int
    tenant: str
    url: str
    name: str
    declared_type: str
    source_url: str
    md5: str
    repository: str
    due: int

    @classmethod
    def to(cls, version: Version, source: Source, *, subscription_id: str, url: str, repository: str) -> Subscription:
        """Return the wish to hear how a version ended, in the words by which `source` was asked for."""
        return cls(
            subscription_id=subscription_id,
            document_id=version.document_id,
            ordinal=version.ordinal,
            tenant=version.tenant,
            url=url,
            name=source.name,
            declared_type=source.declared_type,
            source_url=source.url,
            md5=source.md5,
            repository=repository,
            due=int(version.accepted_at.timestamp()) + SUBSCRIPTION,
        )


MOST_TRIES = 20
"""Of so many last tries a delivery tells."""


@dataclass(frozen=True, slots=True)
class Try:
    """One POST of a delivery: when, what was wrong with it (empty: nothing), and how long it took."""

    at: datetime
    error: str
    milliseconds: int


@dataclass(frozen=True, slots=True)
class Delivery:
    """One signed POST, tried until the receiver takes it; its id stays the same on every try.

    `facts` are the JSON that the form's wording is made from; `due` is the second since the epoch
    of the next try. `attempts` count from the last time that somebody had it sent again, `tries` tell of all.
    """

    delivery_id: str
    tenant: str
    url: str
    form: DeliveryForm
    facts: str
    created_at: datetime
    due: int
    attempts: int = 0
    state: DeliveryState = DeliveryState.PENDING
    last_error: str = ""
    tries: tuple[Try, ...] = ()

    def tried(self, done: Try) -> Delivery:
        """Return the delivery with one more try to tell of."""
        return replace(self, tries=(*self.tries, done)[-MOST_TRIES:], last_error=done.error)

    def again(self, now: datetime) -> Delivery:
        """Return the delivery as it is about to be sent anew, under its old id."""
        return replace(self, state=DeliveryState.PENDING, attempts=0, due=due_in(0, now))
