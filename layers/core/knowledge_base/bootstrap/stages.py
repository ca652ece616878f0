"""The services behind the functions of an ingestion, a stage each."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from knowledge_base.bootstrap.foundations import Foundations
from knowledge_base.settings import MAX_DOCUMENT_BYTES

if TYPE_CHECKING:
    from knowledge_base.services.ingestion.chunking import Chunking
    from knowledge_base.services.ingestion.embedding import Embedding
    from knowledge_base.services.ingestion.fetching import Fetching
    from knowledge_base.services.ingestion.parsing import Parsing
    from knowledge_base.services.ingestion.publishing import Publishing
    from knowledge_base.services.ingestion.stage import StageEntry


class StageServices(Foundations):
    """Wires the stages of an ingestion."""

    @cached_property
    def fetching(self) -> Fetching:
        from knowledge_base.services.ingestion.fetching import Fetching

        return Fetching(
            entry=self._entry,
            endings=self._endings,
            objects=self.stores.objects,
            web=self.stores.web,
            max_bytes=MAX_DOCUMENT_BYTES,
        )

    @cached_property
    def parsing(self) -> Parsing:
        from knowledge_base.services.ingestion.parsing import Parsing

        return Parsing(
            entry=self._entry,
            endings=self._endings,
            objects=self.stores.objects,
            parser=self.stores.parser,
            max_bytes=MAX_DOCUMENT_BYTES,
        )

    @cached_property
    def chunking(self) -> Chunking:
        from knowledge_base.services.ingestion.chunking import Chunking

        stores = self.stores
        return Chunking(
            entry=self._entry,
            endings=self._endings,
            versions=stores.versions,
            documents=stores.documents,
            knowledge_bases=stores.knowledge_bases,
            objects=stores.objects,
            queues=stores.queues,
            chunker=stores.chunker,
        )

    @cached_property
    def embedding(self) -> Embedding:
        from knowledge_base.services.ingestion.embedding import Embedding

        stores = self.stores
        return Embedding(
            entry=self._entry,
            endings=self._endings,
            versions=stores.versions,
            knowledge_bases=stores.knowledge_bases,
            publications=stores.publications,
            objects=stores.objects,
            queues=stores.queues,
            embedders=stores.embedders,
            clock=stores.clock,
        )

    @cached_property
    def publishing(self) -> Publishing:
        from knowledge_base.services.ingestion.publishing import Publishing

        stores = self.stores
        return Publishing(
            knowledge_bases=stores.knowledge_bases,
            documents=stores.documents,
            versions=stores.versions,
            publications=stores.publications,
            endings=self._endings,
            objects=stores.objects,
            indexes=stores.indexes,
            queues=stores.queues,
            clock=stores.clock,
        )

    @cached_property
    def _entry(self) -> StageEntry:
        from knowledge_base.services.ingestion.stage import StageEntry

        stores = self.stores
        return StageEntry(
            versions=stores.versions, documents=stores.documents, endings=self._endings, clock=stores.clock
        )
