"""Notifications: who wants to hear of an ingestion's end, and the deliveries on their way."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


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


@dataclass(frozen=True, slots=True)
class Delivery:
    """One signed POST, tried until the receiver takes it; its id stays the same on every try.

    `facts` are the JSON that the form's wording is made from; `due` is the second since the epoch
    of the next try.
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
