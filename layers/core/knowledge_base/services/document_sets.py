"""Tell which documents a filter means, by what the catalog says of them now."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from knowledge_base.domain.document_filters import DocumentFilter
from knowledge_base.domain.documents import Document
from knowledge_base.domain.knowledge_bases import KnowledgeBase
from knowledge_base.ports.catalog import Documents, KnowledgeBases
from knowledge_base.services.document_lookup import walk

KEPT_CATALOGS = 8


class DocumentSets:
    """Finds the documents that match a filter.

    What a knowledge base holds is remembered for as long as its generation is the same: every change of content,
    metadata or permissions raises it.
    """

    def __init__(self, *, documents: Documents, knowledge_bases: KnowledgeBases) -> None:
        self._documents = documents
        self._knowledge_bases = knowledge_bases
        self._catalogs: OrderedDict[tuple[str, int], tuple[Document, ...]] = OrderedDict()

    def ids(self, knowledge_base: KnowledgeBase, among: DocumentFilter) -> frozenset[str] | None:
        """Return the ids of the documents that match, None where every document does."""
        if among.is_open:
            return None
        return frozenset(found.document_id for found in self._catalog(knowledge_base) if among.matches(found))

    def ids_in(self, kb_ids: Iterable[str], among: DocumentFilter) -> frozenset[str] | None:
        """Return the ids of the documents of some knowledge bases that match, None where every document does.

        Raises:
            KnowledgeBaseNotFound: there is none of one of these ids.
        """
        if among.is_open:
            return None
        found = [self.ids(self._knowledge_bases.get(kb_id), among) for kb_id in kb_ids]
        return frozenset(document_id for ids in found for document_id in ids or ())

    def _catalog(self, knowledge_base: KnowledgeBase) -> tuple[Document, ...]:
        """What the knowledge base holds, at least as new as the generation that was read before."""
        key = (knowledge_base.kb_id, knowledge_base.generation)
        if key not in self._catalogs:
            self._catalogs[key] = tuple(walk(self._documents, knowledge_base.kb_id))
            while len(self._catalogs) > KEPT_CATALOGS:
                self._catalogs.popitem(last=False)
        return self._catalogs[key]
