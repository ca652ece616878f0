"""What endpoints say of their models, each server in words of its own."""

from __future__ import annotations

from typing import Any

import pytest

from knowledge_base.adapters.openai.capabilities import read_capabilities
from knowledge_base.ports.models import Capabilities
from tests.scripted_openai import Act, ScriptedOpenAI, fail
from tests.unit.openai.endpoints import a_chat_model


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ({"id": "m", "max_model_len": 32768}, Capabilities(32768)),
        ({"id": "m", "context_window": 131072}, Capabilities(131072)),
        ({"id": "m", "meta": {"n_ctx_train": 8192, "n_params": 1}}, Capabilities(8192)),
        (
            {
                "id": "m",
                "context_length": 200000,
                "architecture": {"input_modalities": ["text", "image"]},
                "supported_parameters": ["tools", "seed"],
            },
            Capabilities(200000, sees_images=True, calls_tools=True),
        ),
        (
            {"id": "m", "max_context_length": 4096, "capabilities": {"vision": False, "function_calling": True}},
            Capabilities(4096, sees_images=False, calls_tools=True),
        ),
        ({"id": "m", "architecture": {"input_modalities": ["text"]}}, Capabilities(None, sees_images=False)),
        ({"id": "m", "max_model_len": "large", "capabilities": ["completion"]}, Capabilities()),
        ({"id": "m", "owned_by": "openai"}, Capabilities()),
    ],
)
def test_what_a_server_says_is_read(model: dict[str, Any], expected: Capabilities) -> None:
    assert read_capabilities(model) == expected


def models(*entries: dict[str, Any]) -> Act:
    return lambda exchange: exchange.reply(200, {"object": "list", "data": list(entries)})


def test_the_model_of_the_endpoint_is_looked_for_by_its_name(server: ScriptedOpenAI) -> None:
    server.script.append(models({"id": "other", "max_model_len": 1}, {"id": "test-model", "max_model_len": 2048}))
    assert a_chat_model(server).capabilities() == Capabilities(2048)


def test_a_server_with_one_model_of_another_name_means_that_one(server: ScriptedOpenAI) -> None:
    server.script.append(models({"id": "/models/m.gguf", "meta": {"n_ctx": 4096}}))
    assert a_chat_model(server).capabilities() == Capabilities(4096)


def test_what_one_endpoint_cannot_do_cannot_be_relied_on_but_images_go_to_those_that_see(
    server: ScriptedOpenAI, other: ScriptedOpenAI
) -> None:
    def says(context: int, *, vision: bool) -> Act:
        return models({"id": "test-model", "max_model_len": context, "capabilities": {"vision": vision}})

    server.script.append(says(8192, vision=True))
    other.script.append(says(4096, vision=False))
    assert a_chat_model(server, other).capabilities() == Capabilities(4096, sees_images=True)


@pytest.mark.parametrize(
    "act",
    [
        fail(404),
        fail(500),
        lambda exchange: exchange.reply(200, b"<html>"),
        lambda exchange: exchange.reply(200, {"data": "none"}),
        models(),
        models({"id": "a"}, {"id": "b"}),
    ],
    ids=["404", "500", "no JSON", "no list", "empty", "others only"],
)
def test_of_a_server_that_does_not_say_nothing_is_known_and_it_is_asked_once(server: ScriptedOpenAI, act: Act) -> None:
    server.script.append(act)
    chat = a_chat_model(server)
    assert chat.capabilities() == chat.capabilities() == Capabilities()
    assert [request.path for request in server.requests] == ["/v1/models"]
