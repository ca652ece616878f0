"""Which edition of a document a caller has seen (`ETag`, `If-Match`), so that writers do not overwrite each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import httpx

from knowledge_base_client.models.engineering import DocumentView, StoredDocument
from knowledge_base_client.replies import understood


class Stored(StoredDocument):
    """A document that was stored or changed; `edition` names what it is now, None after an upload by a form."""

    edition: str | None = None


class Document(DocumentView):
    """A document; `edition` names what was seen, to change or remove exactly that."""

    edition: str | None = None


Seen = TypeVar("Seen", Stored, Document)


def edition_of(model: type[Seen], reply: httpx.Response) -> Seen:
    """Return what a reply says of a document, with the edition that its `ETag` names."""
    return understood(model, reply, edition=reply.headers.get("etag"))


def if_match(edition: str | None) -> Mapping[str, str]:
    """Return the header by which a change is made to one edition alone."""
    return {"If-Match": edition} if edition else {}
