"""The routes of the engineering contract."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from knowledge_base.dialects.contract import Contract, Download, DownloadRoute, Reply, Request, Route
from knowledge_base.dialects.engineering import schemas, translate
from knowledge_base.dialects.engineering.errors import MEDIA_TYPE, STATUSES, error_body
from knowledge_base.domain.documents import Version
from knowledge_base.domain.errors import InvalidInput
from knowledge_base.domain.parsed import encode_parsed
from knowledge_base.services.registry import Services

TEXT = "text/plain;charset=UTF-8"
PARSED = "application/json;charset=UTF-8"
BYTES = "application/octet-stream"
PIECE = 256 * 1024


def get_document(request: Request, services: Services) -> Reply:
    """Show what is known of a document, and where its newest version stands."""
    document, version = services.ingestions.status(request.principal, request.path["id"])
    return Reply(200, translate.document(document, version).model_dump(mode="json"))


def get_text(request: Request, services: Services) -> Download:
    """Give the canonical text that offsets point into; as JSON, with its spans, to who asks for it."""
    version, parsed = services.reading.text(request.principal, request.path["id"], _ordinal(request))
    if _wants_json(request):
        return Download(_pieces(encode_parsed(parsed)), PARSED, _said_of(version))
    return Download(_pieces(parsed.text.encode(errors="replace")), TEXT, _said_of(version))


def get_content(request: Request, services: Services) -> Download:
    """Give a document's content as it came in."""
    content = services.reading.content(request.principal, request.path["id"], _ordinal(request))
    file_name = content.version.source.name.rpartition("/")[2]
    headers = {
        "Content-Length": str(content.size),
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(file_name, safe='', errors='replace')}",
    }
    return Download(content.pieces, BYTES, {**_said_of(content.version), **headers})


def _said_of(version: Version) -> dict[str, str]:
    return {"X-Document-Version": str(version.ordinal)}


def _ordinal(request: Request) -> int | None:
    given = request.one("version")
    if given is None:
        return None
    if not (given.isascii() and given.isdigit() and int(given[:10]) > 0 and len(given) < 10):
        raise InvalidInput("version must be a whole number from 1", field="version")
    return int(given)


def _wants_json(request: Request) -> bool:
    accepted = request.headers.get("accept", "").lower()
    return "application/json" in accepted and "text/plain" not in accepted


def _pieces(data: bytes) -> Iterator[bytes]:
    for start in range(0, len(data), PIECE):
        yield data[start : start + PIECE]


CONTRACT = Contract(
    name="engineering",
    title="engineering: documents with permissions, and search",
    routes=(Route("GET", "/documents/{id}", get_document, "Show a document", reply=schemas.DocumentView),),
    streams=(),
    downloads=(
        DownloadRoute(
            "GET",
            "/documents/{id}/text",
            get_text,
            "The text that was read from a document; as JSON, with pages, headings and tables as spans",
            ("text/plain", "application/json"),
            ("version",),
        ),
        DownloadRoute(
            "GET",
            "/documents/{id}/content",
            get_content,
            "A document's content as it came in",
            (BYTES,),
            ("version",),
        ),
    ),
    errors=STATUSES,
    error_body=error_body,
    error_model=schemas.Problem,
    error_media_type=MEDIA_TYPE,
)
