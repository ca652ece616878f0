"""The uran routes that put a model to work, called as a client calls them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import anyio
import pytest
from httpx import Response
from starlette.testclient import TestClient

from knowledge_base.dialects import polling, waiting
from knowledge_base.dialects.contract import Reply, Request, handle
from knowledge_base.dialects.streaming import streaming_application
from knowledge_base.dialects.uran.routes import CONTRACT
from knowledge_base.domain.access import Principal
from knowledge_base.domain.errors import ChatUnavailable, EmbedderUnavailable, NotConfigured
from knowledge_base.ports.queues import Queue
from tests.fakes import FakeChat
from tests.world import World

ASSISTANT = {"prompt": "你现在是考拉AI能力专家", "question": "烟火识别的准确率如何，是否适合工厂应用"}
COMBINE = {"question": "When does the pump start?", "texts": ["The pump starts at forty degrees.", "It is blue."]}


class Client:
    """Calls over ASGI while the queues run beside it."""

    def __init__(self, world: World, web: TestClient) -> None:
        self.world = world
        self.web = web

    def post(self, path: str, body: Any, *, runs: bool = True) -> Response:
        worker = threading.Thread(target=self._run)
        if runs:
            worker.start()
        reply = self.web.post(path, content=json.dumps(body))
        if runs:
            worker.join()
        return reply

    def _run(self) -> None:
        for _ in range(200):
            if self.world.queues.messages[Queue.QUESTION]:
                self.world.run()
                return
            time.sleep(0.01)


@pytest.fixture
def client(world: World) -> Iterator[Client]:
    key = world.container.access.create_key(world.caller, Principal("acme", "ann")).key
    with TestClient(streaming_application((CONTRACT,), lambda: world.container)) as web:
        web.headers["authorization"] = f"Bearer {key}"
        yield Client(world, web)


def call(world: World, path: str, body: Any) -> Reply:
    key = world.container.access.create_key(world.caller, Principal("acme", "ann")).key
    route = next(route for route in CONTRACT.routes if (route.method, route.path) == ("POST", path))
    return handle(CONTRACT, route, Request(headers={"x-api-key": key}, body=json.dumps(body).encode()), world.container)


@pytest.mark.parametrize("word", ["lm", "llm"])
def test_the_assistant_answers_with_its_prompt_in_mind(world: World, client: Client, word: str) -> None:
    world.stores.chat = FakeChat(["准确率", "85%以上"])
    reply = client.post(f"/uran/{word}/assistant", ASSISTANT)
    assert reply.status_code == 200
    assert reply.json() == {"status": 200, "message": "success", "data": {"answer": "准确率85%以上"}}
    (asked,) = world.stores.chat.asked
    assert [(message.role, message.content) for message in asked] == [
        ("system", ASSISTANT["prompt"]),
        ("user", ASSISTANT["question"]),
    ]


def test_the_assistants_answer_is_kept_under_its_token(world: World, client: Client) -> None:
    world.stores.chat = FakeChat(["Yes."])
    token = client.post("/uran/lm/assistant", {"question": "Is it?"}).headers["x-answer-token"]
    kept = world.container.answers.get(Principal("acme", "ann"), token)
    assert (kept.text, kept.record.question.text) == ("Yes.", "Is it?")


def test_without_a_chat_model_the_assistant_names_the_setting(client: Client) -> None:
    reply = client.post("/uran/lm/assistant", ASSISTANT)
    assert (reply.status_code, reply.json()["status"]) == (503, 503)
    assert "KB_LLM_ENDPOINTS" in reply.json()["message"]


def test_a_chat_model_that_is_down_says_when_to_come_back(world: World, client: Client) -> None:
    world.stores.chat = FakeChat([ChatUnavailable("no chat endpoint answers")])
    reply = client.post("/uran/lm/assistant", ASSISTANT)
    assert (reply.status_code, reply.json()) == (503, {"status": 503, "message": "no chat endpoint answers"})
    assert int(reply.headers["retry-after"]) > 0


@pytest.mark.parametrize(
    ("path", "body", "says"),
    [
        ("assistant", {"prompt": "p"}, "question"),
        ("assistant", {"question": "  "}, "question"),
        ("assistant", {"question": 5}, "question"),
        ("assistant", {"question": "q", "prompt": "泵" * 100_001}, "300000 bytes"),
        ("combine", {"question": "q"}, "texts"),
        ("combine", {"question": "q", "texts": []}, "texts"),
        ("combine", {"question": "q", "texts": "one"}, "texts"),
        ("combine", {"question": "q", "texts": ["a" * 150_000, "b" * 150_001]}, "300000 bytes"),
        ("block_embedding", {"texts": []}, "texts"),
        ("block_embedding", {"texts": ["a"] * 257}, "256"),
        ("block_embedding", {"texts": ["a", "b" * 6001]}, "texts.1"),
        ("block_embedding", {"texts": ["a", " "]}, "texts.1"),
        ("block_embedding", {"text": "a"}, "texts"),
        ("block_embedding", [], "object"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(client: Client, path: str, body: Any, says: str) -> None:
    reply = client.post(f"/uran/lm/{path}", body, runs=False)
    assert (reply.status_code, reply.json()["status"]) == (400, 400)
    assert says in reply.json()["message"]


@pytest.mark.parametrize("path", ["assistant", "combine", "block_embedding"])
def test_without_a_key_no_model_works(client: Client, path: str) -> None:
    client.web.headers["authorization"] = "Bearer wrong"
    reply = client.post(f"/uran/lm/{path}", {}, runs=False)
    assert (reply.status_code, reply.json()["status"]) == (401, 401)


def test_an_answer_that_takes_too_long_can_be_read_later(
    world: World, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "LONGEST_WAIT", 0.1)
    reply = client.post("/uran/lm/assistant", ASSISTANT, runs=False)
    token = reply.headers["x-answer-token"]
    assert (reply.status_code, reply.json()["status"]) == (504, 504)
    assert f"/answers/{token}" in reply.json()["message"]
    world.stores.chat = FakeChat(["Late."])
    world.run()
    assert world.container.answers.get(Principal("acme", "ann"), token).text == "Late."


def test_an_answer_that_nobody_writes_ends_at_its_deadline(world: World, client: Client) -> None:
    threading.Timer(0.2, world.clock.pass_seconds, (400,)).start()
    reply = client.post("/uran/lm/assistant", ASSISTANT, runs=False)
    assert (reply.status_code, reply.json()["status"]) == (504, 504)


def test_a_client_that_leaves_ends_the_waiting_and_not_the_answer(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(polling, "HEARTBEAT_SECONDS", 0.1)
    key = world.container.access.create_key(world.caller, Principal("acme", "ann")).key
    incoming: list[dict[str, Any]] = [
        {"type": "http.request", "body": json.dumps(ASSISTANT).encode()},
        {"type": "http.disconnect"},
    ]

    async def receive() -> dict[str, Any]:
        return incoming.pop(0) if len(incoming) > 1 else incoming[0]

    async def send(_message: Any) -> None:
        return None

    async def call_and_leave() -> None:
        headers = [(b"x-api-key", key.encode())]
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/uran/lm/assistant",
            "headers": headers,
            "query_string": b"",
        }
        with anyio.fail_after(20):
            await streaming_application((CONTRACT,), lambda: world.container)(scope, receive, send)

    anyio.run(call_and_leave)
    world.stores.chat = FakeChat(["Still."])
    token = world.queues.bodies(Queue.QUESTION)[0]["question_token"]
    world.run()
    assert world.container.answers.get(Principal("acme", "ann"), token).text == "Still."


@pytest.mark.parametrize("word", ["lm", "llm"])
def test_texts_are_combined_by_quoting_where_there_is_no_chat_model(client: Client, word: str) -> None:
    reply = client.post(f"/uran/{word}/combine", COMBINE)
    assert reply.json() == {"status": 200, "message": "success", "data": {"answer": COMBINE["texts"][0]}}


def test_a_chat_model_combines_texts_and_is_held_to_them(world: World, client: Client) -> None:
    world.stores.chat = FakeChat(["At forty degrees [1]", ", see [more](https://evil.example)."])
    reply = client.post("/uran/lm/combine", COMBINE)
    answer = reply.json()["data"]["answer"]
    assert answer.startswith("At forty degrees, see more")
    assert "evil" not in answer
    (asked,) = world.stores.chat.asked
    assert all(text in asked[-1].content for text in COMBINE["texts"])


def test_texts_are_quoted_when_the_chat_model_does_not_begin(world: World, client: Client) -> None:
    world.stores.chat = FakeChat([ChatUnavailable("no chat endpoint answers")])
    reply = client.post("/uran/lm/combine", COMBINE)
    assert reply.json()["data"] == {"answer": COMBINE["texts"][0]}


def test_a_model_that_breaks_off_while_combining_fails_the_answer(world: World, client: Client) -> None:
    world.stores.chat = FakeChat(["At forty ", ChatUnavailable("the chat endpoint broke off")])
    assert client.post("/uran/lm/combine", COMBINE).status_code == 503


@pytest.mark.parametrize("word", ["lm", "llm"])
def test_blocks_are_embedded_in_their_order(world: World, client: Client, word: str) -> None:
    texts = ["Hi there!", "Oh, hello!", "My friends call me World"]
    reply = client.post(f"/uran/{word}/block_embedding", {"texts": texts}, runs=False)
    assert (reply.status_code, reply.json()["message"]) == (200, "success")
    assert reply.json()["data"]["embeddings"] == world.stores.embedders.embedder.embed_passages(texts)


@pytest.mark.parametrize("word", ["lm", "llm"])
def test_a_question_is_embedded(world: World, word: str) -> None:
    reply = call(world, f"/uran/{word}/embedding", {"text": "What's the phone number of Qiu?"})
    expected = world.stores.embedders.embedder.embed_query("What's the phone number of Qiu?")
    assert reply.body == {"status": 200, "message": "success", "data": {"embedding": expected}}


@pytest.mark.parametrize("body", [{}, {"text": " "}, {"text": ["a"]}, {"text": "a" * 6001}])
def test_a_wrong_text_is_not_embedded(world: World, body: Any) -> None:
    reply = call(world, "/uran/llm/embedding", body)
    assert (reply.status, reply.body["status"]) == (400, 400)
    assert "text" in reply.body["message"]


def test_an_embedder_that_is_down_says_when_to_come_back(world: World, client: Client) -> None:
    world.stores.embedders.embedder.down = True
    replies = [
        client.post("/uran/lm/block_embedding", {"texts": ["a"]}, runs=False),
        call(world, "/uran/llm/embedding", {"text": "a"}),
    ]
    assert (replies[0].status_code, replies[1].status) == (503, 503)
    assert all(int(reply.headers["Retry-After"]) > 0 for reply in replies)


@pytest.mark.parametrize(
    ("error", "status"), [(NotConfigured("KB_EMBEDDING_ENDPOINTS", "embedding"), 503), (EmbedderUnavailable("x"), 503)]
)
def test_an_embedder_that_is_not_there_is_told_in_the_contracts_form(
    world: World, client: Client, error: Exception, status: int
) -> None:
    world.stores.embedders.embedder.refusal = error
    reply = client.post("/uran/lm/block_embedding", {"texts": ["a"]}, runs=False)
    assert reply.json() == {"status": status, "message": str(error)}
