"""What an import means: the rules of names and md5s."""

from __future__ import annotations

from typing import Any

import pytest

from knowledge_base.domain.documents import IngestionState
from knowledge_base.domain.errors import DocumentNotFound, Overloaded
from knowledge_base.ports.queues import Queue
from tests.unit.services.test_ingestion import texts
from tests.world import World


def fetches(world: World) -> int:
    return len(world.queues.bodies(Queue.FETCH))


def remove(world: World, name: str) -> None:
    world.container.importing.remove(world.knowledge_base(), name)
    world.run()


def test_the_same_md5_again_is_not_ingested_again(world: World) -> None:
    first = world.import_text("pump.txt", "The pump.", md5="abc")
    world.run()
    again = world.import_text("pump.txt", "The pump.", md5="abc")
    assert (again.document_id, again.ordinal) == (first.document_id, first.ordinal)
    assert fetches(world) == 1


def test_the_same_md5_under_way_is_joined(world: World) -> None:
    first = world.import_text("pump.txt", "The pump.", md5="abc")
    again = world.import_text("pump.txt", "The pump.", md5="abc")
    assert again == first


def test_hexadecimal_md5s_are_the_same_in_any_case(world: World) -> None:
    first = world.import_text("pump.txt", "The pump.", md5="ABCDEF" + "0" * 26)
    again = world.import_text("pump.txt", "The pump.", md5="abcdef" + "0" * 26)
    assert again == first


def test_after_a_failure_the_same_md5_is_ingested_again(world: World) -> None:
    failed = world.import_text("pump.txt", "", md5="abc")
    world.run()
    again = world.import_text("pump.txt", "The pump.", md5="abc")
    world.run()
    assert world.version(failed).state is IngestionState.FAILED
    assert world.version(again).state is IngestionState.READY
    assert texts(world) == {"The pump."}


def test_after_a_delete_the_same_md5_is_ingested_again(world: World) -> None:
    world.import_text("pump.txt", "The pump.", md5="abc")
    world.run()
    remove(world, "pump.txt")
    again = world.import_text("pump.txt", "The pump.", md5="abc")
    world.run()
    assert world.version(again).state is IngestionState.READY
    assert texts(world) == {"The pump."}


def test_a_second_name_for_the_same_md5_is_an_alias(world: World) -> None:
    first = world.import_text("pump.txt", "The pump.", md5="abc")
    alias = world.import_text("copy.txt", "The pump.", md5="abc")
    assert alias.document_id == first.document_id
    assert fetches(world) == 1


def test_an_alias_can_be_deleted_by_itself(world: World) -> None:
    world.import_text("pump.txt", "The pump.", md5="abc")
    world.import_text("copy.txt", "The pump.", md5="abc")
    world.run()
    remove(world, "pump.txt")
    assert texts(world) == {"The pump."}
    remove(world, "copy.txt")
    assert texts(world) == set()


def test_new_content_for_a_name_leaves_its_alias_as_it_was(world: World) -> None:
    world.import_text("pump.txt", "The pump.", md5="abc")
    world.import_text("copy.txt", "The pump.", md5="abc")
    world.run()
    world.import_text("pump.txt", "The new pump.", md5="def")
    world.run()
    assert texts(world) == {"The pump.", "The new pump."}
    remove(world, "copy.txt")
    assert texts(world) == {"The new pump."}


def test_going_back_to_an_earlier_md5_makes_that_content_live_again(world: World) -> None:
    for text, md5 in (("Red.", "a"), ("Blue.", "b"), ("Red.", "a")):
        world.import_text("colour.txt", text, md5=md5)
        world.run()
    assert texts(world) == {"Red."}


def test_going_back_while_the_newer_content_is_under_way_ends_with_the_earlier(world: World) -> None:
    world.import_text("colour.txt", "Red.", md5="a")
    world.run()
    world.import_text("colour.txt", "Blue.", md5="b")
    world.import_text("colour.txt", "Red.", md5="a")
    world.run()
    assert texts(world) == {"Red."}


def test_a_name_can_move_to_content_that_another_name_has(world: World) -> None:
    world.import_text("red.txt", "Red.", md5="a")
    world.import_text("blue.txt", "Blue.", md5="b")
    world.run()
    world.import_text("blue.txt", "Red.", md5="a")
    world.run()
    assert texts(world) == {"Red."}
    remove(world, "red.txt")
    assert texts(world) == {"Red."}


def test_the_same_md5_in_another_repository_is_another_document(world: World) -> None:
    here = world.import_text("pump.txt", "The pump.", md5="abc")
    there = world.import_text("pump.txt", "The pump.", md5="abc", repository="other")
    world.run()
    assert here.document_id != there.document_id
    assert texts(world) == texts(world, "other") == {"The pump."}


def test_deleting_an_unknown_name_says_so(world: World) -> None:
    world.knowledge_base()
    with pytest.raises(DocumentNotFound):
        world.container.importing.remove(world.knowledge_base(), "nothing.txt")


def test_a_deleted_document_is_gone_before_anything_else_has_run(world: World) -> None:
    version = world.import_text("pump.txt", "The pump.")
    world.run()
    world.container.importing.remove(world.knowledge_base(), "pump.txt")
    assert search(world, "pump") == []
    assert world.stores.documents.get(version.document_id).removed


def search(world: World, text: str) -> list[str]:
    from knowledge_base.domain.retrieval import SearchRequest

    kb = world.knowledge_base()
    searching = world.container.searching
    vectors = searching.embed(kb.tenant, [kb.kb_id], text)
    return list(searching.search(kb.tenant, SearchRequest(text, (kb.kb_id,), 5), vectors).texts)


def test_a_removal_of_more_than_there_is_time_for_says_so_and_again_removes_the_rest(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"{number}.txt" for number in range(5)]
    for name in names:
        world.import_text(name, f"Text of {name}.")
    world.run()
    remove = world.stores.documents.remove

    def slow(*arguments: Any, **more: Any) -> None:
        world.clock.pass_seconds(6)
        remove(*arguments, **more)

    monkeypatch.setattr(world.stores.documents, "remove", slow)
    with pytest.raises(Overloaded) as refused:
        world.container.importing.remove_all(world.knowledge_base(), names, at_once=1)
    assert "3 of 5" in str(refused.value)
    assert len(world.queues.messages[Queue.PUBLISH]) == 1
    assert world.container.importing.remove_all(world.knowledge_base(), names, at_once=1) == {"3.txt", "4.txt"}
    assert world.container.importing.remove_all(world.knowledge_base(), names, at_once=1) == set()
