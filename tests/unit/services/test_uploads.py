"""A file that is announced, sent by a form, and read."""

from __future__ import annotations

import hashlib

import pytest

from knowledge_base.domain.documents import FailureCode, IngestionState, Source
from knowledge_base.domain.errors import PayloadTooLarge
from knowledge_base.ports.queues import Queue
from knowledge_base.services.uploads import Upload
from tests.unit.services.test_ingestion import texts
from tests.world import World

PUMP = b"The pump starts at 40 degrees."


def begin(world: World, content: bytes = PUMP, name: str = "pump.txt") -> Upload:
    source = Source(name, sha256=hashlib.sha256(content).hexdigest())
    return world.container.uploads.begin(world.caller, world.knowledge_base(), source, size=len(content))


def send(world: World, upload: Upload, content: bytes = PUMP) -> None:
    """What the object store does with a form and a file."""
    assert upload.form
    world.objects.put(upload.form.fields["key"], content)
    world.run()


def test_an_uploaded_file_ends_ready_and_can_be_found(world: World) -> None:
    upload = begin(world)
    send(world, upload)
    ready = world.version(upload.version)
    assert (ready.state, ready.size, ready.content_hash) == (
        IngestionState.READY,
        len(PUMP),
        hashlib.sha256(PUMP).hexdigest(),
    )
    assert texts(world) == {PUMP.decode()}


def test_asking_again_before_the_file_came_gives_a_form_for_the_same_version(world: World) -> None:
    first, again = begin(world), begin(world)
    assert again.version == first.version
    assert again.form == first.form


def test_the_same_content_again_needs_no_upload(world: World) -> None:
    first = begin(world)
    send(world, first)
    again = begin(world)
    assert again.form is None
    assert again.version.document_id == first.version.document_id


def test_the_same_content_by_another_name_is_an_alias(world: World) -> None:
    send(world, begin(world))
    alias = begin(world, name="copy.txt")
    assert alias.form is None
    document = world.stores.documents.get(alias.version.document_id)
    assert document.names == {"pump.txt", "copy.txt"}


def test_other_content_by_the_same_name_is_a_new_version(world: World) -> None:
    first = begin(world)
    send(world, first)
    newer = begin(world, b"The pump was replaced.")
    assert (newer.version.document_id, newer.version.ordinal) == (first.version.document_id, 2)
    send(world, newer, b"The pump was replaced.")
    assert texts(world) == {"The pump was replaced."}


def test_other_content_than_was_announced_fails(world: World) -> None:
    upload = begin(world)
    send(world, upload, b"The bump starts at 40 degrees.")
    failure = world.version(upload.version).failure
    assert failure and failure.code is FailureCode.CHECKSUM_MISMATCH


def test_a_failed_upload_can_be_sent_again(world: World) -> None:
    send(world, begin(world), b"The bump starts at 40 degrees.")
    again = begin(world)
    send(world, again)
    assert world.version(again.version).state is IngestionState.READY


def test_a_file_that_never_comes_ends_as_failed_but_not_before_its_form_does(world: World) -> None:
    upload = begin(world)
    world.clock.pass_seconds(3500)
    world.container.sweeping.sweep()
    world.run()
    assert world.version(upload.version).state is IngestionState.PENDING
    world.clock.pass_seconds(400)
    world.container.sweeping.sweep()
    world.run(Queue.PARSE)
    failure = world.version(upload.version).failure
    assert failure and failure.code is FailureCode.FETCH_FAILED
    assert "not uploaded" in failure.message


def test_a_file_over_the_limit_is_refused_before_it_is_sent(world: World) -> None:
    source = Source("big.txt", sha256="0" * 64)
    with pytest.raises(PayloadTooLarge):
        world.container.uploads.begin(world.caller, world.knowledge_base(), source, size=50 * 1024 * 1024 + 1)
    assert world.stores.documents.page(world.knowledge_base().kb_id, limit=1).documents == ()
