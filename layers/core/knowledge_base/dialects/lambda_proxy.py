"""Serves a contract's plain routes behind API Gateway: Powertools routes, the contract answers."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import APIGatewayRestResolver, CORSConfig, Response

from knowledge_base.dialects.contract import (
    ALLOWED_HEADERS,
    EXPOSED_HEADERS,
    Contract,
    Reply,
    Request,
    Route,
    handle,
)
from knowledge_base.services.registry import Services


def rest_application(
    contract: Contract, get_services: Callable[[], Services], logger: Logger, *, cors_origins: Sequence[str] = ()
) -> APIGatewayRestResolver:
    """Return a resolver that answers every route of a contract, and every other one with its 404."""
    app = APIGatewayRestResolver(cors=_cors(cors_origins))
    for route in contract.routes:
        app.route(_powertools_path(route.path), method=route.method)(_handler(app, contract, route, get_services))

    @app.not_found
    def not_found(_error: Exception) -> Response[str]:
        return _response(contract.not_found(app.current_event.path))

    @app.exception_handler(Exception)  # type: ignore[untyped-decorator]  # Powertools leaves it untyped
    def unforeseen(error: Exception) -> Response[str]:
        logger.exception("unforeseen error", error_type=type(error).__name__)
        return _response(contract.error_reply(error))

    return app


def _cors(origins: Sequence[str]) -> CORSConfig | None:
    """Let pages of some origins call the API with a key, and read what streams and limits say in headers."""
    if not origins:
        return None
    return CORSConfig(
        allow_origin=origins[0],
        extra_origins=list(origins[1:]),
        allow_headers=list(ALLOWED_HEADERS),
        expose_headers=list(EXPOSED_HEADERS),
    )


def _handler(
    app: APIGatewayRestResolver, contract: Contract, route: Route, get_services: Callable[[], Services]
) -> Callable[..., Response[str]]:
    def respond(**path: str) -> Response[str]:
        return _response(handle(contract, route, _request(app.current_event.raw_event, path), get_services()))

    return respond


def _powertools_path(path: str) -> str:
    return path.replace("{", "<").replace("}", ">")


def _request(event: dict[str, Any], path: dict[str, str]) -> Request:
    return Request(
        path=path,
        query=event.get("multiValueQueryStringParameters") or {},
        headers={name.lower(): value for name, value in (event.get("headers") or {}).items()},
        body=_body(event),
    )


def _body(event: dict[str, Any]) -> bytes:
    body = event.get("body") or ""
    return base64.b64decode(body) if event.get("isBase64Encoded") else body.encode()


def _response(reply: Reply) -> Response[str]:
    body = "" if reply.body is None else json.dumps(reply.body, ensure_ascii=False)
    return Response(reply.status, content_type=reply.media_type, body=body, headers=dict(reply.headers))
