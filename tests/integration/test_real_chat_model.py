"""The chat adapter against a real model server: a small model, but the wire, the pace and the failures are real."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from infra.local.ports import free_port
from infra.local.processes import Child
from infra.local.supervisor import CHAT_PYTHON
from knowledge_base.adapters.openai.chat_model import OpenAIChatModel
from knowledge_base.adapters.openai.endpoint_pool import Pace
from knowledge_base.domain.traces import Usage
from knowledge_base.ports.models import ChatMessage
from knowledge_base.settings import Endpoint

pytestmark = [
    pytest.mark.skipif(not CHAT_PYTHON.exists(), reason="the small chat model is not there: run `make setup-chat`"),
    pytest.mark.xdist_group("chat model"),
    pytest.mark.timeout(300),
]
PACE = Pace(limit=100.0, patience=200.0)
ASKED = [
    ChatMessage("system", "Answer with one short sentence."),
    ChatMessage("user", "The pump starts at forty degrees. When does the pump start?"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("chat")
    port = free_port()
    child = Child(
        "chat_server",
        "infra.local.chat_server",
        str(port),
        log=folder / "log",
        environment={},
        python=str(CHAT_PYTHON),
    )
    until = time.monotonic() + 120
    while True:
        assert child.is_running, child.failure()
        assert time.monotonic() < until
        try:
            if httpx.get(f"http://127.0.0.1:{port}/health", trust_env=False).is_success:
                break
        except httpx.TransportError:
            time.sleep(0.1)
    yield f"http://127.0.0.1:{port}/v1"
    child.ask_to_end()
    child.wait(5)


def a_model(*urls: str) -> OpenAIChatModel:
    endpoints = [Endpoint(url, "smollm2-135m", "local", weight=int(not place)) for place, url in enumerate(urls)]
    return OpenAIChatModel(endpoints, first_piece=PACE, gap=60.0)


def test_words_come_piece_by_piece_and_tokens_are_told(server: str) -> None:
    told: list[Usage] = []
    pieces = list(a_model(server).stream(ASKED, max_tokens=24, temperature=0, on_usage=told.append))
    assert len(pieces) > 3
    assert "".join(pieces).strip()
    (usage,) = told
    assert usage.model == "smollm2-135m"
    assert usage.prompt_tokens > 20
    assert 0 < usage.completion_tokens <= 24


def test_the_length_that_was_asked_for_is_kept(server: str) -> None:
    told: list[Usage] = []
    list(a_model(server).stream(ASKED, max_tokens=3, temperature=0, on_usage=told.append))
    assert told[0].completion_tokens <= 3


def test_what_the_server_says_of_its_model_is_read(server: str) -> None:
    known = a_model(server).capabilities()
    assert known.context_tokens is not None
    assert known.context_tokens >= 2048
    assert known.sees_images is False


def test_it_takes_over_from_an_endpoint_that_is_not_there(server: str) -> None:
    nobody = f"http://127.0.0.1:{free_port()}/v1"
    assert list(a_model(nobody, server).stream(ASKED, max_tokens=4, temperature=0))


def test_a_reader_that_leaves_does_not_keep_the_server_from_the_next(server: str) -> None:
    reply = a_model(server).stream(ASKED, max_tokens=400, temperature=1.0)
    assert next(reply)
    reply.close()  # type: ignore[attr-defined]
    assert list(a_model(server).stream(ASKED, max_tokens=4, temperature=0))
