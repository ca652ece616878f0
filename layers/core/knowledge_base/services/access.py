"""Who calls: API keys, checked in the process of every function."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from knowledge_base.domain.access import ApiKey, Principal
from knowledge_base.domain.errors import InvalidInput, NotAuthenticated, NotPermitted
from knowledge_base.domain.ids import new_id
from knowledge_base.ports.clock import Clock
from knowledge_base.ports.keys import Keys

REMEMBERED_SECONDS = 5.0
"""A looked-up key is believed for so long: the most that a revocation takes to hold everywhere."""

_MAX_REMEMBERED = 1_000


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made; `key` is shown this once and stored nowhere."""

    key_id: str
    key: str


class Access:
    """Authenticates callers and keeps the keys."""

    def __init__(self, *, keys: Keys, clock: Clock) -> None:
        self._keys = keys
        self._clock = clock
        self._remembered: dict[str, tuple[float, ApiKey]] = {}

    def authenticate(self, headers: Mapping[str, str]) -> Principal:
        """Return the caller that `Authorization: Bearer …` or `X-Api-Key` (names in lower case) proves.

        Raises:
            NotAuthenticated: there is no key, or an unknown, expired or revoked one.
        """
        key = self._look_up(hash_key(_presented(headers)))
        if key is None or (key.expires_at and key.expires_at <= self._clock.now()):
            raise NotAuthenticated("the API key is missing, unknown or expired")
        return key.principal

    def create_key(
        self, caller: Principal, principal: Principal, *, expires_at: datetime | None = None, key: str = ""
    ) -> NewKey:
        """Make a key for a principal of the caller's tenant; an operator may name any tenant and role.

        Raises:
            NotPermitted: the caller may not give this away.
            InvalidInput: it has expired already.
        """
        self._check_may_give(caller, principal)
        now = self._clock.now()
        if expires_at and expires_at <= now:
            raise InvalidInput("expires_at is in the past", field="expires_at")
        secret = key or f"kb_{secrets.token_urlsafe(32)}"
        stored = ApiKey(new_id(), hash_key(secret), principal, now, expires_at)
        self._keys.add(stored)
        return NewKey(stored.key_id, secret)

    def keys_of(self, caller: Principal) -> Iterator[ApiKey]:
        """Yield the keys of the caller's tenant.

        Raises:
            NotPermitted: the caller is no admin.
        """
        require_admin(caller)
        return self._keys.of_tenant(caller.tenant)

    def revoke_key(self, caller: Principal, key_id: str) -> None:
        """Revoke a key of the caller's tenant.

        Raises:
            NotPermitted: the caller is no admin.
            KeyNotFound: the tenant has no such key.
        """
        require_admin(caller)
        self._keys.remove(caller.tenant, key_id)
        self._remembered.clear()

    def _check_may_give(self, caller: Principal, principal: Principal) -> None:
        require_admin(caller)
        if caller.is_operator:
            return
        if principal.tenant != caller.tenant:
            raise NotPermitted("only an operator may name another tenant")
        if principal.is_operator:
            raise NotPermitted("only an operator may make operators")

    def _look_up(self, key_hash: str) -> ApiKey | None:
        seen = self._remembered.get(key_hash)
        now = time.monotonic()
        if seen and seen[0] > now:
            return seen[1]
        key = self._keys.find(key_hash)
        if len(self._remembered) >= _MAX_REMEMBERED:
            self._remembered.clear()
        if key:
            self._remembered[key_hash] = (now + REMEMBERED_SECONDS, key)
        return key


def require_admin(caller: Principal) -> None:
    """Let only admins and operators pass.

    Raises:
        NotPermitted: the caller is neither.
    """
    if not caller.is_admin:
        raise NotPermitted("this needs the role admin")


def hash_key(key: str) -> str:
    """Return what is stored of a key: keys are random, so one round of SHA-256 suffices."""
    return hashlib.sha256(key.encode()).hexdigest()


def _presented(headers: Mapping[str, str]) -> str:
    scheme, _, credentials = headers.get("authorization", "").partition(" ")
    key = credentials.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "").strip()
    if not key:
        raise NotAuthenticated("send an API key as 'Authorization: Bearer …' or 'X-Api-Key'")
    return key
