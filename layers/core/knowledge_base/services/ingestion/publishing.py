"""Make everything that is staged in a knowledge base live under one new revision."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from knowledge_base.domain.batches import decode_vectors
from knowledge_base.domain.chunks import IndexedChunk
from knowledge_base.domain.deadlines import PUBLISH_LEASE, PURGE_GRACE, due_in
from knowledge_base.domain.documents import Document, FailureCode, IngestionState, Version
from knowledge_base.domain.errors import IndexUnavailable, KnowledgeBaseNotFound, StaleState
from knowledge_base.domain.ids import new_id
from knowledge_base.ports.catalog import (
    Documents,
    KnowledgeBases,
    Publication,
    Publications,
    Purge,
    Staged,
    Versions,
)
from knowledge_base.ports.clock import Clock
from knowledge_base.ports.object_store import ObjectStore
from knowledge_base.ports.queues import Queues
from knowledge_base.ports.vector_index import VectorIndex, VectorIndexes
from knowledge_base.services.ingestion.endings import PUBLISHABLE, Endings
from knowledge_base.services.ingestion.messages import knock_on_publish
from knowledge_base.services.ingestion.publish_plan import PublishPlan, PublishPlanner
from knowledge_base.services.outcomes import Outcomes

STAGED_AT_ONCE = 200
EVERYTHING = 100_000

PAUSE = 0.15
"""Seconds between two revisions: others may write to the index then, and more is staged for the next."""

TIME_FOR_MORE = 25.0
"""Seconds after which no further revision is begun: one may take as long again, and the function has 60."""


class Publishing:
    """Publishes; a message is only a knock, and says nothing but which knowledge base."""

    def __init__(
        self,
        *,
        knowledge_bases: KnowledgeBases,
        documents: Documents,
        versions: Versions,
        publications: Publications,
        endings: Endings,
        objects: ObjectStore,
        indexes: VectorIndexes,
        queues: Queues,
        outcomes: Outcomes,
        clock: Clock,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._sleep = sleep
        self._knowledge_bases = knowledge_bases
        self._documents = documents
        self._versions = versions
        self._publications = publications
        self._planner = PublishPlanner(documents=documents, versions=versions)
        self._endings = endings
        self._objects = objects
        self._outcomes = outcomes
        self._indexes = indexes
        self._queues = queues
        self._clock = clock

    def publish(self, kb_id: str) -> None:
        """Publish what is staged, revision by revision, until nothing is; nothing staged, nothing happens.

        When another publisher is at work it is left to that one, which looks once more before it ends;
        should it be dead, the sweep knocks again until its claim has run out.

        Raises:
            IndexUnavailable: the index does not answer; what was written is undone.
        """
        begin, is_first = self._clock.now(), True
        while self._publications.staged(kb_id, limit=1):
            self._sleep(0 if is_first else PAUSE)
            if not self._publish_revision(kb_id):
                return
            is_first = False
            # Lambda ends chains of messages in which a function calls itself again and again, so this is the exception.
            if (self._clock.now() - begin).total_seconds() > TIME_FOR_MORE:
                knock_on_publish(self._queues, kb_id)
                return

    def _publish_revision(self, kb_id: str) -> bool:
        """Publish once; return False when it is somebody else's turn, or the knowledge base is gone."""
        now = due_in(0, self._clock.now())
        try:
            index = self._indexes.of(self._knowledge_bases.get(kb_id).config.embedding)
            publication = self._publications.begin(kb_id, token=new_id(), now=now, lease=PUBLISH_LEASE)
        except StaleState:
            return False
        except KnowledgeBaseNotFound:
            self._end_all(kb_id)
            return False
        self._run(publication, index)
        return True

    def _run(self, publication: Publication, index: VectorIndex) -> None:
        try:
            if publication.taken_over:
                self._undo(publication, index)
            plan = self._write_until_whole(publication, index)
        except Exception as error:
            if isinstance(error, IndexUnavailable):
                self._outcomes.is_silent("index")
            self._undo(publication, index)
            self._publications.abandon(publication)
            raise
        if plan.changes_index:
            self._publications.commit(publication)
        else:
            self._publications.abandon(publication)
        self._finish(plan, publication)

    def _undo(self, publication: Publication, index: VectorIndex) -> None:
        """Leave no trace of the revision: neither chunks nor versions that believe they are in it."""
        index.undo(publication.kb_id, publication.revision)
        for version in self._planner.versions_of(self._staged(publication.kb_id, limit=EVERYTHING)):
            if version.revision == publication.revision and version.state in PUBLISHABLE:
                self._assign(version, 0)

    def _staged(self, kb_id: str, *, limit: int = STAGED_AT_ONCE) -> list[Staged]:
        return self._publications.staged(kb_id, limit=limit)

    def _write_until_whole(self, publication: Publication, index: VectorIndex) -> PublishPlan:
        """Write until a plan goes through whole: a version that the index refuses is failed and left out."""
        while True:
            staged = self._staged(publication.kb_id)
            plan = self._planner.plan(staged, publication.revision)
            refused = self._write(plan, publication.revision, index)
            if not refused:
                return plan
            for version in refused:
                self._endings.fail(version, FailureCode.INDEX_FAILED, "the index refused a part of the document")
            self._undo(publication, index)

    def _write(self, plan: PublishPlan, revision: int, index: VectorIndex) -> list[Version]:
        """Write and close; return the versions of which the index refused something."""
        plan.write = [(document, self._assign(version, revision)) for document, version in plan.write]
        refused = [version for document, version in plan.write if not self._write_version(index, document, version)]
        if not refused and plan.changes_index:
            for document, below in _replaced(plan):
                index.close_versions(document.kb_id, document.document_id, below=below, revision=revision)
            index.refresh()
            self._relabel_changed(plan, index)
        return refused

    def _relabel_changed(self, plan: PublishPlan, index: VectorIndex) -> None:
        """Catch up with permissions that were changed while the chunks were being written."""
        now = self._documents.get_many({document.document_id for document, _ in plan.write})
        for document, _ in plan.write:
            readers = now.get(document.document_id, document).readers
            if readers != document.readers:
                index.relabel(document.kb_id, document.document_id, readers=readers)

    def _assign(self, version: Version, revision: int) -> Version:
        """Record the revision before it is made, so that what a dead publish had made is finished, not redone."""
        return self._versions.move(
            version,
            IngestionState.PUBLISHING,
            allowed=PUBLISHABLE,
            due=due_in(0, self._clock.now()),
            changes={"revision": revision},
        )

    def _write_version(self, index: VectorIndex, document: Document, version: Version) -> bool:
        for batch in range(version.batch_count):
            pairs = decode_vectors(self._objects.get(version.key.vectors(batch)))
            chunks = [
                IndexedChunk(chunk, vector, document.tenant, document.kb_id, version.revision, readers=document.readers)
                for chunk, vector in pairs
            ]
            if index.write(chunks):
                return False
        return True

    def _finish(self, plan: PublishPlan, publication: Publication) -> None:
        for version in [*plan.finish, *(version for _, version in plan.write)]:
            self._endings.ready(version)
            self._unstage(version)
        for version in plan.drop:
            self._endings.fail(version, FailureCode.SUPERSEDED, "a newer version of the document took its place")
            self._unstage(version)
        for staged in plan.forget:
            self._publications.unstage(publication.kb_id, staged)
        for document in plan.remove:
            removal = Staged(document.document_id, document.removed_ordinal, removal=True)
            self._publications.unstage(publication.kb_id, removal)
        self._schedule_purges(plan, publication)

    def _schedule_purges(self, plan: PublishPlan, publication: Publication) -> None:
        due = due_in(PURGE_GRACE, self._clock.now())
        removed = [document.document_id for document in plan.remove]
        replaced = [""] if any(document.live_ordinal for document, _ in plan.write) else []
        for document_id in removed + replaced:
            self._publications.schedule_purge(Purge(publication.kb_id, publication.revision, due, document_id))

    def _unstage(self, version: Version) -> None:
        self._publications.unstage(version.kb_id, Staged(version.document_id, version.ordinal))

    def _end_all(self, kb_id: str) -> None:
        staged = self._staged(kb_id, limit=EVERYTHING)
        for version in self._planner.versions_of(staged):
            self._endings.fail(version, FailureCode.REMOVED, "the knowledge base was removed")
        for item in staged:
            if item.removal:
                due = due_in(PURGE_GRACE, self._clock.now())
                self._publications.schedule_purge(Purge(kb_id, 0, due, item.document_id))
            self._publications.unstage(kb_id, item)


def _replaced(plan: PublishPlan) -> Iterator[tuple[Document, int]]:
    """Yield the documents whose earlier versions end, each with the first ordinal that stays."""
    for document, version in plan.write:
        yield document, version.ordinal
    for document in plan.remove:
        yield document, document.removed_ordinal + 1
