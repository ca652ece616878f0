"""Change what is said of a document, and who may read it: in the catalog first, then in the index."""

from __future__ import annotations

from knowledge_base.domain.documents import Document
from knowledge_base.domain.metadata import DocumentMetadata
from knowledge_base.domain.permissions import Permissions
from knowledge_base.ports.catalog import Documents, KnowledgeBases
from knowledge_base.ports.vector_index import VectorIndexes


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
            embedding = self._knowledge_bases.get(document.kb_id).config.embedding
            self._indexes.of(embedding).relabel(document.kb_id, document.document_id, readers=described.readers)
        return described
