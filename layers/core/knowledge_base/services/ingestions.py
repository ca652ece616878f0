"""Tell where an ingestion stands."""

from __future__ import annotations

from knowledge_base.domain.access import Principal
from knowledge_base.domain.documents import Document, Version
from knowledge_base.domain.errors import DocumentNotFound, KnowledgeBaseNotFound
from knowledge_base.ports.catalog import Documents, KnowledgeBases, Versions


class Ingestions:
    """Shows the newest version of a document to its tenant."""

    def __init__(self, *, documents: Documents, versions: Versions, knowledge_bases: KnowledgeBases) -> None:
        self._documents = documents
        self._versions = versions
        self._knowledge_bases = knowledge_bases

    def status(self, caller: Principal, document_id: str) -> tuple[Document, Version]:
        """Return a document of the caller's tenant with its newest version.

        Raises:
            DocumentNotFound: there is none, it was removed, or it is another tenant's.
        """
        document = self._documents.get(document_id)
        if document.tenant != caller.tenant or document.removed or not self._is_kept(document):
            raise DocumentNotFound(document_id)
        return document, self._versions.get(document_id, document.latest_ordinal)

    def _is_kept(self, document: Document) -> bool:
        try:
            self._knowledge_bases.get(document.kb_id)
        except KnowledgeBaseNotFound:
            return False
        return True
