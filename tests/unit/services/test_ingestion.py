"""From an import to a document that can be found, whatever happens on the way."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import pytest

from knowledge_base.domain.batches import decode_vectors
from knowledge_base.domain.chunks import IndexedChunk
from knowledge_base.domain.documents import FailureCode, IngestionState
from knowledge_base.domain.errors import EmbedderUnavailable, EmbeddingRefused, IndexUnavailable
from knowledge_base.domain.object_keys import VersionKey
from knowledge_base.domain.retrieval import ChunkFilter
from knowledge_base.ports.queues import Queue
from knowledge_base.services.ingestion.lanes import LANES
from tests.world import World

LONG = "\n\n".join(f"Paragraph {n} tells of pump number {n} and of its valve." for n in range(3000))
LONGER = "\n\n".join(f"Section {n} tells of pump number {n} and of its seal." for n in range(12_000))


def texts(world: World, repository: str = "handbook") -> set[str]:
    """The texts of all chunks that are live now."""
    kb = world.stores.knowledge_bases.get(world.knowledge_base(repository).kb_id)
    index = world.stores.indexes.of(kb.config.embedding)
    found = index.find(vector=[1.0] * 64, limit=10_000, where=ChunkFilter(kb.tenant, {kb.kb_id: kb.revision}))
    return {hit.chunk.text for hit in found.nearest}


def count(world: World) -> int:
    kb = world.stores.knowledge_bases.get(world.knowledge_base().kb_id)
    where = ChunkFilter(kb.tenant, {kb.kb_id: kb.revision})
    return world.stores.indexes.of(kb.config.embedding).count(where)


def test_an_imported_document_ends_ready_and_can_be_found(world: World) -> None:
    version = world.import_text("pump.txt", "The pump starts at 40 degrees.")
    world.run()
    assert world.version(version).state is IngestionState.READY
    assert texts(world) == {"The pump starts at 40 degrees."}


def test_a_long_document_is_published_once_all_its_batches_are_embedded(world: World) -> None:
    version = world.import_text("long.txt", LONG)
    world.run()
    ready = world.version(version)
    assert ready.batch_count > 1
    assert ready.batches_done == frozenset(range(ready.batch_count))
    assert count(world) == ready.chunk_count


def test_nothing_can_be_found_before_all_batches_are_embedded(world: World) -> None:
    world.import_text("long.txt", LONG)
    world.run(Queue.FETCH, Queue.PARSE, Queue.CHUNK)
    world.deliver(Queue.EMBED)
    assert texts(world) == set()
    assert world.queues.depth(Queue.PUBLISH) == 0


@pytest.mark.parametrize("seed", range(5))
def test_every_message_three_times_in_any_order_gives_one_set_of_chunks(world: World, seed: int) -> None:
    version = world.import_text("long.txt", LONG)
    shuffle = random.Random(seed)
    seen: dict[Queue, list[object]] = {queue: [] for queue in Queue}
    while any(world.queues.messages.values()):
        queue = shuffle.choice([queue for queue in Queue if world.queues.messages[queue]])
        body = world.queues.messages[queue].popleft()
        seen[queue].append(body)
        if queue not in (Queue.NOTIFY, Queue.PUBLISH) and seen[queue].count(body) < 3:
            world.queues.messages[queue].append(body)
        world.handle(queue, body)
    ready = world.version(version)
    assert ready.state is IngestionState.READY
    assert count(world) == ready.chunk_count


def test_a_long_document_has_only_a_few_batches_in_the_queue(world: World) -> None:
    world.import_text("long.txt", LONGER, md5="long")
    world.run(Queue.FETCH, Queue.PARSE, Queue.CHUNK)
    longest = 0
    while world.queues.depth(Queue.EMBED):
        longest = max(longest, world.queues.depth(Queue.EMBED))
        world.deliver(Queue.EMBED)
    assert longest == LANES


def test_a_short_document_does_not_wait_for_a_long_one(world: World) -> None:
    world.import_text("long.txt", LONGER, md5="long")
    world.run(Queue.FETCH, Queue.PARSE, Queue.CHUNK)
    short = world.import_text("short.txt", "A short one.")
    world.run(Queue.FETCH, Queue.PARSE, Queue.CHUNK)
    for _ in range(LANES + 1):
        world.deliver(Queue.EMBED)
    world.run(Queue.PUBLISH)
    assert world.version(short).state is IngestionState.READY


def embedded_since(world: World, call: int) -> list[str]:
    return list(itertools.chain.from_iterable(world.stores.embedders.embedder.calls[call:]))


def test_a_new_version_embeds_only_the_texts_that_changed(world: World) -> None:
    world.import_text("long.txt", LONG)
    world.run()
    calls = len(world.stores.embedders.embedder.calls)
    changed = world.import_text("long.txt", LONG.replace("valve.", "gasket.", 1))
    world.run()
    assert world.version(changed).state is IngestionState.READY
    assert len(embedded_since(world, calls)) == 1
    assert count(world) == world.version(changed).chunk_count
    assert any("gasket" in text for text in texts(world))


def test_the_same_content_again_is_not_embedded_at_all(world: World) -> None:
    world.import_text("pump.txt", "The pump.", md5="one")
    world.run()
    calls = len(world.stores.embedders.embedder.calls)
    again = world.import_text("pump.txt", "The pump.", md5="two")
    world.run()
    assert world.version(again).state is IngestionState.READY
    assert embedded_since(world, calls) == []
    assert texts(world) == {"The pump."}


def test_texts_whose_vectors_are_gone_are_embedded_anew(world: World) -> None:
    first = world.import_text("pump.txt", "The pump.", md5="one")
    world.run()
    calls = len(world.stores.embedders.embedder.calls)
    world.objects.delete_under(f"vectors/{first.tenant}/")
    world.import_text("pump.txt", "The pump.", md5="two")
    world.run()
    assert embedded_since(world, calls) == ["The pump."]


def test_a_reused_vector_belongs_to_the_same_text(world: World) -> None:
    world.import_text("long.txt", LONG)
    world.run()
    shifted = world.import_text("long.txt", "\n\n".join(reversed(LONG.split("\n\n"))))
    world.run()
    embedder = world.stores.embedders.embedder
    for number in range(world.version(shifted).batch_count):
        for chunk, vector in decode_vectors(world.objects.get(shifted.key.vectors(number))):
            assert list(vector) == pytest.approx(list(embedder.embed_passages([chunk.text])[0]), abs=1e-6)


def test_an_empty_file_fails_as_empty(world: World) -> None:
    version = world.import_text("empty.txt", "")
    world.run()
    failed = world.version(version)
    assert failed.state is IngestionState.FAILED
    assert failed.failure and failed.failure.code is FailureCode.EMPTY


def test_content_that_does_not_match_its_md5_fails(world: World) -> None:
    version = world.import_text("pump.txt", "The pump.", md5="0" * 32)
    world.run()
    failure = world.version(version).failure
    assert failure and failure.code is FailureCode.CHECKSUM_MISMATCH


def test_a_url_that_is_not_there_fails_as_not_fetched(world: World) -> None:
    version = world.import_text("pump.txt", "The pump.")
    world.web.pages.clear()
    world.run()
    failure = world.version(version).failure
    assert failure and failure.code is FailureCode.FETCH_FAILED


def test_a_refusing_embedder_fails_the_document(world: World) -> None:
    version = world.import_text("pump.txt", "The pump.")
    world.stores.embedders.embedder.refusal = EmbeddingRefused("the embedder refused")
    world.run()
    failure = world.version(version).failure
    assert failure and failure.code is FailureCode.EMBEDDING_FAILED


def test_a_silent_embedder_is_waited_for(world: World) -> None:
    version = world.import_text("pump.txt", "The pump.")
    world.run(Queue.FETCH, Queue.PARSE, Queue.CHUNK)
    world.stores.embedders.embedder.down = True
    for _ in range(20):
        world.deliver(Queue.EMBED)
        world.clock.pass_seconds(20)
        world.container.sweeping.sweep()
    assert world.version(version).state is IngestionState.EMBEDDING
    world.stores.embedders.embedder.down = False
    world.run()
    assert world.version(version).state is IngestionState.READY


def test_an_embedder_that_says_when_to_come_back_is_asked_no_sooner(world: World) -> None:
    world.import_text("pump.txt", "The pump.")
    world.run(Queue.FETCH, Queue.PARSE, Queue.CHUNK)
    world.stores.embedders.embedder.refusal = EmbedderUnavailable("busy", retry_after=17)
    world.deliver(Queue.EMBED)
    queue, _, delay = world.queues.sent[-1]
    assert (queue, delay) == (Queue.EMBED, 17)


def test_an_embedder_that_stays_silent_is_not_waited_for_for_ever(world: World) -> None:
    world.import_text("pump.txt", "The pump.")
    world.run(Queue.FETCH, Queue.PARSE, Queue.CHUNK)
    world.stores.embedders.embedder.down = True
    world.clock.pass_seconds(500)
    with pytest.raises(EmbedderUnavailable):
        world.deliver(Queue.EMBED)


class Dies(BaseException):
    """The process is gone: no except clause of ours sees it."""


STEPS: list[tuple[Queue, str, str]] = [
    (Queue.FETCH, "objects", "put"),
    (Queue.PARSE, "objects", "put"),
    (Queue.CHUNK, "versions", "move"),
    (Queue.CHUNK, "objects", "put"),
    (Queue.EMBED, "objects", "put"),
    (Queue.EMBED, "versions", "complete_batch"),
    (Queue.EMBED, "publications", "stage"),
    (Queue.EMBED, "queues", "send"),
    (Queue.PUBLISH, "publications", "begin"),
    (Queue.PUBLISH, "versions", "move"),
    (Queue.PUBLISH, "publications", "commit"),
    (Queue.PUBLISH, "documents", "set_live"),
    (Queue.PUBLISH, "publications", "unstage"),
]


@pytest.mark.parametrize(("queue", "part", "method"), STEPS, ids=lambda value: str(value))
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_function_that_dies_at_any_step_leaves_a_document_that_still_ends_ready(
    world: World, monkeypatch: pytest.MonkeyPatch, queue: Queue, part: str, method: str, when: str
) -> None:
    version = world.import_text("long.txt", LONG)
    while not world.queues.messages[queue]:
        world.deliver(next(q for q in Queue if world.queues.messages[q]))
    with monkeypatch.context() as patch:
        dies = _dying(getattr(getattr(world.stores, part), method), when)
        patch.setattr(getattr(world.stores, part), method, dies)
        message = _deliver_until_one_dies(world, queue)
    world.clock.pass_seconds(80)
    world.queues.messages[queue].append(message)
    world.run()
    ready = world.version(version)
    assert ready.state is IngestionState.READY
    assert count(world) == ready.chunk_count
    assert world.stores.publications.staged(version.kb_id, limit=10) == []


@pytest.mark.parametrize(("queue", "part", "method"), STEPS, ids=lambda value: str(value))
def test_a_lost_message_is_made_up_for_by_the_sweep(
    world: World, monkeypatch: pytest.MonkeyPatch, queue: Queue, part: str, method: str
) -> None:
    version = world.import_text("long.txt", LONG)
    while not world.queues.messages[queue]:
        world.deliver(next(q for q in Queue if world.queues.messages[q]))
    with monkeypatch.context() as patch:
        patch.setattr(
            getattr(world.stores, part), method, _dying(getattr(getattr(world.stores, part), method), "before")
        )
        _deliver_until_one_dies(world, queue)
    world.queues.messages[queue].clear()
    for _ in range(3):
        world.run()
        world.clock.pass_seconds(200)
        world.container.sweeping.sweep()
    world.run()
    ready = world.version(version)
    assert ready.state is IngestionState.READY
    assert count(world) == ready.chunk_count


def _deliver_until_one_dies(world: World, queue: Queue) -> object:
    while True:
        message = world.queues.messages[queue][0]
        try:
            world.deliver(queue)
        except Dies:
            return message


def _dying(method: Callable[..., object], when: str) -> Callable[..., object]:
    calls = itertools.count()

    def dies(*args: object, **kwargs: object) -> object:
        if next(calls) == 0 and when == "before":
            raise Dies
        result = method(*args, **kwargs)
        raise Dies if when == "after" else AssertionError(result)

    return dies


def test_a_document_that_nothing_can_move_ends_as_stalled_within_ten_minutes(world: World) -> None:
    version = world.import_text("pump.txt", "The pump.")
    started = world.clock.time
    while not world.version(version).state.is_terminal:
        world.queues.messages.clear()
        world.clock.pass_seconds(60)
        world.container.sweeping.sweep()
    failure = world.version(version).failure
    assert failure and failure.code is FailureCode.STALLED
    assert (world.clock.time - started).total_seconds() <= 600


def test_a_document_that_waits_behind_others_is_not_failed(world: World) -> None:
    version = world.import_text("pump.txt", "The pump.")
    for _ in range(120):
        world.clock.pass_seconds(60)
        world.container.sweeping.sweep()
    assert world.version(version).state is IngestionState.PENDING
    world.run()
    assert world.version(version).state is IngestionState.READY


def test_a_new_version_replaces_the_old_one(world: World) -> None:
    world.import_text("pump.txt", "The old pump.")
    world.run()
    world.import_text("pump.txt", "The new pump.")
    world.run()
    assert texts(world) == {"The new pump."}


def test_a_slow_old_version_never_replaces_a_newer_one(world: World) -> None:
    old = world.import_text("pump.txt", "The old pump.")
    slow = world.queues.messages[Queue.FETCH].popleft()
    new = world.import_text("pump.txt", "The new pump.")
    world.run()
    world.handle(Queue.FETCH, slow)
    world.run()
    failure = world.version(old).failure
    assert failure and failure.code is FailureCode.SUPERSEDED
    assert world.version(new).state is IngestionState.READY
    assert texts(world) == {"The new pump."}


def test_two_versions_that_are_staged_together_leave_only_the_newer(world: World) -> None:
    old = world.import_text("pump.txt", "The old pump.")
    new = world.import_text("pump.txt", "The new pump.")
    world.run(Queue.FETCH, Queue.PARSE, Queue.CHUNK, Queue.EMBED)
    world.run()
    assert world.version(new).state is IngestionState.READY
    assert world.version(old).state is IngestionState.FAILED
    assert texts(world) == {"The new pump."}


def test_a_removed_document_that_is_still_being_ingested_ends_as_removed(world: World) -> None:
    version = world.import_text("pump.txt", "The pump.")
    world.run(Queue.FETCH)
    world.container.importing.remove(world.knowledge_base(), "pump.txt")
    world.run()
    failure = world.version(version).failure
    assert failure and failure.code is FailureCode.REMOVED
    assert texts(world) == set()


def test_an_index_that_does_not_answer_leaves_nothing_half_written(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = world.import_text("pump.txt", "The pump.")
    world.run(Queue.FETCH, Queue.PARSE, Queue.CHUNK, Queue.EMBED)
    kb = world.knowledge_base()
    index = world.stores.indexes.of(kb.config.embedding)

    def refuse() -> None:
        raise IndexUnavailable("the index does not answer")

    message = world.queues.messages[Queue.PUBLISH].popleft()
    with monkeypatch.context() as patch:
        patch.setattr(index, "refresh", refuse)
        patch.setattr(world.stores.indexes, "of", lambda _: index)
        with pytest.raises(IndexUnavailable):
            world.handle(Queue.PUBLISH, message)
    assert index.count(ChunkFilter(kb.tenant, {kb.kb_id: kb.revision + 1})) == 0
    world.handle(Queue.PUBLISH, message)
    assert world.version(version).state is IngestionState.READY


def test_a_version_that_the_index_refuses_fails_alone(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    bad, good = world.import_text("bad.txt", "The bad pump."), world.import_text("good.txt", "The good pump.")
    world.run(Queue.FETCH, Queue.PARSE, Queue.CHUNK, Queue.EMBED)
    index = world.stores.indexes.of(world.knowledge_base().config.embedding)
    write = index.write

    def pick(chunks: list[IndexedChunk]) -> frozenset[str]:
        refused = frozenset(c.chunk.chunk_id for c in chunks if "bad" in c.chunk.text)
        write([c for c in chunks if c.chunk.chunk_id not in refused])
        return refused

    monkeypatch.setattr(index, "write", pick)
    monkeypatch.setattr(world.stores.indexes, "of", lambda _: index)
    world.run()
    failure = world.version(bad).failure
    assert failure and failure.code is FailureCode.INDEX_FAILED
    assert world.version(good).state is IngestionState.READY
    assert texts(world) == {"The good pump."}


def test_after_a_removal_and_the_grace_period_nothing_is_left(world: World) -> None:
    version = world.import_text("pump.txt", "The pump.")
    world.run()
    world.container.importing.remove(world.knowledge_base(), "pump.txt")
    world.run()
    world.clock.pass_seconds(700)
    world.container.sweeping.sweep()
    key = VersionKey(version.tenant, version.document_id, version.ordinal)
    assert not [stored for stored in world.objects.stored if key.document_id in stored]
    assert world.stores.documents.get_many([version.document_id]) == {}


def test_a_removed_knowledge_base_is_gone_with_all_it_held(world: World) -> None:
    version = world.import_text("pump.txt", "The pump.")
    world.run()
    kb = world.knowledge_base()
    world.container.knowledge_bases.remove(kb.tenant, kb.dialect, kb.name)
    for _ in range(2):
        world.container.sweeping.sweep()
    assert world.objects.stored == {}
    assert world.stores.documents.get_many([version.document_id]) == {}
    assert world.stores.indexes.of(kb.config.embedding).count(ChunkFilter(kb.tenant, {kb.kb_id: 1})) == 0


def test_a_document_removed_just_before_its_knowledge_base_is_erased_too(world: World) -> None:
    version = world.import_text("pump.txt", "The pump.")
    world.run()
    kb = world.knowledge_base()
    world.container.importing.remove(kb, "pump.txt")
    world.container.knowledge_bases.remove(kb.tenant, kb.dialect, kb.name)
    world.run()
    world.clock.pass_seconds(700)
    for _ in range(2):
        world.container.sweeping.sweep()
    assert world.objects.stored == {}
    assert world.stores.documents.get_many([version.document_id]) == {}
    assert world.stores.publications.due_purges(2**33, limit=10) == []


@pytest.mark.parametrize("silence", [5, 20, 180])
def test_a_dead_publishers_claim_is_waited_for_however_impatient_the_sweep_is(
    world: World, monkeypatch: pytest.MonkeyPatch, silence: int
) -> None:
    version = world.import_text("pump.txt", "The pump.")
    world.run(Queue.FETCH, Queue.PARSE, Queue.CHUNK, Queue.EMBED)
    with monkeypatch.context() as patch:
        patch.setattr(world.stores.publications, "commit", _dying(world.stores.publications.commit, "before"))
        _deliver_until_one_dies(world, Queue.PUBLISH)
    world.queues.messages.clear()
    monkeypatch.setattr(world.container.sweeping, "_silence", silence)
    while not world.version(version).state.is_terminal:
        world.clock.pass_seconds(5)
        world.container.sweeping.sweep()
        world.run()
    assert world.version(version).state is IngestionState.READY


def test_what_is_embedded_of_a_batch_is_not_embedded_again_when_the_embedder_breaks_off(world: World) -> None:
    version = world.import_text("long.txt", LONG)
    world.run(Queue.FETCH, Queue.PARSE, Queue.CHUNK)
    embedder = world.stores.embedders.embedder
    embedder.request_size, embedder.breaks_after = 4, 3
    world.deliver(Queue.EMBED)
    assert [len(call) for call in embedder.calls] == [4, 4, 4, 4]
    done = {text for call in embedder.calls[:3] for text in call}
    embedder.calls.clear()
    embedder.breaks_after = None
    world.run()
    assert world.version(version).state is IngestionState.READY
    assert done.isdisjoint(text for call in embedder.calls for text in call)


def test_a_batch_that_takes_longer_than_a_function_may_goes_on_in_the_next_one(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knowledge_base.services.ingestion.embedding.PATIENCE", -1.0)
    version = world.import_text("long.txt", LONG)
    world.run(Queue.FETCH, Queue.PARSE, Queue.CHUNK)
    embedder = world.stores.embedders.embedder
    embedder.request_size = 4
    world.clock.pass_seconds(400)
    before = world.version(version).updated_at
    world.deliver(Queue.EMBED)
    assert len(embedder.calls) == 1
    assert world.version(version).updated_at > before
    world.run()
    texts = [text for call in embedder.calls for text in call]
    assert len(texts) == len(set(texts)) == world.version(version).chunk_count
    assert world.version(version).state is IngestionState.READY
