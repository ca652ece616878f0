"""Let callers send a file straight into the object store, by a form that is good for one file and one hour."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from knowledge_base.domain.access import Principal
from knowledge_base.domain.deadlines import UPLOAD
from knowledge_base.domain.documents import IngestionState, Source, Version
from knowledge_base.domain.errors import PayloadTooLarge
from knowledge_base.domain.knowledge_bases import KnowledgeBase
from knowledge_base.ports.clock import Clock
from knowledge_base.ports.object_store import ObjectStore, UploadForm
from knowledge_base.services.importing import Importing
from knowledge_base.services.writing import Description, Writing


@dataclass(frozen=True, slots=True)
class Upload:
    """Where to send a file; without a form its content is there already, or on its way."""

    version: Version
    form: UploadForm | None
    expires_at: datetime


class Uploads:
    """Hands out upload forms."""

    def __init__(
        self, *, importing: Importing, writing: Writing, objects: ObjectStore, clock: Clock, max_bytes: int
    ) -> None:
        self._importing = importing
        self._writing = writing
        self._objects = objects
        self._clock = clock
        self._max_bytes = max_bytes

    def begin(self, caller: Principal, knowledge_base: KnowledgeBase, source: Source, *, size: int) -> Upload:
        """Accept a document whose content is to be uploaded, and return the form for it.

        Asked again before the file has come, the form is for the same version; once it has come, there
        is none.

        Raises:
            PayloadTooLarge: the file is larger than a document may be.
        """
        self._check(size)
        return self._upload(self._importing.accept(caller, knowledge_base, source, patience=UPLOAD), size)

    def begin_document(
        self, caller: Principal, knowledge_base: KnowledgeBase, source: Source, said: Description, *, size: int
    ) -> Upload:
        """Accept a document with permissions of its own, and return the form for its content.

        Raises:
            PayloadTooLarge: the file is larger than a document may be.
        """
        self._check(size)
        _document, version = self._writing.announce(caller, knowledge_base, source, said, size=size, patience=UPLOAD)
        return self._upload(version, size)

    def _check(self, size: int) -> None:
        if size > self._max_bytes:
            raise PayloadTooLarge(self._max_bytes)

    def _upload(self, version: Version, size: int) -> Upload:
        expires_at = self._clock.now() + timedelta(seconds=UPLOAD)
        awaits_file = version.state is IngestionState.PENDING and not version.source.url
        form = self._objects.upload_form(version.key.upload(), size=size, lifetime=UPLOAD) if awaits_file else None
        return Upload(version, form, expires_at)
