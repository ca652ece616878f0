"""How the engineering contract tells errors: problem details, RFC 9457."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from knowledge_base.domain import errors

MEDIA_TYPE = "application/problem+json"

STATUSES: Mapping[type[errors.KnowledgeBaseError], int] = {
    errors.KnowledgeBaseError: 500,
    errors.NotFound: 404,
    errors.Refused: 400,
    errors.NotAuthenticated: 401,
    errors.NotPermitted: 403,
    errors.PayloadTooLarge: 413,
    errors.NotConfigured: 503,
    errors.Conflict: 409,
    errors.EditionMismatch: 412,
    errors.Unavailable: 503,
    errors.DownloadFailed: 502,
    errors.EmbeddingRefused: 502,
    errors.IngestionFailed: 422,
}


def error_body(status: int, code: str, message: str) -> dict[str, Any]:
    """Return the wire form of an error; `type` is `about:blank`, so `title` is that of the status."""
    return {
        "type": "about:blank",
        "title": _title(status),
        "status": status,
        "detail": message,
        "code": code,
    }


def _title(status: int) -> str:
    """The phrase of a status; 499 is no standard one, and says that the caller left or cancelled."""
    return "Client Closed Request" if status == 499 else HTTPStatus(status).phrase
