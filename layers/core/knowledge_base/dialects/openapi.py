"""A contract as an OpenAPI 3.1 document, made from the same routes and models that serve it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from knowledge_base.dialects.contract import AnswerRoute, Contract, DownloadRoute, Route, StreamRoute

VERSION = "1.0"
_REFERENCE = "#/components/schemas/{model}"


def openapi(contract: Contract) -> dict[str, Any]:
    """Return the OpenAPI document of a contract."""
    schemas = _schemas(contract)
    paths: dict[str, dict[str, Any]] = {}
    for route in (*contract.routes, *contract.slow):
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(contract, route)
    for answer in contract.answers:
        paths.setdefault(answer.path, {})[answer.method.lower()] = _answer_operation(contract, answer)
    for stream in contract.streams:
        paths.setdefault(stream.path, {})[stream.method.lower()] = _stream_operation(contract, stream)
    for download in contract.downloads:
        paths.setdefault(download.path, {})[download.method.lower()] = _download_operation(contract, download)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": contract.title,
            "version": VERSION,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "security": [{"bearer": []}, {"apiKey": []}],
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": _SECURITY},
    }


_SECURITY = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "apiKey": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
}


_TOKEN = {"headers": {"X-Answer-Token": {"schema": {"type": "string"}}}}


def _models(contract: Contract) -> Iterable[type[BaseModel]]:
    for route in (*contract.routes, *contract.slow):
        yield from (model for model in (route.body, route.reply) if model)
    for answer in contract.answers:
        yield from (model for model in (answer.body, answer.reply) if model)
    yield from (stream.body for stream in contract.streams if stream.body)
    yield contract.error_model


def _schemas(contract: Contract) -> dict[str, Any]:
    models = [(model, "validation") for model in dict.fromkeys(_models(contract))]
    _, made = models_json_schema(models, ref_template=_REFERENCE)  # type: ignore[arg-type]
    schemas: dict[str, Any] = made["$defs"]
    return schemas


def _operation(contract: Contract, route: Route) -> dict[str, Any]:
    operation = _common(contract, route.method, route.path, route.summary, route.body, route.body_types)
    operation["parameters"] += _parameters("query", route.query) + _parameters("header", route.headers)
    reply: dict[str, Any] = {"description": "Success"}
    if route.reply:
        reply["content"] = {"application/json": {"schema": _ref(route.reply)}}
    operation["responses"] = {str(route.status): reply, **operation["responses"]}
    if route.public:
        operation["security"] = []
    return operation


def _answer_operation(contract: Contract, route: AnswerRoute) -> dict[str, Any]:
    operation = _common(contract, route.method, route.path, route.summary, route.body)
    reply: dict[str, Any] = {"description": "The answer, when it has ended; its token is in the header", **_TOKEN}
    if route.reply:
        reply["content"] = {"application/json": {"schema": _ref(route.reply)}}
    if route.encoder:
        reply.setdefault("content", {})["text/event-stream"] = {"schema": {"type": "string"}}
    operation["responses"] = {"200": reply, **operation["responses"]}
    return operation


def _stream_operation(contract: Contract, route: StreamRoute) -> dict[str, Any]:
    operation = _common(contract, route.method, route.path, route.summary, route.body)
    reply = {
        "description": "A stream of server-sent events; the answer's token is in the header",
        **_TOKEN,
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
    operation["responses"] = {"200": reply, **operation["responses"]}
    return operation


def _download_operation(contract: Contract, route: DownloadRoute) -> dict[str, Any]:
    operation = _common(contract, route.method, route.path, route.summary, None)
    operation["parameters"] += _parameters("query", route.query)
    content = {media_type: {"schema": {"type": "string", "format": "binary"}} for media_type in route.media_types}
    operation["responses"] = {"200": {"description": "Success", "content": content}, **operation["responses"]}
    return operation


def _parameters(place: str, names: Iterable[str]) -> list[dict[str, Any]]:
    return [{"name": name, "in": place, "required": False, "schema": {"type": "string"}} for name in names]


def _common(
    contract: Contract,
    method: str,
    path: str,
    summary: str,
    body: type[BaseModel] | None,
    body_types: Iterable[str] = ("application/json",),
) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "summary": summary,
        "operationId": _operation_id(method, path),
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            for name in re.findall(r"{(\w+)}", path)
        ],
        "responses": {
            "default": {
                "description": "Any error",
                "content": {contract.error_media_type.partition(";")[0]: {"schema": _ref(contract.error_model)}},
            }
        },
    }
    if body:
        content = {media_type: {"schema": _ref(body)} for media_type in body_types}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _operation_id(method: str, path: str) -> str:
    words = re.findall(r"\w+", path)
    return "_".join([method.lower(), *(word.replace("-", "_") for word in words)])


def _ref(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": _REFERENCE.format(model=model.__name__)}
