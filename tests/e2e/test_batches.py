"""Large imports: taken in at once, fair to other tenants, and every document of them ends."""

from __future__ import annotations

import time
from collections import Counter

import pytest

from infra.local.stack import RunningStack
from tests.e2e.client import Client
from tests.e2e.files import text_file
from tests.e2e.outside import Outside

pytestmark = pytest.mark.timeout(600)


def batch(outside: Outside, count: int, kind: str) -> list[dict[str, str]]:
    return [outside.page(f"{kind} {n}.txt", text_file(n) + f" {kind}.".encode(), "txt") for n in range(count)]


def names(documents: list[dict[str, str]]) -> set[str]:
    return {document["name"] for document in documents}


def times_told(outside: Outside, documents: list[dict[str, str]]) -> Counter[str]:
    told = Counter(each["documents"][0]["name"] for each in list(outside.told) if "documents" in each)
    return Counter({name: told[name] for name in names(documents) if told[name]})


def seconds_to_import(client: Client, documents: list[dict[str, str]], notify_url: str) -> float:
    begin = time.perf_counter()
    client.import_documents(documents, "thousand", notify_url)
    return time.perf_counter() - begin


def test_a_single_document_does_not_wait_for_another_tenants_batch(
    client: Client, stack: RunningStack, outside: Outside
) -> None:
    mine, other = Client(stack, client.key_of("mine")), Client(stack, client.key_of("other"))
    documents = batch(outside, 120, "many")
    mine.import_documents(documents, "many", outside.notify_url)
    outside.wait_for({"many 0.txt"}, seconds=120)
    other.import_documents([outside.page("single.txt", text_file(7), "txt")], "single", outside.notify_url)
    outside.wait_for({"single.txt"}, seconds=240)
    assert len(times_told(outside, documents)) < 60
    assert {each["status"] for each in outside.wait_for(names(documents), seconds=480).values()} == {200}


def test_a_batch_whose_deciding_function_is_killed_again_and_again_ends_and_is_told_once(
    client: Client, stack: RunningStack, outside: Outside
) -> None:
    documents = batch(outside, 60, "killed")
    client.import_documents(documents, "killed", outside.notify_url)
    for _ in range(5):
        stack.kill_worker("intake")
        time.sleep(0.7)
    assert {each["status"] for each in outside.wait_for(names(documents), seconds=480).values()} == {200}
    assert times_told(outside, documents) == Counter(names(documents))
    assert Counter(row["state"] for row in client.ingestions("killed")) == {"ready": 60}


def test_what_is_sent_right_after_a_batch_counts_as_sent_after_it(client: Client, outside: Outside) -> None:
    documents = batch(outside, 60, "order")
    client.import_documents(documents, "order", outside.notify_url)
    client.delete_document("order 59.txt", "order")
    replaced = outside.page("order 58.txt", b"The newer text about a walrus.", "txt")
    client.import_documents([replaced], "order", outside.notify_url)
    left = names(documents) - {"order 59.txt", "order 58.txt"}
    outside.wait_for(left, seconds=480)
    until = time.monotonic() + 60
    while any(row["state"] not in ("ready", "failed") for row in client.ingestions("order")):
        assert time.monotonic() < until
        time.sleep(0.2)
    assert {row["name"] for row in client.ingestions("order")} == left | {"order 58.txt"}
    assert "walrus" in client.ask("Which newer text about a walrus?", "order").text


def test_a_thousand_documents_are_taken_in_within_a_second_and_all_to_be_seen_at_once(
    client: Client, stack: RunningStack, outside: Outside
) -> None:
    mine = Client(stack, client.key_of("thousand"))
    documents = batch(outside, 1000, "thousand")
    firsts = [outside.page(f"first {n}.txt", text_file(1), "txt") for n in range(3)]
    singles = [seconds_to_import(mine, [first], outside.notify_url) for first in firsts]
    took = seconds_to_import(mine, documents, outside.notify_url)
    seen = Counter(row["name"] for row in mine.ingestions("thousand"))
    mine.http.request("DELETE", "/uran/lm/repositories", json={"repositories": ["thousand"]})
    assert {name: seen[name] for name in names(documents)} == dict.fromkeys(names(documents), 1)
    # A machine that is busy with something else is slow at a single one, too; deciding took thirty times as long.
    assert took < max(1, 6 * min(singles))
