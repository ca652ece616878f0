"""Whatever a client does to its stream, the text it ends with is the stored answer, byte for byte."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import httpx
import pytest
from httpx_sse import EventSource, ServerSentEvent

from infra.local.stack import RunningStack
from tests.e2e.client import Client, question_body
from tests.e2e.talking import TalkingModel

TEXT = tuple(f"第{number}段 – naïve 🙂\n" for number in range(12))
WHOLE = "".join(TEXT)
KINDS = ("started", "delta", "finished", "failed")


@pytest.fixture
def client(talking: RunningStack) -> Client:
    return Client(talking)


@pytest.fixture
def slow(model: TalkingModel) -> Iterator[TalkingModel]:
    model.pieces, model.pause = TEXT, 0.15
    yield model
    model.pieces, model.pause = ("Well. ",), 0.0


def start(client: Client) -> str:
    """Ask, and leave at once; the answer goes on by itself."""
    with client.http.stream("POST", "/uran/lm/question", json=question_body("Talk!")) as reply:
        return str(reply.headers["x-answer-token"])


def events(client: Client, token: str, after: str | None = None) -> Iterator[ServerSentEvent]:
    headers = {} if after is None else {"Last-Event-ID": after}
    with client.http.stream("GET", f"/answers/{token}/events", headers=headers) as reply:
        assert reply.status_code == 200, reply.read()
        yield from EventSource(reply).iter_sse()


def text_of(found: list[ServerSentEvent]) -> str:
    return "".join(event.json()["text"] for event in found if event.event == "delta")


def ended(client: Client, token: str, seconds: float = 60) -> dict[str, object]:
    until = time.monotonic() + seconds
    while (stored := client.stored_answer(token))["status"] == "running":
        assert time.monotonic() < until, "the answer never ends"
        time.sleep(0.1)
    return stored


def test_a_client_that_is_cut_after_every_event_ends_with_the_stored_answer(client: Client, slow: TalkingModel) -> None:
    token, found, last = start(client), [], None
    for _ in range(200):
        event = next(events(client, token, last))
        if event.event in ("finished", "failed"):
            break
        found.append(event)
        last = event.id
    assert text_of(found) == WHOLE == ended(client, token)["answer"]
    assert len({event.id for event in found}) == len(found)


def test_the_contracts_own_stream_goes_on_where_it_was_cut(client: Client, slow: TalkingModel) -> None:
    text, last, token = "", "", ""
    for cut_after in (3, 2, 1000):
        headers = {"Last-Event-ID": last, "X-Answer-Token": token} if token else {}
        body = question_body("Talk!")
        with client.http.stream("POST", "/uran/lm/question", json=body, headers=headers) as reply:
            token = reply.headers["x-answer-token"]
            for number, event in enumerate(EventSource(reply).iter_sse()):
                if event.data == "[DONE]":
                    break
                text += event.json()["choices"][0]["delta"].get("content", "")
                last = event.id or last
                if number == cut_after:
                    break
    assert text == WHOLE == ended(client, token)["answer"]


def test_a_client_that_reads_slowly_gets_it_all(client: Client, slow: TalkingModel) -> None:
    token = start(client)
    found = []
    for event in events(client, token):
        found.append(event)
        time.sleep(0.2)
    assert text_of(found) == WHOLE
    assert [event.event for event in found if event.event in ("finished", "failed")] == ["finished"]


@pytest.mark.parametrize("after", ["", "nonsense", "3.999999999999", "-1", "3.٣", "9.0;DROP", "1" * 4000])
def test_an_id_that_is_none_gives_the_whole_answer(client: Client, model: TalkingModel, after: str) -> None:
    token = start(client)
    ended(client, token)
    headers = {b"Last-Event-ID": after.encode()}
    with client.http.stream("GET", f"/answers/{token}/events", headers=headers) as reply:
        found = list(EventSource(reply).iter_sse())
    assert text_of(found) == client.stored_answer(token)["answer"] != ""


def test_resuming_after_the_end_gives_the_end_once_more(client: Client, model: TalkingModel) -> None:
    token = start(client)
    ended(client, token)
    last = list(events(client, token))[-1]
    assert [event.event for event in events(client, token, last.id)] == ["finished"]


def test_a_connection_that_breaks_in_the_middle_of_a_frame_stops_nothing(client: Client, slow: TalkingModel) -> None:
    token, target = start(client), urlsplit(client.stack.url)
    with socket.create_connection((target.hostname, target.port)) as raw:
        head = f"GET /answers/{token}/events HTTP/1.1\r\nHost: x\r\nX-Api-Key: local-dev-key\r\n\r\n"
        raw.sendall(head.encode())
        raw.recv(150)
    assert ended(client, token)["answer"] == WHOLE


def test_cancelling_ends_the_answer_once_and_again_changes_nothing(client: Client, slow: TalkingModel) -> None:
    token = start(client)
    seen = events(client, token)
    while next(seen).event != "delta":
        pass
    assert [client.http.delete(f"/answers/{token}").status_code for _ in range(2)] == [204, 204]
    rest = list(seen)
    assert [event.event for event in rest if event.event in ("finished", "failed")] == ["failed"]
    stored = client.stored_answer(token)
    assert (stored["status"], stored["error"]["code"]) == ("cancelled", "cancelled")
    time.sleep(1)
    assert client.stored_answer(token)["answer"] == stored["answer"]
    assert text_of(list(events(client, token))) == stored["answer"]


@pytest.mark.parametrize(
    "call",
    [
        lambda http, token: http.delete(f"/answers/{token}"),
        lambda http, token: http.get(f"/answers/{token}/events"),
        lambda http, token: http.get(f"/answers/{token}"),
        lambda http, token: http.post(
            "/uran/lm/question", json=question_body("x"), headers={"X-Answer-Token": token, "Last-Event-ID": ""}
        ),
    ],
    ids=["cancel", "events", "read", "resume"],
)
def test_another_tenant_can_neither_read_nor_cancel(
    client: Client, talking: RunningStack, model: TalkingModel, call: Callable[[httpx.Client, str], httpx.Response]
) -> None:
    token = start(client)
    made = client.http.post("/admin/keys", json={"user_id": "eve", "tenant": "other"}).json()
    assert call(Client(talking, made["key"]).http, token).status_code == 404
    assert ended(client, token)["status"] == "finished"
