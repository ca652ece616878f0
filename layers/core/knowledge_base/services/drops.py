"""Files that other systems drop into a bucket of their own: `{tenant}/{knowledge base}/{path}`.

`{path}.metadata.json` beside a file gives its title, tags and permissions, whichever of the two comes first.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass

from knowledge_base.domain.documents import Document, FailureCode, IngestionState, Source, Version
from knowledge_base.domain.errors import InvalidInput, ObjectNotFound, StaleState
from knowledge_base.domain.ids import new_id
from knowledge_base.domain.knowledge_bases import KnowledgeBase
from knowledge_base.ports.catalog import Claim, Documents, Versions
from knowledge_base.ports.clock import Clock
from knowledge_base.ports.object_store import ObjectStore
from knowledge_base.ports.queues import Queues
from knowledge_base.services.descriptions import Descriptions
from knowledge_base.services.document_lookup import NAME, DocumentLookup
from knowledge_base.services.ingestion.endings import Endings, ids_of
from knowledge_base.services.ingestion.messages import knock_on_publish
from knowledge_base.services.knowledge_bases import KnowledgeBaseRegistry
from knowledge_base.services.sidecars import MAX_BYTES, SUFFIX, Sidecar, is_sidecar, read_sidecar

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DropEvent:
    """Something happened to an object of the drop bucket; `key` is decoded already.

    `sequencer` orders the events of one key, as the store gives it: hexadecimal, longer is later.
    """

    bucket: str
    key: str
    sequencer: str
    removed: bool = False


class Drops:
    """Lets the drop bucket and the documents agree, in the order of the sequencers."""

    def __init__(
        self,
        *,
        registry: KnowledgeBaseRegistry,
        documents: Documents,
        versions: Versions,
        descriptions: Descriptions,
        endings: Endings,
        objects: ObjectStore,
        queues: Queues,
        clock: Clock,
    ) -> None:
        self._registry = registry
        self._documents = documents
        self._lookup = DocumentLookup(documents=documents, versions=versions)
        self._descriptions = descriptions
        self._endings = endings
        self._objects = objects
        self._queues = queues
        self._clock = clock

    def handle(self, event: DropEvent) -> None:
        """Take in one event; an older one than was taken in before changes nothing.

        Raises:
            StaleState: others change the same document; worth the queue's next try.
        """
        tenant, _, rest = event.key.partition("/")
        name, _, path = rest.partition("/")
        if not (tenant and name and path) or path.endswith("/"):
            return
        knowledge_base = self._registry.for_drop(tenant, name)
        if is_sidecar(path):
            self._describe(event, self._lookup.holder(knowledge_base.kb_id, NAME, path.removesuffix(SUFFIX)))
            return
        document = self._lookup.holder(knowledge_base.kb_id, NAME, path)
        if event.removed:
            self._remove(event, document, path)
        else:
            self._take_in(event, knowledge_base, document, path)

    def _take_in(self, event: DropEvent, knowledge_base: KnowledgeBase, document: Document | None, path: str) -> None:
        newest = self._lookup.newest_version(document)
        if newest and _order(newest.source.sequencer) > _order(event.sequencer):
            return
        if newest is None or newest.source.sequencer != event.sequencer:
            newest = self._accept(event, knowledge_base, document, path)
        if newest.state is not IngestionState.PENDING:
            return
        try:
            self._describe_as_found(event, newest)
        except InvalidInput as error:
            self._endings.fail(newest, FailureCode.CORRUPT, f"the file's {SUFFIX} is not valid: {error}")
            return
        self._copy(event, newest)

    def _accept(self, event: DropEvent, knowledge_base: KnowledgeBase, document: Document | None, path: str) -> Version:
        now = self._clock.now()
        claims = [] if document else [Claim(NAME, path)]
        if document:
            accepted = document.with_next_version(now)
        else:
            accepted = Document.new(new_id(), kb=knowledge_base, name=path, owner=knowledge_base.owner, now=now)
        version = Version.accepted(accepted, Source(name=path, sequencer=event.sequencer), now)
        self._documents.accept(accepted, version, claims)
        logger.info("document accepted", extra=ids_of(version))
        return version

    def _copy(self, event: DropEvent, version: Version) -> None:
        try:
            self._objects.copy_in(event.bucket, event.key, version.key.upload())
        except ObjectNotFound:
            self._endings.fail(version, FailureCode.REMOVED, "the file was removed before it could be read")

    def _describe_as_found(self, event: DropEvent, version: Version) -> None:
        """Take in what the sidecar says now, unless an event of the sidecar's own was faster."""
        try:
            found = self._objects.read_in(event.bucket, event.key + SUFFIX, limit=MAX_BYTES + 1)
        except ObjectNotFound:
            return
        self._apply(self._lookup.document(version.document_id), read_sidecar(found), order="")

    def _describe(self, event: DropEvent, document: Document | None) -> None:
        """Take in a sidecar that came, changed or went after its file; one that cannot be read changes nothing."""
        try:
            found = self._objects.read_in(event.bucket, event.key, limit=MAX_BYTES + 1)
            said = read_sidecar(found)
        except ObjectNotFound:
            said = Sidecar()
        except InvalidInput as error:
            logger.warning("the metadata of a dropped file is not valid", extra={"reason": str(error), **_of(document)})
            return
        self._apply(document, said, order=_order(event.sequencer))

    def _apply(self, document: Document | None, said: Sidecar, *, order: str) -> None:
        if document is None:
            return
        with suppress(StaleState):
            self._descriptions.describe(document, metadata=said.metadata, permissions=said.permissions, order=order)

    def _remove(self, event: DropEvent, document: Document | None, path: str) -> None:
        newest = self._lookup.newest_version(document)
        if document is None or newest is None or _order(newest.source.sequencer) > _order(event.sequencer):
            return
        self._documents.remove(document, free=[Claim(NAME, path, document.document_id)])
        knock_on_publish(self._queues, document.kb_id)


def _of(document: Document | None) -> dict[str, str]:
    return {"document_id": document.document_id} if document else {}


def _order(sequencer: str) -> str:
    """Sequencers compare as hexadecimal numbers: the shorter is padded on the right.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
    """
    return sequencer.lower().ljust(32, "0")
