"""How a version ends: ready or failed, recorded once and told to who asked."""

from __future__ import annotations

import logging
from collections.abc import Callable

from knowledge_base.domain.deadlines import due_in
from knowledge_base.domain.documents import Failure, FailureCode, IngestionState, Version
from knowledge_base.domain.errors import StaleState
from knowledge_base.ports.catalog import Documents, Versions
from knowledge_base.ports.clock import Clock
from knowledge_base.services.outcomes import Outcomes

logger = logging.getLogger(__name__)
PUBLISHABLE = frozenset({IngestionState.EMBEDDING, IngestionState.PUBLISHING})


class Endings:
    """Moves versions into their terminal states."""

    def __init__(
        self,
        *,
        versions: Versions,
        documents: Documents,
        tell: Callable[[Version], None],
        outcomes: Outcomes,
        clock: Clock,
    ) -> None:
        self._versions = versions
        self._documents = documents
        self._tell = tell
        self._outcomes = outcomes
        self._clock = clock

    def fail(self, version: Version, code: FailureCode, message: str) -> None:
        """End a version as failed and tell who asked; one that has ended already is left as it is."""
        try:
            ended = self._versions.fail(version, Failure(code, message))
        except StaleState:
            return
        logger.warning("ingestion failed", extra={**ids_of(ended), "code": code})
        self._outcomes.ingestion_failed(code)
        self._tell(ended)

    def ready(self, version: Version) -> None:
        """End a published version as ready and tell who asked; again: nothing changes."""
        self._documents.set_live(version.document_id, version.ordinal)
        now = due_in(0, self._clock.now())
        try:
            ended = self._versions.move(version, IngestionState.READY, allowed=PUBLISHABLE, due=now)
        except StaleState:
            return
        self._outcomes.ingestion_ready()
        logger.info("ingestion ready", extra={**ids_of(ended), "chunk_count": ended.chunk_count})
        self._tell(ended)


def ids_of(version: Version) -> dict[str, object]:
    """Return what a log line says of a version: ids, nothing of its content."""
    return {
        "tenant": version.tenant,
        "kb_id": version.kb_id,
        "document_id": version.document_id,
        "ordinal": version.ordinal,
    }
