"""What an endpoint says of its model: how much it reads at once, and whether it sees pictures or calls tools.

The OpenAI API does not tell, but most servers that speak it add fields to `GET /models`: vLLM `max_model_len`, Groq
`context_window`, OpenRouter `context_length` with `architecture.input_modalities` and `supported_parameters`,
llama.cpp `meta.n_ctx`, Mistral `max_context_length` with `capabilities`. What is not said is unknown, not absent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowledge_base.adapters.openai.endpoint_errors import EndpointError, translated
from knowledge_base.adapters.openai.pool_member import Member, timeout
from knowledge_base.ports.models import Capabilities

PROBE_SECONDS = 2.0
"""An answer may wait for a probe, once in a process."""
_CONTEXT = ("max_model_len", "context_window", "context_length", "max_context_length", "n_ctx", "n_ctx_train")


def probe(member: Member) -> Capabilities:
    """Return what an endpoint says of its model; of one that says nothing, or does not answer, nothing is known."""
    try:
        reply: object = translated(
            lambda: member.client.get("/models", cast_to=object, options={"timeout": timeout(PROBE_SECONDS)})
        )
    except EndpointError:
        return Capabilities()
    listed = reply.get("data") if isinstance(reply, dict) else None
    models = [model for model in listed if isinstance(model, dict)] if isinstance(listed, list) else []
    named = [model for model in models if model.get("id") == member.endpoint.model]
    chosen = (named or models[:1] if len(models) == 1 else named)[:1]
    return read_capabilities(chosen[0]) if chosen else Capabilities()


def read_capabilities(model: Mapping[str, Any]) -> Capabilities:
    """Return what an entry of `GET /models` says."""
    places: list[Mapping[str, Any]] = [model, *(part for part in model.values() if isinstance(part, dict))]
    lengths = (place.get(name) for place in places for name in _CONTEXT)
    context = next((length for length in lengths if isinstance(length, int) and length > 0), None)
    said = model.get("capabilities")
    known: Mapping[str, Any] = said if isinstance(said, dict) else {}
    return Capabilities(context, _vision(model, known), _tools(model, known))


def _vision(model: Mapping[str, Any], known: Mapping[str, Any]) -> bool | None:
    architecture = model.get("architecture")
    modalities = architecture.get("input_modalities") if isinstance(architecture, dict) else None
    if isinstance(modalities, list):
        return "image" in modalities
    return _flag(known, "vision", "multimodal")


def _tools(model: Mapping[str, Any], known: Mapping[str, Any]) -> bool | None:
    parameters = model.get("supported_parameters")
    if isinstance(parameters, list):
        return "tools" in parameters
    return _flag(known, "function_calling", "tools", "tool_use")


def _flag(known: Mapping[str, Any], *names: str) -> bool | None:
    return next((known[name] for name in names if isinstance(known.get(name), bool)), None)
