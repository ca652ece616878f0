"""Serves the contracts' downloads: bytes that may be more than a function can return at once."""

from __future__ import annotations

from collections.abc import Callable

from anyio.to_thread import run_sync
from starlette import requests, responses
from starlette.concurrency import iterate_in_threadpool

from knowledge_base.dialects.asgi import Endpoint, read_request, refusal
from knowledge_base.dialects.contract import Contract, Download, DownloadRoute, Request, authenticated, check_query
from knowledge_base.services.registry import Services

SAFE = {
    "Cache-Control": "private, no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
}
"""A stored file must never run as a page of this origin."""


def download_endpoint(contract: Contract, route: DownloadRoute, get_services: Callable[[], Services]) -> Endpoint:
    """Return the endpoint that answers one download route."""

    async def respond(incoming: requests.Request) -> responses.Response:
        try:
            found = await run_sync(_open, route, await read_request(incoming), get_services())
        except Exception as error:  # noqa: BLE001 - every error is told in the contract's form
            return refusal(contract, error)
        pieces = iterate_in_threadpool(found.pieces)
        return responses.StreamingResponse(pieces, media_type=found.media_type, headers={**found.headers, **SAFE})

    return respond


def _open(route: DownloadRoute, request: Request, services: Services) -> Download:
    known = authenticated(request, services)
    check_query(known, route.query)
    return route.open(known, services)
