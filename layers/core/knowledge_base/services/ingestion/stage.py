"""What every stage of the pipeline begins with: the version, moved into the stage's state."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from typing import Any

from knowledge_base.domain.deadlines import due_in
from knowledge_base.domain.documents import FailureCode, IngestionState, Version
from knowledge_base.domain.errors import DocumentNotFound, StaleState, VersionNotFound
from knowledge_base.domain.object_keys import VersionKey
from knowledge_base.ports.catalog import Documents, Versions
from knowledge_base.ports.clock import Clock
from knowledge_base.services.ingestion.endings import Endings


class StageEntry:
    """Lets a version into a stage, once it is clear that the stage is still wanted."""

    def __init__(self, *, versions: Versions, documents: Documents, endings: Endings, clock: Clock) -> None:
        self._versions = versions
        self._documents = documents
        self._endings = endings
        self._clock = clock

    def enter(self, key: VersionKey, state: IngestionState, *, after: Collection[IngestionState]) -> Version | None:
        """Return the version, now in `state`; None when it is past it, has ended, or is gone.

        A version that is in `state` already is let in again: whoever worked on it may have died.
        """
        version = self.current(key)
        return None if version is None else self.let_in(version, state, after=after)

    def let_in(self, version: Version, state: IngestionState, *, after: Collection[IngestionState]) -> Version | None:
        """Do the same for a version that was just read by `current`."""
        changes = {} if version.state is state else {"resumes": 0}
        try:
            return self._versions.move(version, state, allowed={state, *after}, due=self.moved_now(), changes=changes)
        except StaleState:
            return None

    def current(self, key: VersionKey) -> Version | None:
        """Return the version as it stands, None when it has ended or is gone; a removed one is ended."""
        try:
            version = self._versions.get(key.document_id, key.ordinal)
            document = self._documents.get(key.document_id)
        except (VersionNotFound, DocumentNotFound):
            return None
        if version.state.is_terminal or version.tenant != key.tenant:
            return None
        if document.removed_ordinal >= version.ordinal:
            self._endings.fail(version, FailureCode.REMOVED, "the document was removed")
            return None
        return version

    def note_error(self, version: Version, error: str) -> None:
        """Keep what went wrong at a try that is worth another, in case it was the last."""
        self.note(version, last_error=error)

    def note(self, version: Version, **changes: Any) -> None:
        """Record what became known of a version, by field, unless it has moved on meanwhile."""
        with suppress(StaleState):
            self._versions.move(version, version.state, allowed={version.state}, due=self.moved_now(), changes=changes)

    def moved_now(self) -> int:
        """Return the `due` of a version that moves now."""
        return due_in(0, self._clock.now())
