"""What every store of keys and webhook secrets promises."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from knowledge_base.domain.access import ApiKey
from knowledge_base.domain.errors import KeyNotFound, StaleState
from knowledge_base.ports.keys import Keys, Secrets, WebhookSecrets
from tests.aws import in_threads
from tests.builders import NOON, a_principal


def a_key(**changes: Any) -> ApiKey:
    principal = a_principal(roles=frozenset({"admin"}), workspaces=frozenset({"w1", "w2"}))
    return ApiKey(**{"key_id": "key-1", "key_hash": "a" * 64, "principal": principal, "created_at": NOON, **changes})


class KeysContract:
    """Subclasses give the fixture `keys`: an empty one."""

    def test_key_is_found_by_its_hash_only(self, keys: Keys) -> None:
        key = a_key(expires_at=NOON + timedelta(days=1))
        keys.add(key)
        assert keys.find("a" * 64) == key
        assert keys.find("b" * 64) is None
        assert keys.find("key-1") is None

    def test_tenants_keys_come_oldest_first(self, keys: Keys) -> None:
        newer = a_key(key_id="key-2", key_hash="0" * 64, created_at=NOON + timedelta(seconds=1))
        foreign = a_key(key_id="key-3", key_hash="c" * 64, principal=a_principal(tenant="umbrella"))
        for key in (newer, a_key(), foreign):
            keys.add(key)
        assert list(keys.of_tenant("acme")) == [a_key(), newer]
        assert list(keys.of_tenant("umbrella")) == [foreign]

    def test_same_hash_again_replaces_the_key(self, keys: Keys) -> None:
        keys.add(a_key())
        replacement = a_key(key_id="key-2", created_at=NOON + timedelta(days=1))
        keys.add(replacement)
        assert keys.find("a" * 64) == replacement
        assert list(keys.of_tenant("acme")) == [replacement]

    def test_same_hash_for_another_tenant_leaves_the_first(self, keys: Keys) -> None:
        keys.add(a_key())
        keys.add(a_key(principal=a_principal(tenant="umbrella")))
        assert list(keys.of_tenant("acme")) == []
        assert len(list(keys.of_tenant("umbrella"))) == 1

    def test_revoked_key_is_not_found(self, keys: Keys) -> None:
        keys.add(a_key())
        keys.add(a_key(key_id="key-2", key_hash="b" * 64))
        keys.remove("acme", "key-1")
        assert keys.find("a" * 64) is None
        assert [key.key_id for key in keys.of_tenant("acme")] == ["key-2"]
        with pytest.raises(KeyNotFound):
            keys.remove("acme", "key-1")

    def test_key_of_another_tenant_is_not_revoked(self, keys: Keys) -> None:
        keys.add(a_key())
        with pytest.raises(KeyNotFound):
            keys.remove("umbrella", "key-1")
        assert keys.find("a" * 64) == a_key()


class SecretsContract:
    """Subclasses give the fixture `secrets`: an empty one."""

    def test_tenant_has_none_at_first(self, secrets: Secrets) -> None:
        assert secrets.get("acme") is None

    def test_rotation_keeps_the_one_before(self, secrets: Secrets) -> None:
        first = WebhookSecrets("whsec_1")
        rotated = WebhookSecrets("whsec_2", "whsec_1", NOON + timedelta(days=1))
        secrets.put("acme", first, before=None)
        secrets.put("acme", rotated, before=first)
        assert secrets.get("acme") == rotated
        assert secrets.get("umbrella") is None

    def test_rotation_of_what_changed_meanwhile_is_refused(self, secrets: Secrets) -> None:
        first = WebhookSecrets("whsec_1")
        with pytest.raises(StaleState):
            secrets.put("acme", WebhookSecrets("whsec_2"), before=first)
        secrets.put("acme", first, before=None)
        with pytest.raises(StaleState):
            secrets.put("acme", WebhookSecrets("whsec_2"), before=None)
        assert secrets.get("acme") == first

    def test_one_of_many_parallel_rotations_wins(self, secrets: Secrets) -> None:
        outcomes = in_threads(10, lambda n: secrets.put("acme", WebhookSecrets(f"whsec_{n}"), before=None))
        assert outcomes.count(None) == 1
        assert secrets.get("acme") == WebhookSecrets(f"whsec_{outcomes.index(None)}")
