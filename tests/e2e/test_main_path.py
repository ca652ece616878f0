"""A file goes in, a cited answer streams out, and what is deleted is gone."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest

from infra.local.stack import RunningStack
from tests.e2e.client import Behind, Client
from tests.e2e.files import KINDS, fact, pdf_file
from tests.e2e.outside import Outside


def test_an_imported_pdf_is_told_asked_cited_and_deleted(client: Client, behind: Behind, outside: Outside) -> None:
    name = "储物柜 (第一版).pdf"
    client.import_documents([outside.page(name, pdf_file(41), "pdf")], "main-path", outside.notify_url)
    assert outside.wait_for({name}, seconds=30)[name]["message"] == "OK"

    answer = client.ask("Which code opens the locker of engineer number 41?", "main-path")
    assert answer.steps == ["正在检索知识库", "正在组织解决方案"]
    assert answer.done
    assert fact(41) in answer.text
    reference = answer.references[0]
    assert (reference["name"], reference["page"]) == (name, 2)
    stored = client.stored_answer(answer.token)
    assert stored["answer"] == answer.text
    for cited in stored["references"]:
        text = behind.parsed_text(cited["document_id"], cited["ordinal"])
        assert text[cited["start"] : cited["end"]] == cited["quote"]

    assert client.http.post(f"/answers/{answer.token}/feedback", json={"rating": "up"}).status_code == 200
    lines = client.http.get("/feedback").text.splitlines()
    assert answer.token in {json.loads(line)["token"] for line in lines}

    client.delete_document(name, "main-path")
    gone = client.ask("Which code opens the locker of engineer number 41?", "main-path")
    assert gone.references == []
    assert fact(41) not in gone.text


def test_twenty_documents_of_mixed_kinds_are_each_told_and_leave_nothing_behind(
    client: Client, behind: Behind, outside: Outside
) -> None:
    documents = [
        outside.page(f"locker-{number}.{ending}", make(number), kind)
        for number, (ending, kind, make) in enumerate(KINDS * 4, start=100)
    ]
    client.import_documents(documents, "twenty", outside.notify_url)
    names = {document["name"] for document in documents}
    told = outside.wait_for(names, seconds=110)
    assert {document["message"] for document in told.values()} == {"OK"}
    behind.wait_until_quiet()
    assert len([t for t in outside.told if t["repository"] == "twenty"]) == 20
    assert behind.unfinished_versions() == []


def test_a_question_in_chinese_is_answered_from_a_chinese_file(
    client: Client, behind: Behind, outside: Outside
) -> None:
    text = "值班规定。\n\n夜班从二十二点开始，到次日六点结束。\n\n闻到氨味时先戴好防毒面具。\n"
    client.import_documents([outside.page("值班.txt", text.encode("gb18030"), "txt")], "chinese", outside.notify_url)
    outside.wait_for({"值班.txt"}, seconds=30)
    answer = client.ask("闻到氨味时应该怎么办？", "chinese")
    assert "先戴好防毒面具" in answer.text
    assert answer.references[0]["quote"] in text


def test_a_dropped_file_is_found_replaced_and_removed(client: Client, behind: Behind) -> None:
    key = "default/dropped/a b/储物柜.txt"
    for number in (51, 52):
        behind.s3.put_object(Bucket=behind.drops, Key=key, Body=fact(number).encode())
        _until(lambda number=number: fact(number) in client.ask(f"locker of engineer {number}", "dropped").text)
    assert fact(51) not in client.ask("locker of engineer 51", "dropped").text
    behind.s3.delete_object(Bucket=behind.drops, Key=key)
    _until(lambda: client.ask("locker of engineer 52", "dropped").references == [])


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/health", 200),
        ("GET", "/health/ready", 200),
        ("GET", "/nowhere", 404),
        ("POST", "/uran/lm/nowhere", 404),
        ("GET", "/answers/unknown", 404),
        ("GET", "/dead-letters", 200),
    ],
)
def test_each_route_answers_in_its_own_form(client: Client, method: str, path: str, status: int) -> None:
    reply = client.http.request(method, path)
    assert reply.status_code == status
    if path.startswith("/uran"):
        assert reply.json()["status"] == status
    elif status == 404:
        assert "code" in reply.json()["error"]


def test_chat_without_a_model_ends_with_one_error_that_names_the_setting(client: Client) -> None:
    answer = client.ask("Hello?", None)
    assert answer.done
    assert answer.error
    assert answer.error["status"] == 503
    assert "KB_LLM_ENDPOINTS" in answer.error["message"]


def test_tenants_do_not_see_each_other(client: Client, stack: RunningStack, outside: Outside) -> None:
    client.import_documents([outside.page("ours.txt", b"Our secret.", "txt")], "ours", outside.notify_url)
    outside.wait_for({"ours.txt"}, seconds=30)
    made = client.http.post("/admin/keys", json={"user_id": "eve", "tenant": "other"}).json()
    stranger = Client(stack, made["key"])
    body = {"documents": ["ours.txt"], "repository": "ours"}
    assert stranger.http.request("DELETE", "/uran/lm/documents", json=body).status_code == 404
    token = client.ask("secret?", "ours").token
    assert stranger.http.get(f"/answers/{token}").status_code == 404


def _until(holds: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if holds():
                return
        except AssertionError:
            pass
        time.sleep(0.2)
    raise AssertionError("it never came true")
