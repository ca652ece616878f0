"""Cut a version's text into batches of chunks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from knowledge_base.domain.batches import BATCH_SIZE, VectorPlace, batches_of, encode_chunks, encode_fingerprints
from knowledge_base.domain.chunks import Chunk
from knowledge_base.domain.documents import FailureCode, IngestionState, Version
from knowledge_base.domain.errors import DocumentNotFound, KnowledgeBaseNotFound, StaleState
from knowledge_base.domain.object_keys import VersionKey
from knowledge_base.domain.parsed import decode_parsed
from knowledge_base.ports.catalog import Documents, KnowledgeBases, Versions
from knowledge_base.ports.documents import Chunker
from knowledge_base.ports.object_store import ObjectStore
from knowledge_base.ports.queues import Queues
from knowledge_base.services.ingestion.endings import Endings
from knowledge_base.services.ingestion.known_vectors import KnownVectors
from knowledge_base.services.ingestion.lanes import lane_heads
from knowledge_base.services.ingestion.messages import order_embedding
from knowledge_base.services.ingestion.stage import StageEntry


class Chunking:
    """Chunks parsed documents as their knowledge base is configured to."""

    def __init__(
        self,
        *,
        entry: StageEntry,
        endings: Endings,
        versions: Versions,
        documents: Documents,
        knowledge_bases: KnowledgeBases,
        objects: ObjectStore,
        queues: Queues,
        chunker: Chunker,
    ) -> None:
        self._entry = entry
        self._endings = endings
        self._versions = versions
        self._documents = documents
        self._knowledge_bases = knowledge_bases
        self._objects = objects
        self._queues = queues
        self._known = KnownVectors(objects)
        self._chunker = chunker

    def chunk(self, key: VersionKey) -> None:
        """Chunk one version.

        How many batches there are is recorded before the first one is stored, since embedding starts
        with the first and has to know when it has done the last. A second run stores what the first
        may have left out.
        """
        version = self._enter(key)
        if version is None:
            return
        media_type, chunks = self._split(key, version)
        if not chunks:
            self._endings.fail(version, FailureCode.NO_TEXT, "the document has no text")
            return
        batch_count = -(-len(chunks) // BATCH_SIZE)
        facts = {"chunk_count": len(chunks), "batch_count": batch_count, "media_type": media_type}
        self._store(self._announce(version, facts), chunks)

    def _store(self, version: Version, chunks: Sequence[Chunk]) -> None:
        """Store the batches that are not embedded yet, batch 0 last: it sets embedding going."""
        self._objects.put(version.key.fingerprints(), encode_fingerprints(chunks))
        missing = [
            (number, batch)
            for number, batch in batches_of(chunks, self._known_vectors(version, chunks))
            if number not in version.batches_done
        ]
        for number, batch in reversed(missing):
            self._objects.put(version.key.chunks(number), encode_chunks(batch))
        for number in lane_heads(version):
            if number:
                order_embedding(self._queues, self._objects, version, number)

    def _known_vectors(self, version: Version, chunks: Sequence[Chunk]) -> dict[int, VectorPlace]:
        try:
            live = self._documents.get(version.document_id).live_ordinal
        except DocumentNotFound:
            return {}
        return self._known.locate(version.key.at(live), chunks) if live else {}

    def _enter(self, key: VersionKey) -> Version | None:
        version = self._entry.current(key)
        if version is None or version.state is IngestionState.EMBEDDING:
            return version
        return self._entry.let_in(version, IngestionState.CHUNKING, after={IngestionState.PARSING})

    def _split(self, key: VersionKey, version: Version) -> tuple[str, list[Chunk]]:
        """Return the media type and the chunks; no chunks: the version has ended, or has no text."""
        try:
            config = self._knowledge_bases.get(version.kb_id).config.chunking
        except KnowledgeBaseNotFound:
            self._endings.fail(version, FailureCode.REMOVED, "the knowledge base was removed")
            return "", []
        parsed = decode_parsed(self._objects.get(key.parsed()))
        chunks = self._chunker.split(parsed, config, document_id=version.document_id, ordinal=version.ordinal)
        return parsed.media_type, list(chunks)

    def _announce(self, version: Version, facts: dict[str, Any]) -> Version:
        try:
            return self._versions.move(
                version,
                IngestionState.EMBEDDING,
                allowed={IngestionState.CHUNKING},
                due=self._entry.moved_now(),
                changes=facts,
            )
        except StaleState:
            return self._versions.get(version.document_id, version.ordinal)
