"""Tell where an ingestion stands."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from knowledge_base.domain.access import Principal
from knowledge_base.domain.documents import Document, Version
from knowledge_base.domain.errors import DocumentNotFound, KnowledgeBaseNotFound
from knowledge_base.domain.knowledge_bases import KnowledgeBase
from knowledge_base.domain.permissions import Action
from knowledge_base.ports.catalog import Documents, KnowledgeBases, Versions
from knowledge_base.services.document_lookup import NAME, DocumentLookup

POLL_FIRST, POLL_LAST, POLL_GROWTH = 0.05, 0.5, 1.3


@dataclass(frozen=True, slots=True)
class IngestionPage:
    """Documents with their newest versions; `next_cursor` is None on the last page."""

    ingestions: tuple[tuple[Document, Version], ...]
    next_cursor: str | None


class Ingestions:
    """Shows the newest versions of documents to those who may read them."""

    def __init__(
        self,
        *,
        documents: Documents,
        versions: Versions,
        knowledge_bases: KnowledgeBases,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._sleep = sleep
        self._documents = documents
        self._versions = versions
        self._knowledge_bases = knowledge_bases
        self._lookup = DocumentLookup(documents=documents, versions=versions)

    def status(self, caller: Principal, document_id: str) -> tuple[Document, Version]:
        """Return a document with its newest version.

        Raises:
            DocumentNotFound: there is none, it was removed, or the caller may not read it.
        """
        document = self._documents.get(document_id)
        if not self._may_see(caller, document) or document.removed or not self._is_kept(document):
            raise DocumentNotFound(document_id)
        return document, self._versions.get(document_id, document.latest_ordinal)

    def wait(self, version: Version, *, seconds: float) -> Version:
        """Return a version once it has ended, or as it stands after so many seconds."""
        deadline, pause = time.monotonic() + seconds, POLL_FIRST
        while not version.state.is_terminal and time.monotonic() < deadline:
            self._sleep(min(pause, max(0.0, deadline - time.monotonic())))
            pause = min(POLL_LAST, pause * POLL_GROWTH)
            version = self._versions.get(version.document_id, version.ordinal)
        return version

    def history(self, caller: Principal, document_id: str) -> tuple[Document, list[Version]]:
        """Return a document with its versions that are kept, newest first.

        Raises:
            DocumentNotFound: there is none, it was removed, or the caller may not read it.
        """
        document, newest = self.status(caller, document_id)
        keys = [(document_id, ordinal) for ordinal in range(newest.ordinal, 0, -1)]
        found = self._versions.get_many(keys)
        return document, [found[key] for key in keys if key in found]

    def named(self, caller: Principal, knowledge_base: KnowledgeBase, name: str) -> IngestionPage:
        """Return the document of a name with its newest version, alone on its page; no such name, an empty page."""
        document = self._lookup.holder(knowledge_base.kb_id, NAME, name)
        return IngestionPage(self._with_versions(caller, [document] if document else []), None)

    def these(self, caller: Principal, document_ids: Collection[str]) -> tuple[tuple[Document, Version], ...]:
        """Return those documents that are there and that the caller may read, with their newest versions."""
        found = self._documents.get_many(document_ids).values()
        return self._with_versions(caller, [document for document in found if not document.removed])

    def page(
        self, caller: Principal, knowledge_base: KnowledgeBase, *, limit: int, cursor: str | None
    ) -> IngestionPage:
        """Return documents of a knowledge base that the caller may read, oldest first, whatever their state.

        Raises:
            InvalidInput: the cursor is not one of ours.
        """
        page = self._documents.page(knowledge_base.kb_id, limit=limit, cursor=cursor)
        return IngestionPage(self._with_versions(caller, page.documents), page.next_cursor)

    def _with_versions(self, caller: Principal, documents: Iterable[Document]) -> tuple[tuple[Document, Version], ...]:
        shown = [document for document in documents if self._may_see(caller, document)]
        newest = self._versions.get_many({(each.document_id, each.latest_ordinal) for each in shown})
        keys = ((each, (each.document_id, each.latest_ordinal)) for each in shown)
        return tuple((document, newest[key]) for document, key in keys if key in newest)

    def _may_see(self, caller: Principal, document: Document) -> bool:
        return document.tenant == caller.tenant and document.permissions.allow(caller, Action.READ)

    def _is_kept(self, document: Document) -> bool:
        try:
            self._knowledge_bases.get(document.kb_id)
        except KnowledgeBaseNotFound:
            return False
        return True
