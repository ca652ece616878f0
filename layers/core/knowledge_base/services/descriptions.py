"""Change what is said of a document, and who may read it: in the catalog first, then in the index."""

from __future__ import annotations

from knowledge_base.domain.documents import Document, Version
from knowledge_base.domain.metadata import DocumentMetadata
from knowledge_base.domain.permissions import Permissions
from knowledge_base.ports.catalog import Documents, KnowledgeBases
from knowledge_base.ports.vector_index import VectorIndexes

TRIES = 5
"""So often the index is told anew when permissions change while it is being told."""


class Descriptions:
    """Keeps catalog and index agreed on who may read a document.

    The catalog decides: a hit is checked against it, so a revocation holds on the next request, whatever
    the index says. Publishing looks again after it has written, so a change in between is not lost.
    """

    def __init__(self, *, documents: Documents, knowledge_bases: KnowledgeBases, indexes: VectorIndexes) -> None:
        self._documents = documents
        self._knowledge_bases = knowledge_bases
        self._indexes = indexes

    def describe(
        self, document: Document, *, metadata: DocumentMetadata, permissions: Permissions, order: str = ""
    ) -> Document:
        """Replace metadata and permissions; `order` is the place among the descriptions of the document.

        Raises:
            DocumentNotFound: the document is gone.
            StaleState: a later description was there before.
        """
        described = self._documents.describe(
            document.document_id, metadata=metadata, permissions=permissions, order=order
        )
        if described.readers != document.readers:
            self._relabel(described)
        return described

    def revise(
        self,
        document: Document,
        *,
        metadata: DocumentMetadata,
        permissions: Permissions,
        version: Version | None = None,
    ) -> Document:
        """Replace metadata and permissions and, with a version, accept it as the newest.

        The index is told who may read also when nothing about that has changed: so asking again helps
        when the index did not answer the first time.

        Raises:
            StaleState: the document changed since it was read.
            IndexUnavailable: the catalog has the change, and the index does not answer.
        """
        revised = self._documents.revise(document, metadata=metadata, permissions=permissions, version=version)
        if revised.live_ordinal:
            self._relabel(revised)
        return revised

    def _relabel(self, document: Document) -> None:
        """Tell the index who may read, once more when that changes meanwhile: what was stored last is told last."""
        index = self._indexes.of(self._knowledge_bases.get(document.kb_id).config.embedding)
        for _ in range(TRIES):
            index.relabel(document.kb_id, document.document_id, readers=document.readers)
            # Who searched in between did not find what it may read now: that must not be remembered.
            self._knowledge_bases.raise_generation(document.kb_id)
            now = self._documents.get(document.document_id)
            if now.readers == document.readers:
                return
            document = now
