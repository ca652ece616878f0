"""What the uran contract accepts, and what it says to the rest."""

from __future__ import annotations

import json
from typing import Any

import pytest

from knowledge_base.adapters.web.guarded import GuardedWeb
from knowledge_base.dialects.contract import Reply, Request, handle
from knowledge_base.dialects.uran import routes, translate
from knowledge_base.dialects.uran.routes import CONTRACT
from knowledge_base.domain.access import Principal
from knowledge_base.domain.errors import AddressNotAllowed, NotAuthenticated
from knowledge_base.ports.queues import Queue
from tests.unit.services.test_ingestion import texts
from tests.world import World

DOCUMENT = {"name": "码极客算法白皮书", "type": "pdf", "url": "https://files.example/a.pdf", "md5": "sfh8i3ss"}
IMPORT = {"documents": [DOCUMENT], "repository": "Spec", "notifyUrl": "https://caller.example"}


class Caller:
    """Calls routes as one user of one tenant."""

    def __init__(self, world: World, tenant: str = "acme") -> None:
        self.world = world
        self.key = world.container.access.create_key(
            Principal("acme", "root", frozenset({"operator"})), Principal(tenant, "ann")
        ).key

    def __call__(self, method: str, path: str, body: Any, *, key: str | None = None) -> Reply:
        route = next(r for r in CONTRACT.routes if (r.method, r.path) == (method, path))
        headers = {"authorization": f"Bearer {self.key if key is None else key}"}
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return handle(CONTRACT, route, Request(headers=headers, body=data), self.world.container)


@pytest.fixture
def call(world: World) -> Caller:
    return Caller(world)


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The emulated tables of this process break when several threads write to them."""
    monkeypatch.setattr(routes, "AT_ONCE", 1)


@pytest.mark.usefixtures("one_by_one")
def test_a_batch_is_accepted_and_each_document_notified_for_itself(world: World, call: Caller) -> None:
    second = {**DOCUMENT, "name": "报价单", "md5": "other", "url": "https://files.example/b.txt"}
    world.web.pages["https://files.example/b.txt"] = "价格是一百元。".encode()
    reply = call("POST", "/uran/lm/documents", {**IMPORT, "documents": [DOCUMENT, second]})
    assert (reply.status, reply.body["status"], reply.body["message"]) == (200, 200, "success")
    assert [document["name"] for document in reply.body["data"]["documents"]] == ["码极客算法白皮书", "报价单"]
    world.run()
    told = [(url, json.loads(body)) for url, body, _ in world.web.posted]
    assert {url for url, _ in told} == {"https://caller.example/uran/lm/documents_status"}
    assert {body["repository"] for _, body in told} == {"Spec"}
    documents = {body["documents"][0]["name"]: body["documents"][0] for _, body in told}
    assert documents["报价单"] == {**second, "status": 200, "message": "OK"}
    assert documents["码极客算法白皮书"]["status"] == 502


@pytest.mark.parametrize("word", ["lm", "llm"])
@pytest.mark.parametrize(
    ("method", "path"), [("POST", "documents"), ("DELETE", "documents"), ("DELETE", "repositories")]
)
def test_both_spellings_are_served(word: str, method: str, path: str) -> None:
    assert (method, f"/uran/{word}/{path}") in {(route.method, route.path) for route in CONTRACT.routes}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"{", "JSON"),
        (b"[]", "object"),
        (json.dumps({**IMPORT, "documents": []}).encode(), "documents"),
        (json.dumps({**IMPORT, "documents": [{**DOCUMENT, "type": "exe"}]}).encode(), "documents.0.type"),
        (json.dumps({**IMPORT, "documents": [{**DOCUMENT, "md5": " "}]}).encode(), "documents.0.md5"),
        (json.dumps({key: IMPORT[key] for key in ("documents", "repository")}).encode(), "notifyUrl"),
        (json.dumps({**IMPORT, "repository": ""}).encode(), "repository"),
        (json.dumps({**IMPORT, "documents": [{**DOCUMENT, "name": "a\ud800b"}]}).encode(), ""),
    ],
)
def test_a_wrong_import_is_refused_with_the_place_that_is_wrong(call: Caller, body: bytes, says: str) -> None:
    reply = call("POST", "/uran/lm/documents", body)
    assert (reply.status, reply.body["status"]) == (400, 400)
    assert says in reply.body["message"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("https://a.example", "https://a.example/uran/lm/documents_status"),
        ("https://a.example/", "https://a.example/uran/lm/documents_status"),
        ("https://a.example?x=1", "https://a.example/uran/lm/documents_status?x=1"),
        ("https://a.example/hook?x=1", "https://a.example/hook?x=1"),
    ],
)
def test_without_a_path_the_contracts_own_is_notified(given: str, told: str) -> None:
    assert translate.notify_url(given) == told


@pytest.mark.parametrize("url", ["http://[::1", "ftp://a.example", "javascript:alert(1)", "//a.example", "http://"])
def test_an_address_that_can_never_be_notified_is_refused(call: Caller, url: str) -> None:
    call.world.stores.web = GuardedWeb(frozenset())
    reply = call("POST", "/uran/lm/documents", {**IMPORT, "notifyUrl": url})
    assert (reply.status, reply.body["status"]) == (400, 400)


def test_documents_of_one_name_in_one_call_are_taken_in_their_order(world: World, call: Caller) -> None:
    documents = []
    for number in range(6):
        url = f"https://files.example/{number}.txt"
        world.web.pages[url] = f"Number {number}.".encode()
        documents.append({"name": "one.txt", "type": "txt", "url": url, "md5": str(number)})
    call("POST", "/uran/lm/documents", {**IMPORT, "documents": documents})
    world.run()
    assert texts(world, "Spec") == {"Number 5."}


def several(world: World, count: int, **changes: Any) -> list[dict[str, Any]]:
    documents = []
    for number in range(count):
        url = f"https://files.example/several/{number}"
        world.web.pages[url] = f"Number {number}.".encode()
        documents.append({"name": f"{number}.txt", "type": "txt", "url": url, "md5": f"m{number}", **changes})
    return documents


def test_a_large_batch_is_told_in_its_order_and_every_document_notified(
    world: World, call: Caller, one_by_one: None
) -> None:
    documents = several(world, 45)
    reply = call("POST", "/uran/lm/documents", {**IMPORT, "documents": documents})
    told = reply.body["data"]["documents"]
    assert [item["name"] for item in told] == [document["name"] for document in documents]
    assert len({item["documentId"] for item in told}) == 45
    world.run()
    notified = [json.loads(body)["documents"][0] for _, body, _ in world.web.posted]
    assert sorted(item["name"] for item in notified) == sorted(document["name"] for document in documents)
    assert {item["status"] for item in notified} == {200}


def test_a_batch_sent_again_is_neither_ingested_nor_named_anew(world: World, call: Caller, one_by_one: None) -> None:
    batch = {**IMPORT, "documents": several(world, 25)}
    first = call("POST", "/uran/lm/documents", batch).body
    world.run()
    fetched = len(world.queues.bodies(Queue.FETCH))
    assert call("POST", "/uran/lm/documents", batch).body == first
    world.run()
    assert len(world.queues.bodies(Queue.FETCH)) == fetched == 25
    assert len(world.web.posted) == 50


def test_known_and_new_documents_in_one_call_are_each_taken_as_what_they_are(
    world: World, call: Caller, one_by_one: None
) -> None:
    documents = several(world, 4)
    known = call("POST", "/uran/lm/documents", {**IMPORT, "documents": documents[:2]}).body["data"]["documents"]
    alias = {**documents[0], "name": "alias.txt"}
    twice = {**documents[3], "name": "twice.txt"}
    sent = [documents[2], alias, documents[1], documents[3], twice]
    told = call("POST", "/uran/lm/documents", {**IMPORT, "documents": sent}).body["data"]["documents"]
    ids = {item["name"]: item["documentId"] for item in told}
    assert list(ids) == ["2.txt", "alias.txt", "1.txt", "3.txt", "twice.txt"]
    assert (ids["alias.txt"], ids["1.txt"]) == (known[0]["documentId"], known[1]["documentId"])
    assert ids["3.txt"] == ids["twice.txt"]
    world.run()
    assert texts(world, "Spec") == {f"Number {number}." for number in range(4)}


def test_one_content_under_two_spellings_of_its_md5_is_one_document(world: World, call: Caller) -> None:
    (document,) = several(world, 1, md5="ABCDEF0123456789ABCDEF0123456789")
    other = {**document, "name": "other.txt", "md5": document["md5"].lower()}
    told = call("POST", "/uran/lm/documents", {**IMPORT, "documents": [document, other]}).body["data"]["documents"]
    assert told[0]["documentId"] == told[1]["documentId"]


def test_documents_that_somebody_else_sends_meanwhile_are_taken_once(
    world: World, call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = several(world, 3)
    monkeypatch.setattr(world.stores.documents, "taken", lambda *_: frozenset())
    first = call("POST", "/uran/lm/documents", {**IMPORT, "documents": documents[1:2]}).body["data"]["documents"]
    told = call("POST", "/uran/lm/documents", {**IMPORT, "documents": documents}).body["data"]["documents"]
    assert told[1] == first[0]
    assert len({item["documentId"] for item in told}) == 3


def test_without_a_key_nothing_is_accepted(call: Caller) -> None:
    reply = call("POST", "/uran/lm/documents", IMPORT, key="wrong")
    assert (reply.status, reply.body["status"]) == (401, 401)


def test_a_deleted_document_can_be_named_no_more(world: World, call: Caller) -> None:
    call("POST", "/uran/lm/documents", IMPORT)
    delete = {"documents": [DOCUMENT["name"]], "repository": "Spec"}
    assert call("DELETE", "/uran/lm/documents", delete).status == 200
    assert call("DELETE", "/uran/lm/documents", delete).status == 404


def test_of_several_names_the_missing_ones_are_told(call: Caller) -> None:
    call("POST", "/uran/lm/documents", IMPORT)
    reply = call("DELETE", "/uran/lm/documents", {"documents": [DOCUMENT["name"], "x"], "repository": "Spec"})
    assert (reply.status, reply.body["data"]) == (200, {"notFound": ["x"]})


def test_a_deleted_repository_is_unknown(call: Caller) -> None:
    call("POST", "/uran/lm/documents", IMPORT)
    assert call("DELETE", "/uran/llm/repositories", {"repositories": ["Spec"]}).status == 200
    assert call("DELETE", "/uran/llm/repositories", {"repositories": ["Spec"]}).status == 404


def test_a_repository_of_another_tenant_is_unknown(world: World, call: Caller) -> None:
    call("POST", "/uran/lm/documents", IMPORT)
    reply = Caller(world, "other")("DELETE", "/uran/llm/repositories", {"repositories": ["Spec"]})
    assert reply.status == 404


def ask(world: World, call: Caller, **changes: Any) -> Any:
    body = {
        "messages": [{"role": "user", "content": "How hot?"}],
        "maxTokens": 128,
        "temperature": 0.7,
        "model": "koala-mm",
        "repository": {"repository": "Spec", "threshold": 0.5, "topK": 2},
        **changes,
    }
    request = Request(headers={"x-api-key": call.key}, body=json.dumps(body).encode(), caller=Principal("acme", "ann"))
    return CONTRACT.streams[0].start(request, world.container)


def test_a_question_keeps_what_was_asked(world: World, call: Caller) -> None:
    call("POST", "/uran/lm/documents", IMPORT)
    record = ask(world, call, messages=[{"role": "user", "content": "图?", "images": "https://x.example/1.jpg"}])
    question = record.question
    assert (question.text, question.images) == ("图?", ("https://x.example/1.jpg",))
    assert (question.threshold, question.top_k, question.max_tokens) == (0.5, 2, 128)


@pytest.mark.parametrize("none", [None, "", " ", []])
def test_what_clients_write_where_there_is_nothing_is_nothing(world: World, call: Caller, none: Any) -> None:
    turn = {"role": "user", "content": "How hot?", "images": none}
    record = ask(world, call, messages=[turn], repository=None, background=None)
    assert (record.question.images, record.question.background, record.question.kb_ids) == ((), "", ())


def test_a_refused_address_is_no_probe_of_the_gateway(
    world: World, call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_url: str) -> None:
        raise AddressNotAllowed

    monkeypatch.setattr(world.container.notifications, "check_address", refuse)
    monkeypatch.setattr(world.container.gateways, "admit", lambda gateway: pytest.fail(f"{gateway} let it in"))
    assert call("POST", "/uran/lm/documents", {**IMPORT, "notifyUrl": "ftp://caller.example/x"}).status == 400


@pytest.mark.parametrize(
    "wrong",
    [
        {"maxTokens": 0},
        {"maxTokens": "10"},
        {"maxTokens": True},
        {"temperature": "hot"},
        {"messages": []},
        {"messages": [{"role": "assistant", "content": "Hello"}]},
        {"messages": [{"role": "user", "content": "  "}]},
        {"repository": {"name": "Spec", "threshold": 1.5, "topK": 2}},
        {"repository": {"name": "Spec", "threshold": 0.5, "topK": 101}},
        {"repository": {"name": "Spec", "threshold": 0.5}},
    ],
)
def test_a_wrong_question_is_refused(world: World, call: Caller, wrong: dict[str, Any]) -> None:
    from knowledge_base.domain.errors import InvalidInput

    with pytest.raises(InvalidInput):
        ask(world, call, **wrong)


def test_a_question_to_an_unknown_repository_is_refused(world: World, call: Caller) -> None:
    from knowledge_base.domain.errors import KnowledgeBaseNotFound

    with pytest.raises(KnowledgeBaseNotFound):
        ask(world, call, repository={"name": "nothing", "threshold": 0.5, "topK": 2})


def test_a_request_without_a_caller_has_no_principal() -> None:
    with pytest.raises(NotAuthenticated):
        _ = Request().principal


def test_names_are_removed_once_each_and_those_that_are_not_there_are_told(
    world: World, call: Caller, one_by_one: None
) -> None:
    documents = several(world, 3)
    call("POST", "/uran/lm/documents", {**IMPORT, "documents": documents})
    names = ["0.txt", "gone", "0.txt", "2.txt", "gone"]
    reply = call("DELETE", "/uran/lm/documents", {"documents": names, "repository": "Spec"})
    assert (reply.status, reply.body["data"]) == (200, {"notFound": ["gone"]})
    world.run()
    assert texts(world, "Spec") == {"Number 1."}
