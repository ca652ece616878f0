"""The Python client against the running stack: documents go in, are found, changed under guard, and gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import anyio
import pytest

from infra.local.stack import RunningStack
from knowledge_base_client import (
    AnswerFinished,
    AsyncKnowledgeBase,
    EditionMismatch,
    Filters,
    IngestionFailed,
    KnowledgeBase,
    NotAuthenticated,
    NotFound,
    NotPermitted,
    Patience,
    SourceFound,
    TextDelta,
)
from tests.e2e.client import Client
from tests.e2e.cutting_proxy import cutting_proxy
from tests.e2e.files import fact, pdf_file


@pytest.fixture
def kb(stack: RunningStack) -> Iterator[KnowledgeBase]:
    with KnowledgeBase(stack.url) as kb:
        yield kb


def colleague(client: Client) -> str:
    """Return the key of somebody who holds no role that passes checks."""
    made = client.http.post("/admin/keys", json={"user_id": f"bob-{uuid4().hex[:8]}", "roles": ["staff"]})
    return str(made.json()["key"])


def test_a_file_is_stored_found_quoted_and_removed(kb: KnowledgeBase, tmp_path: Path) -> None:
    content = pdf_file(171)
    (tmp_path / "储物柜.pdf").write_bytes(content)
    tag = uuid4().hex

    stored = kb.add_document(tmp_path / "储物柜.pdf", metadata={"tags": [tag], "team": "core"}, wait=60)

    only = Filters(tags=[tag], metadata={"team": "core"})
    hit = kb.search("Which code opens the locker of engineer number 171?", filters=only, limit=1).results[0]
    assert hit.document_id == stored.document_id
    parsed = kb.parsed_text(stored.document_id)
    assert fact(171) in parsed.text
    assert parsed.text == kb.text(stored.document_id)
    assert len(parsed.pages()) >= 2
    assert kb.content(stored.document_id) == content
    assert [each.document_id for each in kb.documents(only)] == [stored.document_id]

    kb.delete_document(stored.document_id)
    with pytest.raises(NotFound):
        kb.text(stored.document_id)
    assert kb.search("locker of engineer number 171", filters=only).results == []


def test_a_large_file_goes_by_a_form_of_its_own(kb: KnowledgeBase) -> None:
    data = (fact(172) + "\n").encode() + b"filler line\n" * 350_000

    stored = kb.add_document(data, name="large.bin.txt", metadata={"title": "Large"})

    assert kb.content(stored.document_id) == data
    assert kb.get_document(stored.document_id).metadata.title == "Large"
    kb.delete_document(stored.document_id)


def test_two_writers_do_not_overwrite_each_other(kb: KnowledgeBase) -> None:
    document_id = kb.add_document(b"first", name="a.txt", wait=30).document_id
    seen = kb.get_document(document_id).edition

    changed = kb.update_document(document_id, metadata={"title": "Mine"}, edition=seen)
    with pytest.raises(EditionMismatch):
        kb.update_document(document_id, metadata={"title": "Theirs"}, edition=seen)
    kb.update_document(document_id, content=b"second", edition=changed.edition, wait=30)
    kb.restore_version(document_id, 1)
    kb.wait_until_ready(document_id, timeout=30)

    assert kb.text(document_id).strip() == "first"
    assert [each.version for each in kb.versions(document_id)] == [3, 2, 1]
    assert kb.get_document(document_id).metadata.title == "Mine"


def test_a_list_is_walked_over_its_pages(kb: KnowledgeBase) -> None:
    tag = uuid4().hex
    wanted = {kb.add_document(f"text {n}".encode(), metadata={"tags": [tag]}).document_id for n in range(5)}

    walked = [each.document_id for each in kb.documents(Filters(tags=[tag]), page_size=2)]

    assert len(walked) == 5
    assert set(walked) == wanted


def test_a_file_without_text_fails_with_its_reason(kb: KnowledgeBase) -> None:
    with pytest.raises(IngestionFailed) as raised:
        kb.add_document(b"   \n", name="empty.txt", wait=30)
    assert raised.value.code
    assert raised.value.reason


def test_permissions_are_the_key_s(kb: KnowledgeBase, client: Client, stack: RunningStack) -> None:
    secret = kb.add_document(b"only mine", name="a.txt").document_id
    shared = kb.add_document(b"for all", name="b.txt", metadata={"public": True}).document_id

    with KnowledgeBase(stack.url, colleague(client)) as other:
        with pytest.raises(NotFound):
            other.get_document(secret)
        with pytest.raises(NotPermitted):
            other.delete_document(shared)
    with KnowledgeBase(stack.url, "kb_none") as nobody, pytest.raises(NotAuthenticated):
        nobody.get_document(shared)


async def walk(url: str) -> tuple[str, list[str]]:
    async with AsyncKnowledgeBase(url) as kb:
        stored = await kb.add_document(fact(173).encode(), name="a.txt", wait=30)
        found = await kb.search("Which code opens the locker of engineer number 173?", limit=1)
        await kb.delete_document(stored.document_id)
        return stored.document_id, [hit.document_id for hit in found.results]


def test_the_face_that_awaits_does_the_same(stack: RunningStack) -> None:
    document_id, found = anyio.run(walk, stack.url)

    assert found == [document_id]


def test_the_service_tells_where_it_stands(kb: KnowledgeBase) -> None:
    assert kb.health().status == "ok"
    assert all(kb.ready().parts.values())
    document_id = kb.add_document(b"text", wait=30).document_id
    assert kb.ingestion(document_id).state == "ready"


def test_an_answer_is_followed_judged_and_shown(kb: KnowledgeBase, client: Client) -> None:
    client.wait_for_end(client.upload("a.txt", fact(174).encode(), "python"))
    asked = client.ask("Which code opens the locker of engineer number 174?", "python")

    events = list(kb.answer_events(asked.token))

    assert "".join(each.text for each in events if isinstance(each, TextDelta)) == asked.text
    source = next(each.source for each in events if isinstance(each, SourceFound))
    assert kb.text(source.document_id, version=source.version)[source.start : source.end] == source.quote
    assert isinstance(events[-1], AnswerFinished)
    assert kb.answer(asked.token).answer == asked.text
    assert kb.give_feedback(asked.token, "up", comment="right").rating == 5


def test_an_answer_whose_stream_is_cut_after_every_event_comes_whole_all_the_same(
    kb: KnowledgeBase, client: Client, stack: RunningStack
) -> None:
    client.wait_for_end(client.upload("a.txt", fact(175).encode(), "python"))
    asked = client.ask("Which code opens the locker of engineer number 175?", "python")
    whole = list(kb.answer_events(asked.token))

    with (
        cutting_proxy(stack.url, request=b"GET /answers/", reply=b"}\n\n") as url,
        KnowledgeBase(url, patience=Patience(first=0.05)) as cut,
    ):
        assert list(cut.answer_events(asked.token)) == whole


def test_documents_are_asked_in_json_and_as_a_stream(kb: KnowledgeBase) -> None:
    tag = uuid4().hex
    document_id = kb.add_document(pdf_file(176), name="lockers.pdf", metadata={"tags": [tag]}, wait=60).document_id
    question, only = "Which code opens the locker of engineer number 176?", Filters(tags=[tag])

    answer = kb.ask(question, filters=only)
    events = list(kb.stream_answer(question, filters=only))

    assert fact(176) in answer.answer
    source = answer.references[0]
    assert source.document_id == document_id
    assert kb.text(document_id, version=source.version)[source.start : source.end] == source.quote
    assert "".join(each.text for each in events if isinstance(each, TextDelta)) == answer.answer
    streamed = [each.source for each in events if isinstance(each, SourceFound)]
    assert [(each.document_id, each.quote, each.title) for each in streamed] == [
        (each.document_id, each.quote, each.title) for each in answer.references
    ]


def test_a_result_is_voted_for_and_related_documents_are_found(kb: KnowledgeBase) -> None:
    tag = uuid4().hex
    first, second = (
        kb.add_document(
            f"Project Zephyranthes, part {number}: {fact(177)}".encode(), metadata={"tags": [tag]}, wait=60
        ).document_id
        for number in (1, 2)
    )
    query = "locker of engineer number 177"
    hit = kb.search(query, filters=Filters(tags=[tag])).results[0]

    kb.rate_result(query, hit.document_id, hit.chunk_index, "up")

    assert kb.search(query, filters=Filters(tags=[tag])).results[0].document_id == hit.document_id
    assert second in {each.document_id for each in kb.related_documents(first)}
