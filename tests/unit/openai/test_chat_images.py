"""Requests with images go to endpoints that see, and a refusal of them is told as one."""

from __future__ import annotations

import pytest

from knowledge_base.adapters.openai.chat_model import OpenAIChatModel
from knowledge_base.domain.errors import ImagesRefused
from knowledge_base.ports.models import ChatMessage
from tests.scripted_openai import Act, ScriptedOpenAI, fail
from tests.unit.openai.endpoints import PACE, a_chat_model, an_endpoint

LOOK = [ChatMessage("user", "What is this?", images=("data:image/png;base64,AAAA",))]


def says_vision(*, is_so: bool) -> Act:
    models = {"data": [{"id": "test-model", "capabilities": {"vision": is_so}}]}
    return lambda exchange: exchange.reply(200, models)


def test_images_go_to_the_endpoints_that_see(server: ScriptedOpenAI, other: ScriptedOpenAI) -> None:
    server.will(says_vision(is_so=False))
    other.will(says_vision(is_so=True))
    chat = a_chat_model(server, other)
    for _ in range(4):
        list(chat.stream(LOOK, max_tokens=5, temperature=0))
    assert [request.path for request in server.requests] == ["/v1/models"]
    assert len(other.requests) == 5


def test_a_setting_says_what_an_endpoint_does_not(server: ScriptedOpenAI) -> None:
    chat = OpenAIChatModel([an_endpoint(server, vision=True)], first_piece=PACE)
    server.will(fail(404))
    assert chat.capabilities().sees_images is True


@pytest.mark.parametrize("status", [400, 404, 415, 422])
def test_a_refusal_of_images_is_told_as_such(server: ScriptedOpenAI, status: int) -> None:
    server.will(fail(status))
    with pytest.raises(ImagesRefused):
        list(a_chat_model(server).stream(LOOK, max_tokens=5, temperature=0))
