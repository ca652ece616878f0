"""List documents that a caller may read."""

from __future__ import annotations

from knowledge_base.domain.access import Principal
from knowledge_base.domain.document_filters import DocumentFilter
from knowledge_base.domain.documents import Document, Version
from knowledge_base.domain.knowledge_bases import KnowledgeBase
from knowledge_base.domain.permissions import Action
from knowledge_base.ports.catalog import Documents, Versions
from knowledge_base.services.document_lookup import walk
from knowledge_base.services.ingestions import IngestionPage

MOST_READ = 5_000
"""So many documents are looked at for one page: a filter that matches few gives a short page and a cursor."""


class Listing:
    """Walks the documents of a knowledge base, whatever their state, oldest first."""

    def __init__(self, *, documents: Documents, versions: Versions) -> None:
        self._documents = documents
        self._versions = versions

    def page(
        self,
        caller: Principal,
        knowledge_base: KnowledgeBase,
        wanted: DocumentFilter,
        *,
        limit: int,
        cursor: str | None,
    ) -> IngestionPage:
        """Return the next documents that match and that the caller may read.

        A walk by cursor meets every document that is there all the time, and matches, exactly once. A page
        may be short, or empty, before the last one.

        Raises:
            InvalidInput: the cursor is not one of ours.
        """
        found: list[Document] = []
        read, last = 0, None
        for document in walk(self._documents, knowledge_base.kb_id, cursor):
            if len(found) > limit or read == MOST_READ:
                break
            read, last = read + 1, document
            if _may_read(caller, document) and wanted.matches(document):
                found.append(document)
        if len(found) > limit:
            return IngestionPage(self._with_versions(found[:limit]), self._documents.cursor_behind(found[limit - 1]))
        is_cut = read == MOST_READ and last is not None
        return IngestionPage(
            self._with_versions(found), self._documents.cursor_behind(last) if is_cut and last else None
        )

    def _with_versions(self, documents: list[Document]) -> tuple[tuple[Document, Version], ...]:
        keys = [(document.document_id, document.latest_ordinal) for document in documents]
        newest = self._versions.get_many(keys)
        return tuple((document, newest[key]) for document, key in zip(documents, keys, strict=True) if key in newest)


def _may_read(caller: Principal, document: Document) -> bool:
    return document.tenant == caller.tenant and document.permissions.allow(caller, Action.READ)
