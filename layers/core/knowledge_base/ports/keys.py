"""API keys and webhook secrets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from knowledge_base.domain.access import ApiKey


class Keys(Protocol):
    """The API keys, known by the hash of the key."""

    def add(self, key: ApiKey) -> None:
        """Store a key; the same hash again replaces it."""

    def find(self, key_hash: str) -> ApiKey | None:
        """Return the key with this hash, None without one."""

    def of_tenant(self, tenant: str) -> Iterator[ApiKey]:
        """Yield a tenant's keys, oldest first."""

    def remove(self, tenant: str, key_id: str) -> None:
        """Revoke a key.

        Raises:
            KeyNotFound: the tenant has no key with this id.
        """


@dataclass(frozen=True, slots=True)
class WebhookSecrets:
    """A tenant's signing secret, and the one before while it is still valid."""

    current: str
    previous: str = ""
    previous_valid_until: datetime | None = None


class Secrets(Protocol):
    """The tenants' webhook secrets."""

    def get(self, tenant: str) -> WebhookSecrets | None:
        """Return the tenant's secrets, None before the first was made."""

    def put(self, tenant: str, secrets: WebhookSecrets, *, before: WebhookSecrets | None) -> None:
        """Replace the tenant's secrets.

        Raises:
            StaleState: they are no longer as `before`.
        """
