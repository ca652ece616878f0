"""Who calls."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

ADMIN = "admin"
OPERATOR = "operator"
EVERYBODY = "*"
"""The mark that everybody in a tenant has."""


@dataclass(frozen=True, slots=True)
class Principal:
    """The authenticated caller; belongs to exactly one tenant."""

    tenant: str
    user_id: str
    roles: frozenset[str] = frozenset()
    workspaces: frozenset[str] = frozenset()
    projects: frozenset[str] = frozenset()

    @property
    def marks(self) -> frozenset[str]:
        """What permissions know the caller by: everybody's mark, its own, and one for each role."""
        return frozenset({EVERYBODY, f"user:{self.user_id}", *(f"role:{role}" for role in self.roles)})

    @property
    def reads_as(self) -> frozenset[str] | None:
        """The marks that a search filters by; None for an admin, who may read whatever its tenant has."""
        return None if self.is_admin else self.marks

    @property
    def is_admin(self) -> bool:
        """Whether the caller may administer its own tenant."""
        return bool(self.roles & {ADMIN, OPERATOR})

    @property
    def is_operator(self) -> bool:
        """Whether the caller may name another tenant."""
        return OPERATOR in self.roles


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it is stored: only its SHA-256, never the key."""

    key_id: str
    key_hash: str
    principal: Principal
    created_at: datetime
    expires_at: datetime | None = None
