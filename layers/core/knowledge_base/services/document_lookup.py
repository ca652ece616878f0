"""Find documents by what they are known by, and their newest versions."""

from __future__ import annotations

from collections.abc import Iterator

from knowledge_base.domain.documents import Document, Version
from knowledge_base.domain.errors import DocumentNotFound, VersionNotFound
from knowledge_base.ports.catalog import Documents, Versions

NAME, CONTENT = "name", "content"
"""The kinds of claims, what at most one document of a knowledge base is known by: a name, an identity of content."""


READ_AT_ONCE = 100


def walk(documents: Documents, kb_id: str, cursor: str | None = None) -> Iterator[Document]:
    """Yield the documents of a knowledge base in order, those behind a cursor if there is one; reads as it goes.

    Raises:
        InvalidInput: the cursor is not one of ours.
    """
    while True:
        page = documents.page(kb_id, limit=READ_AT_ONCE, cursor=cursor)
        yield from page.documents
        cursor = page.next_cursor
        if cursor is None:
            return


class DocumentLookup:
    """Looks only at documents that are not removed."""

    def __init__(self, *, documents: Documents, versions: Versions) -> None:
        self._documents = documents
        self._versions = versions

    def holder(self, kb_id: str, kind: str, value: str) -> Document | None:
        """Return the document that a claim leads to, None without one."""
        return self.document(self._documents.holder(kb_id, kind, value))

    def document(self, document_id: str | None) -> Document | None:
        """Return a document, None when it is gone."""
        if document_id is None:
            return None
        try:
            document = self._documents.get(document_id)
        except DocumentNotFound:
            return None
        return None if document.removed else document

    def newest_version(self, document: Document | None) -> Version | None:
        """Return the version that was accepted last, None without a document."""
        if document is None:
            return None
        try:
            return self._versions.get(document.document_id, document.latest_ordinal)
        except VersionNotFound:
            return None
