"""The engineering contract on the running stack."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from httpx_sse import EventSource

from tests.e2e.client import Client

UPLOADS = 100


def store(client: Client, text: str, name: str = "note.md", **said: Any) -> str:
    reply = client.http.post("/documents", files={"document": (name, text)}, data={"metadata": json.dumps(said)})
    assert reply.status_code == 200, reply.text
    return str(reply.json()["document_id"])


def search(client: Client, query: str, **parameters: Any) -> dict[str, Any]:
    reply = client.http.get("/search", params={"query": query, **parameters})
    assert reply.status_code == 200, reply.text
    return dict(reply.json())


def found(client: Client, query: str, **parameters: Any) -> set[str]:
    return {result["document_id"] for result in search(client, query, **parameters)["results"]}


def wait_until_found(client: Client, document_id: str, query: str, seconds: float = 30, **parameters: Any) -> None:
    until = time.monotonic() + seconds
    while document_id not in found(client, query, **parameters):
        assert time.monotonic() < until, "it was never found"
        time.sleep(0.05)


def key_of(client: Client, user: str, *roles: str) -> Client:
    made = client.http.post("/admin/keys", json={"user_id": user, "roles": roles})
    assert made.status_code == 201, made.text
    return Client(client.stack, made.json()["key"])


def test_a_document_is_found_changed_and_gone_and_others_never_see_it(client: Client) -> None:
    bob = key_of(client, "bob")
    document_id = store(client, "The gate of hall seven opens with code 4711.", title="Gate", tags=["gates"])
    wait_until_found(client, document_id, "gate of hall seven", tags="gates")
    assert found(bob, "gate of hall seven", tags="gates") == set()
    shared = client.http.put(f"/documents/{document_id}", json={"public": True})
    assert shared.headers["etag"] == '"2"'
    wait_until_found(bob, document_id, "gate of hall seven", tags="gates")
    assert bob.http.delete(f"/documents/{document_id}").status_code == 403
    stale = client.http.delete(f"/documents/{document_id}", headers={"If-Match": '"1"'})
    assert stale.status_code == 412
    assert client.http.delete(f"/documents/{document_id}").status_code == 204
    assert found(bob, "gate of hall seven", tags="gates") == found(client, "gate of hall seven", tags="gates") == set()


@pytest.mark.timeout(300)
def test_a_hundred_uploads_at_once_lose_nothing(client: Client) -> None:
    def upload(number: int) -> str:
        return store(client, f"Locker {number} of the bulk opens with code {number * 7919}.", tags=["bulk"])

    with ThreadPoolExecutor(20) as pool:
        ids = set(pool.map(upload, range(UPLOADS)))
    assert len(ids) == UPLOADS
    until, states = time.monotonic() + 240, [""]
    while set(states) != {"ready"}:
        assert time.monotonic() < until, states
        documents = client.http.get("/documents", params={"tags": "bulk", "limit": 100}).json()["documents"]
        assert {document["document_id"] for document in documents} == ids
        states = [document["status"] for document in documents]
        time.sleep(0.5)
    assert search(client, "locker of the bulk", tags="bulk", limit=100)["total_results"] == UPLOADS


def test_an_answer_comes_plain_and_streamed_with_sources_that_stand_in_the_document(client: Client) -> None:
    text = "# Crane\n\nThe crane in hall nine lifts twelve tons."
    document_id = store(client, text, title="Crane", tags=["cranes"])
    wait_until_found(client, document_id, "crane hall nine", tags="cranes")
    asked = {"question": "How many tons does the crane in hall nine lift?", "filters": {"tags": ["cranes"]}}
    plain = client.http.post("/answer", json=asked)
    assert plain.status_code == 200, plain.text
    told = plain.json()
    assert "twelve tons" in told["answer"]
    (source,) = told["references"]
    canonical = client.http.get(f"/documents/{document_id}/text").text
    assert canonical[source["start"] : source["end"]] == source["quote"]
    with client.http.stream("POST", "/answer", json={**asked, "stream": True}) as reply:
        events = [(event.event, json.loads(event.data)) for event in EventSource(reply).iter_sse()]
    assert "".join(data["text"] for kind, data in events if kind == "delta") == told["answer"]
    assert [data["reference"] for kind, data in events if kind == "source"] == told["references"]
    assert events[-1][0] == "finished"


def test_related_documents_and_votes_work_on_the_running_stack(client: Client) -> None:
    tag = {"tags": ["pumps"]}
    report = store(client, "Pump TK-6100 broke on Monday. Anna Berg repaired the TK-6100.", **tag)
    order = store(client, "Anna Berg ordered seals for TK-6100.", **tag)
    for document_id in (report, order):
        wait_until_found(client, document_id, "TK-6100", tags="pumps")
    related = client.http.get(f"/documents/{report}/related").json()["related"]
    assert related[0]["document_id"] == order
    assert set(related[0]["shared"]) == {"TK-6100", "Anna Berg"}
    vote = {"query": "who repaired it", "document_id": order, "chunk_index": 0, "rating": "up"}
    assert client.http.post("/search/feedback", json=vote).status_code == 204
    explained = search(client, "who repaired it", tags="pumps", explain="true")["results"]
    assert {result["document_id"]: result["explain"]["feedback"] > 0 for result in explained} == {
        order: True,
        report: False,
    }
