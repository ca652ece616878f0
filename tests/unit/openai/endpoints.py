"""Builders for endpoints of scripted servers."""

from __future__ import annotations

from typing import Any

from knowledge_base.adapters.openai.chat_model import OpenAIChatModel
from knowledge_base.adapters.openai.embedder import OpenAIEmbedder
from knowledge_base.adapters.openai.endpoint_pool import Pace
from knowledge_base.ports.models import ChatMessage
from knowledge_base.settings import Endpoint
from tests.scripted_openai import DIMENSIONS, ScriptedOpenAI

KEY = "sk-very-secret"
PACE = Pace(limit=1.0, patience=30.0)
QUESTION = [ChatMessage("system", "Be brief."), ChatMessage("user", "When does the pump start?")]


def an_endpoint(server: ScriptedOpenAI, **changes: Any) -> Endpoint:
    return Endpoint(
        **{"base_url": server.base_url, "model": "test-model", "api_key": KEY, "dimensions": DIMENSIONS, **changes}
    )


def an_embedder(*servers: ScriptedOpenAI, **changes: Any) -> OpenAIEmbedder:
    return OpenAIEmbedder(
        [an_endpoint(server) for server in servers], **{"query_pace": PACE, "passage_pace": PACE, **changes}
    )


def a_chat_model(*servers: ScriptedOpenAI, **changes: Any) -> OpenAIChatModel:
    return OpenAIChatModel([an_endpoint(server) for server in servers], **{"first_piece": PACE, "gap": 0.5, **changes})


def ask(chat: OpenAIChatModel, **changes: Any) -> list[str]:
    return list(chat.stream(QUESTION, **{"max_tokens": 50, "temperature": 0.2, **changes}))
