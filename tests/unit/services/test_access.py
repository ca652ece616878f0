"""Who is let in, and what keys may give away."""

from __future__ import annotations

from datetime import timedelta

import pytest

from knowledge_base.domain.access import Principal
from knowledge_base.domain.errors import InvalidInput, KeyNotFound, NotAuthenticated, NotPermitted
from knowledge_base.services import access as access_module
from tests.builders import a_principal
from tests.world import World

OPERATOR = a_principal(user_id="root", roles=frozenset({"operator"}))
ADMIN = a_principal(user_id="chief", roles=frozenset({"admin"}))


def test_both_headers_prove_the_same_caller(world: World) -> None:
    key = world.container.access.create_key(ADMIN, a_principal(user_id="bob")).key
    by_bearer = world.container.access.authenticate({"authorization": f"bearer {key}"})
    by_header = world.container.access.authenticate({"x-api-key": key})
    assert by_bearer == by_header == a_principal(user_id="bob")


@pytest.mark.parametrize(
    "headers",
    [{}, {"authorization": ""}, {"authorization": "Basic abc"}, {"authorization": "Bearer "}, {"x-api-key": "wrong"}],
)
def test_anything_else_proves_nothing(world: World, headers: dict[str, str]) -> None:
    with pytest.raises(NotAuthenticated):
        world.container.access.authenticate(headers)


def test_the_key_itself_is_stored_nowhere(world: World) -> None:
    key = world.container.access.create_key(ADMIN, a_principal()).key
    items = world.stores._aws.dynamodb.scan(TableName="catalog")["Items"]
    assert key not in str(items)


def test_an_expired_key_proves_nothing(world: World) -> None:
    expires_at = world.clock.now() + timedelta(seconds=10)
    key = world.container.access.create_key(ADMIN, a_principal(), expires_at=expires_at).key
    world.container.access.authenticate({"x-api-key": key})
    world.clock.pass_seconds(10)
    with pytest.raises(NotAuthenticated):
        world.container.access.authenticate({"x-api-key": key})


def test_a_key_cannot_be_made_expired(world: World) -> None:
    with pytest.raises(InvalidInput):
        world.container.access.create_key(ADMIN, a_principal(), expires_at=world.clock.now())


def test_a_revoked_key_is_believed_for_seconds_only(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    made = world.container.access.create_key(ADMIN, a_principal())
    world.container.access.authenticate({"x-api-key": made.key})
    world.stores.keys.remove("acme", made.key_id)
    now = access_module.time.monotonic()
    monkeypatch.setattr(access_module.time, "monotonic", lambda: now + access_module.REMEMBERED_SECONDS + 1)
    with pytest.raises(NotAuthenticated):
        world.container.access.authenticate({"x-api-key": made.key})


@pytest.mark.parametrize(
    ("caller", "wanted"),
    [
        (a_principal(), a_principal(user_id="bob")),
        (ADMIN, a_principal(tenant="other")),
        (ADMIN, a_principal(roles=frozenset({"operator"}))),
    ],
    ids=["no admin", "another tenant", "an operator"],
)
def test_nobody_gives_away_more_than_they_may(world: World, caller: Principal, wanted: Principal) -> None:
    with pytest.raises(NotPermitted):
        world.container.access.create_key(caller, wanted)


def test_an_operator_may_name_another_tenant(world: World) -> None:
    key = world.container.access.create_key(OPERATOR, a_principal(tenant="other")).key
    assert world.container.access.authenticate({"x-api-key": key}).tenant == "other"


def test_keys_are_listed_and_revoked_within_the_tenant_only(world: World) -> None:
    mine = world.container.access.create_key(ADMIN, a_principal(user_id="bob"))
    theirs = world.container.access.create_key(OPERATOR, a_principal(tenant="other", user_id="eve"))
    assert [key.key_id for key in world.container.access.keys_of(ADMIN)] == [mine.key_id]
    with pytest.raises(KeyNotFound):
        world.container.access.revoke_key(ADMIN, theirs.key_id)
