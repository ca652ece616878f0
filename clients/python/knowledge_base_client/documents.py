"""Store, list, read, change and remove documents."""

from __future__ import annotations

import json
import mimetypes
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike, fspath
from pathlib import PurePath
from typing import Any, TypeAlias

from knowledge_base_client import errors
from knowledge_base_client.core import Core, exchange, filter_query, given, path
from knowledge_base_client.editions import Document, Stored, edition_of, if_match
from knowledge_base_client.models.engineering import (
    DocumentList,
    DocumentView,
    Filters,
    GivenMetadata,
    VersionList,
    VersionView,
)
from knowledge_base_client.parsed_text import ParsedText
from knowledge_base_client.replies import understood
from knowledge_base_client.steps import Call, Feed, Flow, Give, Load
from knowledge_base_client.uploads import upload
from knowledge_base_client.waiting import wait_until_ready

Content: TypeAlias = bytes | PathLike[str]
"""Bytes, or the path of a file; a text is `text.encode()`."""

Said: TypeAlias = GivenMetadata | Mapping[str, Any]
"""Metadata of a document: title, format, tags, source, acl, public, and free fields."""


def add_document(
    core: Core, content: Content, *, name: str | None = None, metadata: Said | None = None, wait: float | None = None
) -> Flow[Stored]:
    """Store a document; with `wait`, return when it can be searched, at the latest after so many seconds.

    A larger file goes by a form of its own to the object store, without further ado. The file's name is `name`, or
    that of the path. After a broken connection it is not tried again, as that could make a second document.

    Raises:
        TooLarge: it is larger than 50 MB.
        IngestionFailed: it cannot be searched (with `wait`).
        IngestionUnfinished: it is not ready in that time (with `wait`).
    """
    data, name = yield from _read(content, name)
    name = name or "document"
    stored = yield from _add(core, data, name, _said(metadata))
    if wait is None:
        return stored
    ready = yield from wait_until_ready(core, stored.document_id, timeout=wait)
    return stored.model_copy(update={"status": ready.status})


def _add(core: Core, data: bytes, name: str, said: dict[str, Any]) -> Flow[Stored]:
    if len(data) <= core.inline_bytes:
        try:
            reply = yield from exchange(core, Call("POST", "/documents", files=_parts(data, name, said)))
        except errors.TooLarge:
            pass  # this deployment takes less in one request than others
        else:
            return edition_of(Stored, reply)
    document_id = yield from upload(core, data, name, _type_of(name), said)
    return Stored(document_id=document_id, status="pending")


def get_document(core: Core, document_id: str) -> Flow[Document]:
    """Return what is known of a document, and where its newest version stands."""
    reply = yield from exchange(core, Call("GET", path("documents", document_id), repeatable=True))
    return edition_of(Document, reply)


def documents(core: Core, filters: Filters | None = None, *, page_size: int = 100) -> Feed[DocumentView]:
    """Iterate over the documents that the caller may read, oldest first; pages are turned as it goes."""
    cursor = None
    while True:
        page = yield from document_page(core, filters, limit=page_size, cursor=cursor)
        for document in page.documents:
            yield Give(document)
        cursor = page.next_cursor
        if cursor is None:
            return


def document_page(
    core: Core, filters: Filters | None = None, *, limit: int = 100, cursor: str | None = None
) -> Flow[DocumentList]:
    """Return a page of the documents that the caller may read; it may be short, and the last has no `next_cursor`."""
    query = (*filter_query(filters), *given(limit=limit, cursor=cursor))
    reply = yield from exchange(core, Call("GET", "/documents", query, repeatable=True))
    return understood(DocumentList, reply)


def update_document(
    core: Core,
    document_id: str,
    *,
    content: Content | None = None,
    name: str | None = None,
    metadata: Said | None = None,
    edition: str | None = None,
    wait: float | None = None,
) -> Flow[Stored]:
    """Change a document's content, metadata, or both; with `edition`, only if it is still that one.

    Of the metadata, a field that is given replaces, None clears, and an absent one stays.

    Raises:
        EditionMismatch: somebody else has changed the document meanwhile.
        TooLarge: the content does not fit into one request; store it as a new document.
    """
    call = Call("PUT", path("documents", document_id), headers=if_match(edition), repeatable=edition is None)
    if content is None:
        call = replace(call, json=_said(metadata))
    else:
        data, name = yield from _read(content, name)
        call = replace(call, files=_parts(data, name, _said(metadata)))
    reply = yield from exchange(core, call)
    stored = edition_of(Stored, reply)
    if wait is None:
        return stored
    ready = yield from wait_until_ready(core, document_id, timeout=wait)
    return stored.model_copy(update={"status": ready.status})


def delete_document(core: Core, document_id: str, *, edition: str | None = None) -> Flow[None]:
    """Remove a document, at once for every reader; with `edition`, only if it is still that one."""
    call = Call("DELETE", path("documents", document_id), headers=if_match(edition), repeatable=True)
    yield from exchange(core, call)


def versions(core: Core, document_id: str) -> Flow[list[VersionView]]:
    """Return the contents that a document has had, newest first."""
    reply = yield from exchange(core, Call("GET", path("documents", document_id, "versions"), repeatable=True))
    return understood(VersionList, reply).versions


def restore_version(core: Core, document_id: str, version: int, *, edition: str | None = None) -> Flow[Stored]:
    """Make the content of an earlier version that of a new one; what is said of the document stays."""
    target = path("documents", document_id, "versions", version, "restore")
    reply = yield from exchange(core, Call("POST", target, headers=if_match(edition)))
    return edition_of(Stored, reply)


def text(core: Core, document_id: str, *, version: int | None = None) -> Flow[str]:
    """Return the text that was read from a document; the offsets of citations point into it."""
    headers = {"Accept": "text/plain"}
    call = Call("GET", path("documents", document_id, "text"), given(version=version), headers, repeatable=True)
    reply = yield from exchange(core, call)
    return reply.content.decode()


def parsed_text(core: Core, document_id: str, *, version: int | None = None) -> Flow[ParsedText]:
    """Return the text that was read from a document, with its pages, headings and tables as spans."""
    call = Call("GET", path("documents", document_id, "text"), given(version=version), repeatable=True)
    return understood(ParsedText, (yield from exchange(core, call)))


def content(core: Core, document_id: str, *, version: int | None = None) -> Flow[bytes]:
    """Return a document's content as it came in."""
    headers = {"Accept": "*/*"}
    call = Call("GET", path("documents", document_id, "content"), given(version=version), headers, repeatable=True)
    return (yield from exchange(core, call)).content


def _read(content: Content, name: str | None) -> Flow[tuple[bytes, str | None]]:
    if isinstance(content, bytes):
        return content, name
    data = yield Load(fspath(content))
    return data, name or PurePath(content).name


def _said(metadata: Said | None) -> dict[str, Any]:
    if isinstance(metadata, GivenMetadata):
        return metadata.model_dump(mode="json", exclude_unset=True)
    return dict(metadata or {})


def _parts(data: bytes, name: str | None, said: dict[str, Any]) -> Mapping[str, tuple[str | None, bytes, str]]:
    parts: dict[str, tuple[str | None, bytes, str]] = {"document": (name, data, _type_of(name or ""))}
    if said:
        parts["metadata"] = (None, json.dumps(said).encode(), "application/json")
    return parts


def _type_of(name: str) -> str:
    return mimetypes.guess_type(name)[0] or "application/octet-stream"
