"""Between a web request and a contract's request, and back."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from starlette import requests, responses

from knowledge_base.dialects.contract import Contract, Reply, Request
from knowledge_base.domain.errors import KnowledgeBaseError

Endpoint: TypeAlias = Callable[[requests.Request], Awaitable[responses.Response]]
logger = logging.getLogger(__name__)


async def read_request(incoming: requests.Request) -> Request:
    """Return a web request as a contract sees it."""
    return Request(
        path=incoming.path_params,
        query={name: incoming.query_params.getlist(name) for name in incoming.query_params},
        headers=dict(incoming.headers),
        body=await incoming.body(),
    )


def refusal(contract: Contract, error: Exception) -> responses.Response:
    """Return how a contract tells an error, which is logged if nobody has foreseen it."""
    if not isinstance(error, KnowledgeBaseError):
        logger.exception("unforeseen error", exc_info=error)
    return plain(contract.error_reply(error))


def plain(reply: Reply) -> responses.Response:
    """Return a contract's reply as a web response."""
    body = json.dumps(reply.body, ensure_ascii=False)
    return responses.Response(body, reply.status, dict(reply.headers), media_type=reply.media_type)
