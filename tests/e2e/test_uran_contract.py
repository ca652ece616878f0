"""The uran contract as a client of the old system meets it: names, identities, refusals, deletions, steps."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from infra.local.stack import RunningStack
from tests.e2e.client import Client, question_body
from tests.e2e.files import fact, text_file
from tests.e2e.outside import Outside

SEARCHING, COMPOSING = "正在检索知识库", "正在组织解决方案"
LOCKERS = "lockers"
DOCUMENT = {"name": "a", "type": "txt", "url": "http://127.0.0.1:1/a", "md5": "x"}
IMPORT = {"documents": [DOCUMENT], "repository": "refused", "notifyUrl": "http://127.0.0.1:1/"}
ASKED = {"messages": [{"role": "user", "content": "?"}], "maxTokens": 9, "temperature": 0, "model": "m"}


@pytest.fixture(scope="module")
def lockers(stack: RunningStack, outside: Outside) -> str:
    """A repository with three documents whose facts are alike."""
    documents = [outside.page(f"locker-{number}.txt", text_file(number), "txt") for number in (31, 32, 33)]
    Client(stack).import_documents(documents, LOCKERS, outside.notify_url)
    outside.wait_for({document["name"] for document in documents}, seconds=90)
    return LOCKERS


@pytest.fixture(scope="module")
def stranger(stack: RunningStack) -> Client:
    made = Client(stack).http.post("/admin/keys", json={"user_id": "eve", "tenant": "strangers"}).json()
    return Client(stack, made["key"])


def told(outside: Outside, name: str, seconds: float = 90) -> dict[str, Any]:
    return outside.wait_for({name}, seconds=seconds)[name]


def import_one(client: Client, outside: Outside, repository: str, **changes: str) -> dict[str, str]:
    document = {**outside.page("page.txt", text_file(34), "txt"), **changes}
    client.import_documents([document], repository, outside.notify_url)
    return document


@pytest.mark.parametrize(
    "name",
    [
        "码极客 算法 白皮书（第二版）.txt",
        "报价单：2026/“春”？#1 & 50%.txt",
        "../../etc/密码.txt",
        "a\u3000b\u00a0c.txt",
    ],
)
def test_names_in_chinese_with_spaces_and_punctuation_come_back_as_they_are(
    client: Client, outside: Outside, name: str
) -> None:
    import_one(client, outside, "names", name=name, md5=f"md5 of {name}")
    assert told(outside, name)["message"] == "OK"
    answer = client.ask("Which code opens the locker of engineer number 34?", "names")
    assert answer.references
    client.delete_document(name, "names")


def test_a_wrong_checksum_is_told_and_nothing_of_the_document_is_found(client: Client, outside: Outside) -> None:
    import_one(client, outside, "wrong", name="wrong.txt", md5="0" * 32)
    found = told(outside, "wrong.txt")
    assert (found["status"], found["message"].partition(":")[0]) == (409, "checksum_mismatch")
    assert client.ask("locker of engineer 34", "wrong").references == []


def test_the_same_md5_is_not_read_in_twice_but_told_again_also_under_a_second_name(
    client: Client, outside: Outside
) -> None:
    first = import_one(client, outside, "twins", name="first.txt", md5="sfh8i3ss")
    told(outside, "first.txt")
    outside.told.clear()
    client.import_documents([first, {**first, "name": "second.txt"}], "twins", outside.notify_url)
    outside.wait_for({"first.txt", "second.txt"}, seconds=60)
    assert len(list(client.ingestions("twins"))) == 1
    client.delete_document("first.txt", "twins")
    assert client.ask("locker of engineer 34", "twins").references[0]["name"] == "second.txt"
    client.delete_document("second.txt", "twins")
    assert client.ask("locker of engineer 34", "twins").references == []


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("gone.txt", "http://{host}/nowhere"),
        ("refused.txt", "http://127.0.0.1:1/a.txt"),
        ("numeric.txt", "http://2130706433/a.txt"),
        ("metadata.txt", "http://169.254.169.254/latest/meta-data/"),
        ("six.txt", "http://[::1]/a.txt"),
        ("userinfo.txt", "http://example.com@127.0.0.1/a.txt"),
        ("file.txt", "file:///etc/passwd"),
    ],
)
def test_unreachable_and_hostile_urls_end_as_failed_with_the_reason(
    client: Client, outside: Outside, name: str, url: str
) -> None:
    document = {"name": name, "type": "txt", "url": url.format(host=outside.host), "md5": f"md5 of {name}"}
    client.import_documents([document], "hostile", outside.notify_url)
    found = told(outside, name)
    assert (found["status"], found["message"].partition(":")[0]) == (502, "fetch_failed")


def test_a_deleted_repository_is_gone_at_once(client: Client, outside: Outside) -> None:
    import_one(client, outside, "doomed", name="doomed.txt")
    told(outside, "doomed.txt")
    assert client.ask("locker of engineer 34", "doomed").references
    reply = client.http.request("DELETE", "/uran/llm/repositories", json={"repositories": ["doomed"]})
    assert reply.json() == {"status": 200, "message": "success"}
    assert client.http.post("/uran/lm/question", json=question_body("locker?", "doomed")).status_code == 404


def test_steps_come_in_order_and_the_stream_ends_with_done(client: Client, lockers: str) -> None:
    with client.http.stream("POST", "/uran/lm/question", json=question_body("locker 31?", lockers)) as reply:
        assert reply.headers["content-type"].partition(";")[0] == "text/event-stream"
        frames = [line.removeprefix("data: ") for line in reply.iter_lines() if line.startswith("data:")]
    assert [SEARCHING in frames[0], COMPOSING in frames[1], '"role": "assistant"' in frames[2]] == [True] * 3
    assert frames[-1] == "[DONE]"
    assert frames.count("[DONE]") == 1


@pytest.mark.parametrize("top_k", [1, 2, 3])
def test_no_more_is_cited_than_top_k(client: Client, lockers: str, top_k: int) -> None:
    answer = client.ask("Which codes open the lockers of the engineers?", lockers, top_k=top_k)
    assert 1 <= len({reference["name"] for reference in answer.references}) <= top_k


def test_threshold_keeps_what_is_less_similar_out(client: Client, lockers: str) -> None:
    answer = client.ask("Which code opens the locker of engineer number 32?", lockers)
    similar = max(reference["similarity"] for reference in answer.references)
    assert client.ask("Which code opens the locker of engineer number 32?", lockers, threshold=1.0).references == []
    below = client.ask("Which code opens the locker of engineer number 32?", lockers, threshold=similar - 0.01)
    assert below.references
    assert all(reference["similarity"] >= similar - 0.01 for reference in below.references)


def test_a_follow_up_is_understood_from_the_turns_before(client: Client, lockers: str) -> None:
    turns = [
        {"role": "user", "content": "Which code opens the locker of engineer number 33?"},
        {"role": "assistant", "content": "It opens with a code."},
        {"role": "user", "content": "What is it?"},
    ]
    assert fact(33) in client.ask("", lockers, messages=turns).text


def test_questions_asked_at_the_same_time_do_not_mix(stack: RunningStack, lockers: str) -> None:
    numbers = (31, 32, 33) * 3

    def ask(number: int) -> str:
        return Client(stack).ask(f"Which code opens the locker of engineer number {number}?", lockers, top_k=1).text

    with ThreadPoolExecutor(len(numbers)) as pool:
        answers = list(pool.map(ask, numbers))
    assert all(fact(number) in text for number, text in zip(numbers, answers, strict=True))


def test_a_repository_of_the_same_name_in_another_tenant_is_another_one(
    stranger: Client, outside: Outside, lockers: str
) -> None:
    assert stranger.http.post("/uran/lm/question", json=question_body("locker 31?", lockers)).status_code == 404
    import_one(stranger, outside, lockers, name="theirs.txt", md5="theirs")
    told(outside, "theirs.txt")
    assert fact(31) not in stranger.ask("Which code opens the locker of engineer number 31?", lockers).text


def test_a_refused_callback_address_is_refused_before_anything_starts(client: Client) -> None:
    body = {"text": "?", "respUrl": "http://169.254.169.254/"}
    assert refused(client.http.post("/uran/llm/question", json=body), 400)


@pytest.mark.parametrize(
    ("path", "body", "word"),
    [
        ("documents", {**IMPORT, "documents": []}, "documents"),
        ("documents", {**IMPORT, "documents": [{**DOCUMENT, "type": "exe"}]}, "type"),
        ("documents", {**IMPORT, "documents": [{**DOCUMENT, "name": " "}]}, "name"),
        ("documents", {**IMPORT, "documents": [{**DOCUMENT, "md5": ""}]}, "md5"),
        ("documents", {**IMPORT, "repository": None}, "repository"),
        ("documents", {**IMPORT, "notifyUrl": "ftp://x/"}, "URL"),
        ("documents", {**IMPORT, "documents": [DOCUMENT] * 1001}, "documents"),
        ("question", {**ASKED, "messages": []}, "messages"),
        ("question", {**ASKED, "messages": [{"role": "system", "content": "?"}]}, "role"),
        ("question", {**ASKED, "messages": [{"role": "user", "content": ""}]}, "messages"),
        ("question", {**ASKED, "maxTokens": 0}, "maxTokens"),
        ("question", {**ASKED, "maxTokens": "9"}, "maxTokens"),
        ("question", {**ASKED, "temperature": 3}, "temperature"),
        ("question", {key: ASKED[key] for key in ASKED if key != "model"}, "model"),
        ("question", {**ASKED, "repository": {"name": "x", "threshold": 2, "topK": 1}}, "threshold"),
        ("question", {**ASKED, "repository": {"name": "x", "threshold": 0, "topK": 101}}, "topK"),
        ("question", {**ASKED, "repository": {"name": "x"}}, "threshold"),
        ("question", {**ASKED, "messages": [{"role": "user", "content": "?", "images": ["x"] * 9}]}, "images"),
        ("question", {**ASKED, "messages": [{"role": "user", "content": "?", "images": ["x"] * 8}] * 3}, "images"),
        ("assistant", {"prompt": "p"}, "question"),
        ("combine", {"question": "?", "texts": []}, "texts"),
        ("block_embedding", {"texts": [""]}, "texts"),
        ("response", {"answer": "a"}, "questionToken"),
        ("embedding", [], "object"),
    ],
)
def test_what_is_wrong_is_named(client: Client, path: str, body: Any, word: str) -> None:
    assert word in refused(client.http.post(f"/uran/lm/{path}", json=body), 400)


@pytest.mark.parametrize("content", [b"", b"{", b"null", b"\xff\xfe", b'{"documents": NaN}', b"[" * 20_000])
def test_what_is_no_json_is_refused_in_the_contracts_form(client: Client, content: bytes) -> None:
    refused(client.http.post("/uran/lm/documents", content=content), 400)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/uran/lm/nowhere", 404),
        ("GET", "/uran/lm/question", 404),
        ("PUT", "/uran/lm/documents", 404),
    ],
)
def test_an_unknown_route_is_refused_in_the_contracts_form(client: Client, method: str, path: str, status: int) -> None:
    refused(client.http.request(method, path), status)


@pytest.mark.parametrize("path", ["documents", "question", "assistant", "combine", "embedding", "response"])
def test_without_a_key_every_route_refuses_in_the_contracts_form(stack: RunningStack, path: str) -> None:
    refused(httpx.post(f"{stack.url}/uran/lm/{path}", json={}, trust_env=False, timeout=30), 401)


def refused(reply: httpx.Response, status: int) -> str:
    """Return a refusal's message, in whose form every refusal of the contract is."""
    body = reply.json()
    assert (reply.status_code, body["status"]) == (status, status), body
    assert body.keys() == {"status", "message"}
    return str(body["message"])
