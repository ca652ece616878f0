"""The services that take documents in, describe, list and give them out."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from knowledge_base.bootstrap.foundations import Foundations
from knowledge_base.settings import MAX_DOCUMENT_BYTES

if TYPE_CHECKING:
    from knowledge_base.services.descriptions import Descriptions
    from knowledge_base.services.drops import Drops
    from knowledge_base.services.importing import Importing
    from knowledge_base.services.ingestions import Ingestions
    from knowledge_base.services.listing import Listing
    from knowledge_base.services.reading import Reading
    from knowledge_base.services.related import RelatedDocuments
    from knowledge_base.services.relevance import RelevanceDesk
    from knowledge_base.services.uploads import Uploads
    from knowledge_base.services.writing import Writing


class DocumentServices(Foundations):
    """Wires what callers do with documents."""

    @cached_property
    def importing(self) -> Importing:
        from knowledge_base.services.importing import Importing

        stores = self.stores
        return Importing(
            documents=stores.documents,
            versions=stores.versions,
            intakes=stores.intakes,
            queues=stores.queues,
            clock=stores.clock,
        )

    @cached_property
    def uploads(self) -> Uploads:
        from knowledge_base.services.uploads import Uploads

        return Uploads(
            importing=self.importing,
            writing=self.writing,
            objects=self.stores.objects,
            clock=self.stores.clock,
            max_bytes=MAX_DOCUMENT_BYTES,
        )

    @cached_property
    def descriptions(self) -> Descriptions:
        from knowledge_base.services.descriptions import Descriptions

        stores = self.stores
        return Descriptions(documents=stores.documents, knowledge_bases=stores.knowledge_bases, indexes=stores.indexes)

    @cached_property
    def ingestions(self) -> Ingestions:
        from knowledge_base.services.ingestions import Ingestions

        stores = self.stores
        return Ingestions(documents=stores.documents, versions=stores.versions, knowledge_bases=stores.knowledge_bases)

    @cached_property
    def reading(self) -> Reading:
        from knowledge_base.services.reading import Reading

        return Reading(ingestions=self.ingestions, versions=self.stores.versions, objects=self.stores.objects)

    @cached_property
    def writing(self) -> Writing:
        from knowledge_base.services.writing import SizeLimits, Writing

        stores = self.stores
        return Writing(
            documents=stores.documents,
            versions=stores.versions,
            knowledge_bases=stores.knowledge_bases,
            ingestions=self.ingestions,
            descriptions=self.descriptions,
            objects=stores.objects,
            queues=stores.queues,
            clock=stores.clock,
            limits=SizeLimits(MAX_DOCUMENT_BYTES, self._settings.inline_bytes),
        )

    @cached_property
    def listing(self) -> Listing:
        from knowledge_base.services.listing import Listing

        return Listing(documents=self.stores.documents, versions=self.stores.versions)

    @cached_property
    def related(self) -> RelatedDocuments:
        from knowledge_base.services.related import RelatedDocuments

        stores = self.stores
        return RelatedDocuments(
            ingestions=self.ingestions,
            documents=stores.documents,
            versions=stores.versions,
            knowledge_bases=stores.knowledge_bases,
            objects=stores.objects,
            indexes=stores.indexes,
        )

    @cached_property
    def relevance(self) -> RelevanceDesk:
        from knowledge_base.services.relevance import RelevanceDesk

        return RelevanceDesk(votes=self.stores.votes, ingestions=self.ingestions, indexes=self.stores.indexes)

    @cached_property
    def drops(self) -> Drops:
        from knowledge_base.services.drops import Drops

        stores = self.stores
        return Drops(
            registry=self.knowledge_bases,
            documents=stores.documents,
            versions=stores.versions,
            descriptions=self.descriptions,
            endings=self._endings,
            objects=stores.objects,
            queues=stores.queues,
            clock=stores.clock,
        )
