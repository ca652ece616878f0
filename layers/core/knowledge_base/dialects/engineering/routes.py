"""The routes of the engineering contract."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from knowledge_base.dialects.contract import Contract, Download, DownloadRoute, Request, Route
from knowledge_base.dialects.engineering import documents, schemas, searching
from knowledge_base.dialects.engineering.answering import ANSWER
from knowledge_base.dialects.engineering.errors import MEDIA_TYPE, STATUSES, error_body
from knowledge_base.dialects.forms import MULTIPART
from knowledge_base.domain.documents import Version
from knowledge_base.domain.parsed import encode_parsed
from knowledge_base.services.registry import Services

TEXT = "text/plain;charset=UTF-8"
PARSED = "application/json;charset=UTF-8"
BYTES = "application/octet-stream"
PIECE = 256 * 1024
FILTERS = ("tags", "any_tags", "format", "title", "source", "created_from", "created_to")


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
    return None if given is None else documents.read_ordinal(given)


def _wants_json(request: Request) -> bool:
    accepted = request.headers.get("accept", "").lower()
    return "application/json" in accepted and "text/plain" not in accepted


def _pieces(data: bytes) -> Iterator[bytes]:
    for start in range(0, len(data), PIECE):
        yield data[start : start + PIECE]


CONTRACT = Contract(
    name="engineering",
    title="engineering: documents with permissions, and search",
    routes=(
        Route(
            "POST",
            "/documents",
            documents.create_document,
            "Store a document; its creator may read, write and delete it, and others what `acl` and `public` say. "
            "With `Prefer: wait=N` the answer waits up to N seconds, at most 25, for the end of the ingestion",
            schemas.NewDocument,
            schemas.StoredDocument,
            body_types=(MULTIPART,),
            headers=("Prefer",),
        ),
        Route(
            "GET",
            "/documents",
            documents.list_documents,
            "List the documents that the caller may read, oldest first; `tags` may be repeated: all must be there; "
            "`metadata.<name>` filters by a free field",
            reply=schemas.DocumentList,
            query=(*FILTERS, "limit", "cursor"),
        ),
        Route("GET", "/documents/{id}", documents.get_document, "Show a document", reply=schemas.DocumentView),
        Route(
            "PUT",
            "/documents/{id}",
            documents.change_document,
            "Change a document. Of the metadata, a field that is given replaces, `null` clears, an absent one stays; "
            "`acl` and `public` are changed only by who may read, write and delete it. With `If-Match`, only in an "
            "edition that an `ETag` named (412 otherwise)",
            schemas.ChangedDocument,
            schemas.StoredDocument,
            body_types=(MULTIPART, "application/json"),
            headers=("If-Match", "Prefer"),
        ),
        Route(
            "DELETE",
            "/documents/{id}",
            documents.remove_document,
            "Remove a document, at once for every reader; `If-Match` as for PUT",
            status=204,
            headers=("If-Match",),
        ),
        Route(
            "GET",
            "/documents/{id}/versions",
            documents.list_versions,
            "List the contents that a document has had, newest first",
            reply=schemas.VersionList,
        ),
        Route(
            "POST",
            "/documents/{id}/versions/{version}/restore",
            documents.restore_version,
            "Make the content of an earlier version that of a new one; what is said of the document stays. "
            "`If-Match` as for PUT",
            reply=schemas.StoredDocument,
            headers=("If-Match", "Prefer"),
        ),
        Route(
            "GET",
            "/search",
            searching.search,
            "Search the documents that the caller may read; `min_score` is the least cosine similarity",
            reply=schemas.SearchView,
            query=("query", "limit", *FILTERS, "mode", "min_score", "explain"),
        ),
        Route(
            "POST",
            "/search/similar",
            searching.find_similar,
            "Find the chunks nearest to a text. One of more than 1,000 characters is embedded in windows of that "
            "length, and searched for by the mean of their vectors",
            schemas.FindSimilar,
            schemas.SearchView,
        ),
        Route(
            "POST",
            "/search/feedback",
            searching.rate_result,
            "Say whether a chunk answers a query. The votes of all users move the chunk for queries of the same words, "
            "by at most 0.15 of its score; the latest vote of a user counts",
            schemas.RateResult,
            status=204,
        ),
        Route(
            "GET",
            "/documents/{id}/related",
            searching.find_related,
            "Find the documents that the caller may read and that are related to one: by their nearest chunks, and by "
            "the names and terms that stand in both",
            reply=schemas.RelatedDocuments,
            query=("limit",),
        ),
    ),
    answers=(ANSWER,),
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
