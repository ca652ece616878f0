"""A large import is taken in at once, decided bit by bit, and every document of it ends, whatever dies."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from knowledge_base.dialects.contract import Request
from knowledge_base.dialects.uran import routes
from knowledge_base.domain.access import Principal
from knowledge_base.domain.documents import IngestionState, Source
from knowledge_base.domain.errors import DocumentNotFound, Overloaded
from knowledge_base.ports.queues import Queue
from knowledge_base.services import batches, deciding
from knowledge_base.services.dead_letters import GivenUpMessage
from knowledge_base.services.importing import claims_of
from tests.builders import a_principal
from tests.unit.services.test_ingestion import texts
from tests.world import World

NOTIFY = "https://caller.example/hook"


@pytest.fixture(autouse=True)
def few_slots(world: World) -> None:
    world.container.deciding._slots = 3


class Killed(BaseException):
    """What a process that is killed does: nothing more."""


def sources(
    world: World, count: int, *, name: str = "{}.txt", md5: str = "md5 {}", text: str = "Text {}."
) -> list[Source]:
    found = []
    for number in range(count):
        url = f"https://files.example/{len(world.web.pages)}"
        world.web.pages[url] = text.format(number).encode()
        found.append(Source(name.format(number), url, "txt", md5.format(number)))
    return found


def take(
    world: World, wanted: list[Source], caller: Principal | None = None, repository: str = "handbook"
) -> list[str]:
    caller = caller or world.caller
    world.clock.pass_seconds(1)
    return world.container.batches.take(caller, world.knowledge_base(repository, caller), wanted, NOTIFY)


def told(world: World) -> list[tuple[str, int]]:
    documents = [json.loads(body)["documents"][0] for _, body, _ in world.web.posted]
    return sorted((document["name"], document["status"]) for document in documents)


def listed(world: World, limit: int = 4) -> list[tuple[str, str]]:
    cursor, rows = None, []
    while True:
        page = world.container.arrivals.page(world.caller, world.knowledge_base(), limit=limit, cursor=cursor)
        assert len(page.ingestions) <= limit
        rows += [(document.name, version.state.value) for document, version in page.ingestions]
        cursor = page.next_cursor
        if cursor is None:
            return rows


def test_each_document_of_a_batch_is_fetched_becomes_ready_and_is_told_once(world: World) -> None:
    take(world, sources(world, 10))
    world.run()
    assert texts(world) == {f"Text {n}." for n in range(10)}
    assert told(world) == sorted((f"{n}.txt", 200) for n in range(10))


def test_all_documents_are_to_be_seen_as_pending_before_anything_has_run(world: World) -> None:
    ids = take(world, sources(world, 10))
    assert listed(world) == [(f"{n}.txt", "pending") for n in range(10)]
    document, version = world.container.arrivals.status(world.caller, ids[7])
    assert (document.name, document.document_id, version.state) == ("7.txt", ids[7], IngestionState.PENDING)
    page = world.container.arrivals.named(world.caller, world.knowledge_base(), "7.txt")
    assert [row[0].document_id for row in page.ingestions] == [ids[7]]


def test_a_list_that_is_walked_while_a_batch_is_decided_shows_every_document_once(world: World) -> None:
    world.import_text("old.txt", "Old.")
    world.run()
    take(world, sources(world, 10))
    names: Counter[str] = Counter()
    cursor = None
    while True:
        page = world.container.arrivals.page(world.caller, world.knowledge_base(), limit=2, cursor=cursor)
        names.update(document.name for document, _ in page.ingestions)
        cursor = page.next_cursor
        if cursor is None:
            break
        world.deliver(Queue.INTAKE) if world.queues.messages[Queue.INTAKE] else None
        world.run(Queue.FETCH, Queue.PARSE, Queue.CHUNK, Queue.EMBED, Queue.PUBLISH)
    assert names == Counter(["old.txt", *(f"{n}.txt" for n in range(10))])


def test_ids_of_the_reply_lead_to_the_documents_that_they_turned_out_to_be(world: World) -> None:
    known = world.import_text("known.txt", "Known.", md5="known")
    world.run()
    [fresh, alias] = take(world, [*sources(world, 1), Source("alias.txt", "https://unused.example", "txt", "known")])
    world.run()
    assert world.container.arrivals.status(world.caller, fresh)[0].document_id == fresh
    assert world.container.arrivals.status(world.caller, alias)[0].document_id == known.document_id
    assert told(world) == [("0.txt", 200), ("alias.txt", 200)]
    assert dict(listed(world)) == {"alias.txt": "ready", "0.txt": "ready"}


def test_only_so_many_of_a_batch_are_on_their_way_at_once(world: World) -> None:
    take(world, sources(world, 10))
    for _ in range(5):
        world.deliver(Queue.INTAKE)
    assert len(world.queues.messages[Queue.FETCH]) == 3
    world.run(Queue.FETCH, Queue.PARSE, Queue.CHUNK, Queue.EMBED, Queue.PUBLISH)
    world.deliver(Queue.INTAKE)
    assert len(world.queues.messages[Queue.FETCH]) == 3


def test_a_document_that_never_moves_does_not_hold_back_the_rest(world: World) -> None:
    take(world, sources(world, 20))
    world.deliver(Queue.INTAKE)
    world.queues.messages[Queue.FETCH].popleft()
    world.run()
    assert len(told(world)) == 19


def test_a_second_batch_of_a_tenant_waits_for_the_first_and_another_tenants_does_not(world: World) -> None:
    take(world, sources(world, 6))
    take(world, sources(world, 6, name="second {}", md5="second {}"))
    take(world, sources(world, 6, name="other {}", md5="other {}"), a_principal(tenant="other"))
    for _ in range(3):
        world.deliver(Queue.INTAKE)
    tenants = Counter(message["tenant"] for message in world.queues.messages[Queue.FETCH])
    assert tenants == {"acme": 3, "other": 3}
    world.run()
    assert len(told(world)) == 18


def test_documents_of_one_name_are_taken_in_their_order_across_batches_and_single_calls(world: World) -> None:
    take(world, sources(world, 5, name="one.txt", md5="first {}", text="First {}."))
    take(world, sources(world, 5, name="one.txt", md5="second {}", text="Second {}."))
    world.run()
    assert texts(world) == {"Second 4."}


def test_a_later_single_import_of_the_name_wins_over_the_batch_before_it(world: World) -> None:
    wanted = sources(world, 9)
    take(world, wanted)
    url = "https://files.example/later"
    world.web.pages[url] = b"Later."
    later = Source("8.txt", url, "txt", "later")
    world.container.deciding.settle(world.knowledge_base(), claims_of(later))
    world.container.importing.accept(world.caller, world.knowledge_base(), later)
    world.run()
    assert texts(world) == {*(f"Text {n}." for n in range(8)), "Later."}
    assert told(world) == sorted([*((f"{n}.txt", 200) for n in range(8)), ("8.txt", 409)]) or len(told(world)) == 9


def test_a_removal_right_after_the_batch_removes_what_is_not_decided_yet(world: World) -> None:
    ids = take(world, sources(world, 9))
    assert world.container.deciding.withdraw(world.knowledge_base(), {"8.txt", "none.txt"}) == {"8.txt"}
    assert ("8.txt", "pending") not in listed(world)
    assert not world.container.arrivals.named(world.caller, world.knowledge_base(), "8.txt").ingestions
    world.run()
    assert texts(world) == {f"Text {n}." for n in range(8)}
    assert told(world) == sorted([*((f"{n}.txt", 200) for n in range(8)), ("8.txt", 410)])
    with pytest.raises(DocumentNotFound):
        world.container.arrivals.status(world.caller, ids[8])


def test_a_removal_of_more_than_can_be_told_at_once_is_told_of_every_document_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deciding, "SETTLED_AT_ONCE", 2)
    take(world, sources(world, 9, name="one.txt"))
    assert world.container.deciding.withdraw(world.knowledge_base(), {"one.txt"}) == {"one.txt"}
    world.run(Queue.NOTIFY)
    assert told(world) == [("one.txt", 410)] * 2
    world.run()
    assert (texts(world), told(world)) == (set(), [("one.txt", 410)] * 9)


def test_a_place_that_is_withdrawn_while_it_is_being_decided_stays_withdrawn(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(world, sources(world, 2))
    accept_new = world.container.importing.accept_new

    def withdrawn_just_before(*args: Any) -> Any:
        world.container.deciding.withdraw(world.knowledge_base(), {"1.txt"})
        return accept_new(*args)

    monkeypatch.setattr(world.container.importing, "accept_new", withdrawn_just_before)
    world.run()
    assert (texts(world), told(world)) == ({"Text 0."}, [("0.txt", 200), ("1.txt", 410)])


def test_a_call_behind_more_of_its_name_than_it_can_wait_for_is_taken_in_behind_them(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deciding, "SETTLED_AT_ONCE", 4)
    take(world, sources(world, 5, name="one.txt", text="Old {}."))
    world.clock.pass_seconds(1)
    [later] = sources(world, 1, name="one.txt", md5="later", text="Later.")
    document = {"name": later.name, "type": "txt", "url": later.url, "md5": later.md5}
    body = {"documents": [document], "repository": "handbook", "notifyUrl": NOTIFY}
    request = Request(body=json.dumps(body).encode(), caller=world.caller)
    reply = routes.import_documents(request, world.container)
    assert (reply.status, len(world.queues.messages[Queue.FETCH])) == (200, 0)
    world.run()
    assert (texts(world), len(told(world))) == ({"Later."}, 6)


@pytest.mark.parametrize("name", ["one.txt", "{}.txt"])
def test_a_list_of_few_rows_looks_at_a_batch_that_leads_to_few_of_them_few_times(
    world: World, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    world.import_text("old.txt", "Old.")
    take(world, sources(world, 60, name=name))
    for _ in range(17):
        world.deliver(Queue.INTAKE)
        world.run(Queue.FETCH, Queue.PARSE, Queue.CHUNK, Queue.EMBED, Queue.PUBLISH)
    looks = Counter[str]()

    def counted(owner: Any, called: str) -> None:
        call = getattr(owner, called)
        monkeypatch.setattr(owner, called, lambda *args, **more: (looks.update([called]), call(*args, **more))[1])

    counted(world.stores.intakes, "decisions")
    counted(world.container.ingestions, "page")
    page = world.container.arrivals.page(world.caller, world.knowledge_base(), limit=2, cursor=None)
    assert len(page.ingestions) == 2
    assert looks.total() <= 4


def test_what_a_name_leads_to_by_others_is_decided_before_it(world: World) -> None:
    first, shared, moved = sources(world, 3)
    take(world, [first, Source("0.txt", shared.url, "txt", shared.md5), Source("2.txt", shared.url, "txt", shared.md5)])
    later = Source("2.txt", moved.url, "txt", moved.md5)
    world.container.deciding.settle(world.knowledge_base(), claims_of(later))
    world.container.importing.accept(world.caller, world.knowledge_base(), later)
    world.run()
    assert texts(world) == {"Text 1.", "Text 2."}


@pytest.mark.parametrize("deaths", [1, 2, 3, 4, 5, 6, 7])
def test_a_function_that_dies_anywhere_in_its_turn_loses_and_doubles_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch, deaths: int
) -> None:
    world.import_text("known.txt", "Known.", md5="known")
    world.run()
    wanted = [*sources(world, 2), Source("alias.txt", "https://unused.example", "txt", "known")]
    take(world, [*wanted, *sources(world, 2, name="more {}", md5="more {}", text="More {}.")])
    container, left = world.container, [deaths]

    def dying(call: Any) -> Any:
        def done_and_dead(*args: Any, **kwargs: Any) -> Any:
            result = call(*args, **kwargs)
            left[0] -= 1
            if left[0] == 0:
                raise Killed
            return result

        return done_and_dead

    for owner, name in (
        (container.importing, "accept_new"),
        (container.importing, "accept"),
        (container.notifications, "promise"),
        (container.importing, "start"),
        (container.notifications, "check"),
        (world.stores.intakes, "advance"),
        (container.batches, "order"),
    ):
        monkeypatch.setattr(owner, name, dying(getattr(owner, name)))
    message = world.queues.messages[Queue.INTAKE][0]
    with pytest.raises(Killed):
        world.deliver(Queue.INTAKE)
    world.queues.messages[Queue.INTAKE].append(message)
    world.run()
    assert texts(world) == {"Known.", "Text 0.", "Text 1.", "More 0.", "More 1."}
    assert told(world) == [("0.txt", 200), ("1.txt", 200), ("alias.txt", 200), ("more 0", 200), ("more 1", 200)]


def test_a_batch_whose_message_is_lost_is_set_going_again_by_the_sweep(world: World) -> None:
    take(world, sources(world, 5))
    world.queues.messages[Queue.INTAKE].clear()
    world.clock.pass_seconds(200)
    world.container.sweeping.sweep()
    world.run()
    assert len(told(world)) == 5


def test_a_batch_that_never_moves_fails_within_ten_minutes_and_every_document_is_told(world: World) -> None:
    ids = take(world, sources(world, 5))
    world.deliver(Queue.INTAKE)
    for _ in range(10):
        world.queues.messages[Queue.INTAKE].clear()
        world.clock.pass_seconds(60)
        world.container.sweeping.sweep()
        world.run(Queue.FETCH, Queue.PARSE, Queue.CHUNK, Queue.EMBED, Queue.PUBLISH, Queue.NOTIFY)
    assert told(world) == [("0.txt", 200), ("1.txt", 200), ("2.txt", 200), ("3.txt", 504), ("4.txt", 504)]
    _, version = world.container.arrivals.status(world.caller, ids[4])
    assert version.failure and version.failure.code == "stalled"
    assert Counter(state for _, state in listed(world)) == {"ready": 3, "failed": 2}


def test_the_documents_of_a_batch_whose_repository_is_removed_end_as_removed(world: World) -> None:
    take(world, sources(world, 5))
    world.container.knowledge_bases.remove("acme", world.knowledge_base().dialect, "handbook")
    world.run()
    assert told(world) == [(f"{n}.txt", 410) for n in range(5)]


def test_a_turn_that_failed_three_times_is_a_dead_letter_that_can_be_redriven(world: World) -> None:
    take(world, sources(world, 5))
    body = world.queues.messages[Queue.INTAKE].popleft()
    letter = GivenUpMessage(Queue.INTAKE, json.dumps(body), 3, intake_id=body["intake_id"])
    world.container.dead_letters.bury(letter)
    [kept] = world.container.dead_letters.page(world.caller, limit=10, cursor=None).dead_letters
    assert (kept.code, kept.subject) == ("intake_failed", body["intake_id"])
    world.container.dead_letters.redrive(world.caller, kept.dead_letter_id)
    world.run()
    assert len(told(world)) == 5


def test_a_tenant_with_too_much_undecided_is_refused_for_a_while(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "MOST_WAITING", 12)
    take(world, sources(world, 10))
    with pytest.raises(Overloaded):
        take(world, sources(world, 3))
    world.run()
    take(world, sources(world, 3))


def test_a_batch_is_accepted_without_a_single_document_being_decided(world: World) -> None:
    assert routes.DECIDED_AT_ONCE < 60
    take(world, sources(world, 60))
    assert not world.queues.messages[Queue.FETCH]
    assert [len(world.queues.messages[queue]) for queue in (Queue.INTAKE, Queue.NOTIFY)] == [1, 0]


def test_another_tenants_undecided_documents_are_not_shown(world: World) -> None:
    ids = take(world, sources(world, 2))
    with pytest.raises(DocumentNotFound):
        world.container.arrivals.status(a_principal(tenant="other"), ids[0])
