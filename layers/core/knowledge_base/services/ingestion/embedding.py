"""Embed batches of chunks; the one that completes a version hands it over to be published."""

from __future__ import annotations

import logging
import time
from contextlib import suppress

from knowledge_base.domain.batches import ChunkBatch, decode_chunks, encode_vectors
from knowledge_base.domain.chunks import Vector
from knowledge_base.domain.deadlines import EMBEDDER, due_in
from knowledge_base.domain.documents import FailureCode, IngestionState, Version
from knowledge_base.domain.errors import EmbedderUnavailable, EmbeddingRefused, KnowledgeBaseNotFound, StaleState
from knowledge_base.domain.object_keys import VersionKey
from knowledge_base.ports.catalog import KnowledgeBases, Publications, Staged, Versions
from knowledge_base.ports.clock import Clock
from knowledge_base.ports.models import Embedders
from knowledge_base.ports.object_store import ObjectStore
from knowledge_base.ports.queues import Queues
from knowledge_base.services.ingestion.endings import Endings, ids_of
from knowledge_base.services.ingestion.known_vectors import KnownVectors
from knowledge_base.services.ingestion.lanes import next_in_lane
from knowledge_base.services.ingestion.messages import knock_on_publish, order_embedding
from knowledge_base.services.ingestion.stage import StageEntry
from knowledge_base.services.outcomes import Outcomes

logger = logging.getLogger(__name__)
SHORTEST_WAIT, LONGEST_WAIT = 5, 60
SILENT = 60
"""After so many seconds without a step forward an embedder is not just busy."""
PATIENCE = 45.0
"""Seconds after which no more texts are begun: with a last request's own 90, less than the function's 150."""


class Embedding:
    """Turns batches into vectors."""

    def __init__(
        self,
        *,
        entry: StageEntry,
        endings: Endings,
        versions: Versions,
        knowledge_bases: KnowledgeBases,
        publications: Publications,
        objects: ObjectStore,
        queues: Queues,
        embedders: Embedders,
        outcomes: Outcomes,
        clock: Clock,
    ) -> None:
        self._entry = entry
        self._endings = endings
        self._versions = versions
        self._knowledge_bases = knowledge_bases
        self._publications = publications
        self._objects = objects
        self._queues = queues
        self._embedders = embedders
        self._outcomes = outcomes
        self._known = KnownVectors(objects)
        self._clock = clock

    def embed(self, key: VersionKey, batch: int) -> None:
        """Embed one batch; an embedder that does not answer now is waited for, without using up a try.

        Raises:
            EmbedderUnavailable: it has not answered for too long.
        """
        version = self._entry.current(key)
        if version is None or version.state not in (IngestionState.EMBEDDING, IngestionState.PUBLISHING):
            return
        if version.state is IngestionState.EMBEDDING and batch not in version.batches_done:
            try:
                done = self._embed(version, key, batch)
            except EmbedderUnavailable as error:
                self._wait(version, batch, error)
                return
            if done is None:
                return
            version = done
        self._go_on(version, batch)

    def _go_on(self, version: Version, batch: int) -> None:
        """Hand the version over once it is whole; until then, go on in the lane of the batch."""
        if len(version.batches_done) == version.batch_count:
            self.hand_over(version)
            return
        following = next_in_lane(version, batch)
        if following is not None:
            order_embedding(self._queues, self._objects, version, following)

    def hand_over(self, version: Version) -> None:
        """Stage a wholly embedded version and knock on publish; again: it knocks again."""
        self._publications.stage(version.kb_id, Staged(version.document_id, version.ordinal))
        try:
            self._versions.move(
                version,
                IngestionState.PUBLISHING,
                allowed={IngestionState.EMBEDDING, IngestionState.PUBLISHING},
                due=self._entry.moved_now(),
            )
        except StaleState:
            return
        knock_on_publish(self._queues, version.kb_id)

    def _wait(self, version: Version, batch: int, error: EmbedderUnavailable) -> None:
        now = self._clock.now()
        waited = (now - version.updated_at).total_seconds()
        if waited > SILENT:
            self._outcomes.is_silent("embedder")
        if waited > EMBEDDER:
            raise error
        delay = min(LONGEST_WAIT, max(SHORTEST_WAIT, round(error.retry_after or 0)))
        with suppress(StaleState):
            self._versions.postpone(version, due=due_in(delay, now), resumes=version.resumes)
        order_embedding(self._queues, self._objects, version, batch, delay=delay)

    def _embed(self, version: Version, key: VersionKey, batch: int) -> Version | None:
        stored = decode_chunks(self._objects.get(key.chunks(batch)))
        vectors = self._known.kept(version.key, batch, stored) | self._known.read(version.key, stored)
        try:
            self._embed_missing(version, stored, vectors)
        except EmbedderUnavailable:
            self._known.keep(version.key, batch, stored, vectors)
            raise
        except EmbeddingRefused as refusal:
            self._endings.fail(version, FailureCode.EMBEDDING_FAILED, str(refusal))
            return None
        except KnowledgeBaseNotFound:
            self._endings.fail(version, FailureCode.REMOVED, "the knowledge base was removed")
            return None
        if len(vectors) < len(stored.chunks):
            self._known.keep(version.key, batch, stored, vectors)
            self._go_on_later(version, batch)
            return None
        ordered = [vectors[at] for at in range(len(stored.chunks))]
        self._objects.put(key.vectors(batch), encode_vectors(stored.chunks, ordered))
        try:
            return self._versions.complete_batch(version, batch, due=self._entry.moved_now())
        except StaleState:
            return None

    def _go_on_later(self, version: Version, batch: int) -> None:
        """Let others have their turn, and count what has been done as a step forward."""
        with suppress(StaleState):
            stage = {IngestionState.EMBEDDING}
            self._versions.move(version, IngestionState.EMBEDDING, allowed=stage, due=self._entry.moved_now())
        order_embedding(self._queues, self._objects, version, batch)

    def _embed_missing(self, version: Version, batch: ChunkBatch, vectors: dict[int, Vector]) -> None:
        """Add the vectors that are missing, some at a time, as many as there is time for."""
        embedder = self._embedders.of(self._knowledge_bases.get(version.kb_id).config.embedding)
        missing = [at for at in range(len(batch.chunks)) if at not in vectors]
        began, known = time.monotonic(), len(vectors)
        for start in range(0, len(missing), embedder.request_size):
            if start and time.monotonic() - began > PATIENCE:
                break
            some = missing[start : start + embedder.request_size]
            embedded = embedder.embed_passages([batch.chunks[at].text for at in some])
            vectors.update(zip(some, embedded, strict=True))
        logger.info("texts embedded", extra={**ids_of(version), "embedded": len(vectors) - known, "known": known})
