"""The drop bucket and the documents agree, in the order of the sequencers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest

from knowledge_base.domain.access import Principal
from knowledge_base.domain.chunks import IndexedChunk
from knowledge_base.domain.documents import Document, FailureCode, IngestionState
from knowledge_base.domain.knowledge_bases import Dialect
from knowledge_base.domain.retrieval import SearchRequest
from knowledge_base.ports.queues import Queue
from knowledge_base.services.drops import DropEvent
from tests.builders import a_principal
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


SIDECAR = KEY + ".metadata.json"
FOR_ANN = b'{"Title": "Pumps", "AccessControlList": [{"Name": "ann", "Type": "USER"}]}'
ANN, BOB = a_principal(), a_principal(user_id="bob")


def describe(world: World, said: bytes | None, sequencer: str) -> DropEvent:
    """Put a sidecar into the bucket, or take it away, and return the event of it."""
    bucket = world.objects.other_buckets["drops"]
    if said is None:
        bucket.pop(SIDECAR, None)
    else:
        bucket[SIDECAR] = said
    return DropEvent("drops", SIDECAR, sequencer, removed=said is None)


def documents(world: World) -> tuple[Document, ...]:
    return world.stores.documents.page(world.knowledge_base().kb_id, limit=10).documents


def found_by(world: World, caller: Principal) -> list[str]:
    kb = world.knowledge_base()
    vectors = world.container.searching.embed(kb.tenant, [kb.kb_id], "pump")
    request = SearchRequest("pump", (kb.kb_id,), 5, readers=caller.reads_as)
    return world.container.searching.search(kb.tenant, request, vectors).texts


@pytest.mark.parametrize("order", list(itertools.permutations(["file", "sidecar", "run"])))
def test_a_sidecar_describes_its_file_whichever_comes_first(world: World, order: tuple[str, ...]) -> None:
    for step in order:
        if step == "file":
            world.container.drops.handle(drop(world, "The pump.", "01"))
        elif step == "sidecar":
            world.container.drops.handle(describe(world, FOR_ANN, "02"))
        else:
            world.run()
    world.run()
    (document,) = documents(world)
    assert document.metadata.title == "Pumps"
    assert found_by(world, ANN) == ["The pump."]
    assert found_by(world, BOB) == []


def test_a_sidecar_that_comes_while_the_file_is_published_is_not_lost(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.container.drops.handle(drop(world, "The pump.", "01"))
    world.run(Queue.PARSE, Queue.CHUNK, Queue.EMBED)
    index = world.stores.indexes.of(world.knowledge_base().config.embedding)
    write = index.write

    def write_while_it_comes(chunks: Sequence[IndexedChunk]) -> frozenset[str]:
        world.container.drops.handle(describe(world, b'{"AccessControlList": []}', "02"))
        world.container.drops.handle(describe(world, FOR_ANN, "03"))
        return write(chunks)

    monkeypatch.setattr(index, "write", write_while_it_comes)
    world.run()
    assert found_by(world, ANN) == ["The pump."]
    assert found_by(world, BOB) == []


def test_a_later_version_keeps_the_description(world: World) -> None:
    world.container.drops.handle(describe(world, FOR_ANN, "01"))
    world.container.drops.handle(drop(world, "The pump.", "02"))
    world.run()
    world.container.drops.handle(drop(world, "The new pump.", "03"))
    world.run()
    assert found_by(world, ANN) == ["The new pump."]
    assert found_by(world, BOB) == []


def test_a_changed_sidecar_counts_and_an_older_event_of_it_does_not(world: World) -> None:
    world.container.drops.handle(drop(world, "The pump.", "01"))
    world.run()
    late = describe(world, FOR_ANN, "02")
    newer = describe(world, b'{"Title": "All pumps"}', "03")
    world.container.drops.handle(newer)
    world.objects.other_buckets["drops"][SIDECAR] = FOR_ANN  # as the late reader had read it
    world.container.drops.handle(late)
    assert documents(world)[0].metadata.title == "All pumps"
    assert found_by(world, BOB) == ["The pump."]


def test_a_removed_sidecar_leaves_a_file_that_the_tenant_may_read(world: World) -> None:
    world.container.drops.handle(describe(world, FOR_ANN, "01"))
    world.container.drops.handle(drop(world, "The pump.", "02"))
    world.run()
    world.container.drops.handle(describe(world, None, "03"))
    assert documents(world)[0].metadata.title == ""
    assert found_by(world, BOB) == ["The pump."]


def test_a_file_whose_sidecar_cannot_be_read_fails_with_the_reason(world: World) -> None:
    describe(world, b"{", "01")
    world.container.drops.handle(drop(world, "The pump.", "02"))
    world.run()
    (document,) = documents(world)
    failure = world.stores.versions.get(document.document_id, 1).failure
    assert failure and failure.code is FailureCode.CORRUPT
    assert "metadata.json" in failure.message


def test_a_sidecar_that_becomes_unreadable_opens_nothing(world: World) -> None:
    world.container.drops.handle(describe(world, FOR_ANN, "01"))
    world.container.drops.handle(drop(world, "The pump.", "02"))
    world.run()
    world.container.drops.handle(describe(world, b"{", "03"))
    assert found_by(world, BOB) == []


def test_a_sidecar_is_no_document(world: World) -> None:
    world.container.drops.handle(describe(world, FOR_ANN, "01"))
    world.run()
    assert documents(world) == ()
