"""How the uran contract tells errors: `{status, message}`, the HTTP status equal to `status`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowledge_base.domain import errors

STATUSES: Mapping[type[errors.KnowledgeBaseError], int] = {
    errors.KnowledgeBaseError: 500,
    errors.NotFound: 404,
    errors.Refused: 400,
    errors.NotAuthenticated: 401,
    errors.NotPermitted: 403,
    errors.PayloadTooLarge: 413,
    errors.NotConfigured: 503,
    errors.Conflict: 409,
    errors.Unavailable: 503,
    errors.DownloadFailed: 502,
    errors.EmbeddingRefused: 502,
    errors.IngestionFailed: 422,
}


def error_body(status: int, _code: str, message: str) -> dict[str, Any]:
    """Return the wire form of an error."""
    return {"status": status, "message": message}
