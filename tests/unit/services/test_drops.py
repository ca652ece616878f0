"""The drop bucket and the documents agree, in the order of the sequencers."""

from __future__ import annotations

import itertools

import pytest

from knowledge_base.domain.documents import IngestionState
from knowledge_base.domain.knowledge_bases import Dialect
from knowledge_base.services.drops import DropEvent
from tests.unit.services.test_ingestion import texts
from tests.world import World

KEY = "acme/handbook/manuals/pump.txt"


def drop(world: World, text: str | None, sequencer: str) -> DropEvent:
    """Put a file into the bucket, or take it away, and return the event of it."""
    if text is None:
        world.objects.other_buckets["drops"].pop(KEY, None)
    else:
        world.objects.other_buckets["drops"][KEY] = text.encode()
    return DropEvent("drops", KEY, sequencer, removed=text is None)


def test_a_dropped_file_becomes_a_document_named_by_its_path(world: World) -> None:
    world.container.drops.handle(drop(world, "The pump.", "01"))
    world.run()
    kb = world.container.knowledge_bases.named("acme", Dialect.URAN, "handbook")
    documents = world.stores.documents.page(kb.kb_id, limit=10).documents
    assert [document.name for document in documents] == ["manuals/pump.txt"]
    assert texts(world) == {"The pump."}


def test_the_same_event_again_changes_nothing(world: World) -> None:
    event = drop(world, "The pump.", "01")
    for _ in range(3):
        world.container.drops.handle(event)
        world.run()
    kb = world.knowledge_base()
    assert world.stores.documents.page(kb.kb_id, limit=10).documents[0].latest_ordinal == 1


def test_an_event_whose_copy_failed_is_taken_up_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ConnectionError

    event = drop(world, "The pump.", "01")
    with monkeypatch.context() as patch:
        patch.setattr(world.objects, "copy_in", fail)
        with pytest.raises(ConnectionError):
            world.container.drops.handle(event)
    world.container.drops.handle(event)
    world.run()
    assert texts(world) == {"The pump."}


def test_a_drop_into_a_knowledge_base_by_its_id(world: World) -> None:
    kb = world.knowledge_base("other")
    key = f"acme/{kb.kb_id}/a.txt"
    world.objects.other_buckets["drops"][key] = b"By id."
    world.container.drops.handle(DropEvent("drops", key, "01"))
    world.run()
    assert texts(world, "other") == {"By id."}


def test_another_tenants_knowledge_base_cannot_be_named_by_its_id(world: World) -> None:
    kb = world.knowledge_base("secret")
    key = f"other/{kb.kb_id}/a.txt"
    world.objects.other_buckets["drops"][key] = b"Intruder."
    world.container.drops.handle(DropEvent("drops", key, "01"))
    world.run()
    assert texts(world, "secret") == set()


@pytest.mark.parametrize(
    "key", ["acme", "acme/handbook", "acme/handbook/", "/handbook/a.txt", "acme//a.txt", "acme/k/d/"]
)
def test_a_key_that_names_no_file_in_a_knowledge_base_is_ignored(world: World, key: str) -> None:
    world.container.drops.handle(DropEvent("drops", key, "01"))
    world.run()
    assert world.objects.stored == {}


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_in_whatever_order_events_come_the_last_one_holds(world: World, order: tuple[int, ...]) -> None:
    events = [drop(world, "Old.", "0A"), drop(world, "Newer.", "0A1"), drop(world, "Newest.", "0B")]
    for number in order:
        world.container.drops.handle(events[number])
        world.run()
    assert texts(world) == {"Newest."}


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_a_removal_that_is_the_last_event_holds_in_whatever_order(world: World, order: tuple[int, ...]) -> None:
    events = [drop(world, "Old.", "01"), drop(world, "New.", "02"), drop(world, None, "03")]
    for number in order:
        world.container.drops.handle(events[number])
        world.run()
    assert texts(world) == set()
    kb = world.knowledge_base()
    versions = [
        world.stores.versions.get(document.document_id, document.latest_ordinal)
        for document in world.stores.documents.page(kb.kb_id, limit=10).documents
    ]
    assert all(version.state is IngestionState.FAILED for version in versions)
