"""Parse a version's content into its canonical text."""

from __future__ import annotations

from knowledge_base.domain.checksums import sha256_of, verify
from knowledge_base.domain.documents import FailureCode, IngestionState, Version
from knowledge_base.domain.errors import IngestionFailed, ObjectNotFound
from knowledge_base.domain.object_keys import VersionKey
from knowledge_base.domain.parsed import ParsedDocument, encode_parsed
from knowledge_base.ports.documents import DocumentParser
from knowledge_base.ports.object_store import ObjectStore
from knowledge_base.services.ingestion.endings import Endings
from knowledge_base.services.ingestion.stage import StageEntry

_BEFORE = {IngestionState.PENDING, IngestionState.FETCHING}


class Parsing:
    """Reads what was uploaded or fetched."""

    def __init__(
        self, *, entry: StageEntry, endings: Endings, objects: ObjectStore, parser: DocumentParser, max_bytes: int
    ) -> None:
        self._entry = entry
        self._endings = endings
        self._objects = objects
        self._parser = parser
        self._max_bytes = max_bytes

    def parse(self, key: VersionKey) -> None:
        """Parse one version; what cannot be read ends it as failed."""
        version = self._entry.enter(key, IngestionState.PARSING, after=_BEFORE)
        if version is None:
            return
        try:
            parsed = self._read(key, version)
        except IngestionFailed as failure:
            self._endings.fail(version, failure.code, failure.message)
            return
        self._objects.put(key.parsed(), encode_parsed(parsed))

    def _read(self, key: VersionKey, version: Version) -> ParsedDocument:
        content = self._content(key)
        verify(content, version.source)
        facts = {"size": len(content), "content_hash": sha256_of(content)}
        self._entry.note(version, **facts)
        return self._parser.parse(content, name=version.source.name, declared_type=version.source.declared_type)

    def _content(self, key: VersionKey) -> bytes:
        try:
            if self._objects.size(key.upload()) > self._max_bytes:
                raise IngestionFailed(FailureCode.TOO_LARGE, f"the file is larger than {self._max_bytes} bytes")
            content = self._objects.get(key.upload())
        except ObjectNotFound:
            raise IngestionFailed(FailureCode.FETCH_FAILED, "the file was not uploaded in time") from None
        if not content:
            raise IngestionFailed(FailureCode.EMPTY, "the file is empty")
        return content
