"""Documents, their versions, and the states of an ingestion."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from knowledge_base.domain.batches import BATCH_SIZE
from knowledge_base.domain.deadlines import due_in
from knowledge_base.domain.knowledge_bases import KnowledgeBase
from knowledge_base.domain.metadata import DocumentMetadata
from knowledge_base.domain.object_keys import VersionKey
from knowledge_base.domain.permissions import PUBLIC, Permissions


class IngestionState(StrEnum):
    """Where a version stands; READY and FAILED are the only ends."""

    PENDING = "pending"
    FETCHING = "fetching"
    PARSING = "parsing"
    CHUNKING = "chunking"
    EMBEDDING = "embedding"
    PUBLISHING = "publishing"
    READY = "ready"
    FAILED = "failed"

    @property
    def is_terminal(self) -> bool:
        """Whether nothing more will happen to the version."""
        return self in (IngestionState.READY, IngestionState.FAILED)


class FailureCode(StrEnum):
    """Why a version ended as failed."""

    ENCRYPTED = "encrypted"
    NO_TEXT = "no_text"
    CORRUPT = "corrupt"
    EMPTY = "empty"
    UNSUPPORTED = "unsupported"
    TOO_LARGE = "too_large"
    TOO_COMPLEX = "too_complex"
    FETCH_FAILED = "fetch_failed"
    CHECKSUM_MISMATCH = "checksum_mismatch"
    EMBEDDING_FAILED = "embedding_failed"
    INDEX_FAILED = "index_failed"
    SUPERSEDED = "superseded"
    REMOVED = "removed"
    STALLED = "stalled"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class Failure:
    """The code and the plain words of a failed ingestion."""

    code: FailureCode
    message: str


@dataclass(frozen=True, slots=True)
class Document:
    """One source in a knowledge base.

    `names` are all names it goes by (uran aliases); `latest_ordinal` is the newest accepted version,
    `live_ordinal` the one that answers (0: none yet). `removed_ordinal` is the newest version that a
    removal covers; a document with `removed` set is gone for live reads at once. `description_order`
    orders the changes of metadata and permissions that come from outside: an older one changes nothing.
    `edition` is raised by every change that a caller makes, of content, names, metadata or permissions.
    """

    document_id: str
    tenant: str
    kb_id: str
    names: frozenset[str]
    owner: str
    created_at: datetime
    updated_at: datetime
    latest_ordinal: int = 1
    live_ordinal: int = 0
    removed_ordinal: int = 0
    removed: bool = False
    permissions: Permissions = PUBLIC
    metadata: DocumentMetadata = field(default_factory=DocumentMetadata)
    description_order: str = ""
    edition: int = 0

    @classmethod
    def new(cls, document_id: str, *, kb: KnowledgeBase, name: str, owner: str, now: datetime) -> Document:
        """Return a document of one name, about to get its first version."""
        return cls(document_id, kb.tenant, kb.kb_id, frozenset({name}), owner, now, now)

    def with_next_version(self, now: datetime) -> Document:
        """Return the document as it stands once one more version is accepted."""
        return replace(self, latest_ordinal=self.latest_ordinal + 1, updated_at=now)

    @property
    def readers(self) -> frozenset[str]:
        """The marks of which a principal needs one to find and read it."""
        return self.permissions.readers

    @property
    def name(self) -> str:
        """The first of its names in alphabetical order."""
        return min(self.names, default="")

    @property
    def title(self) -> str:
        """The title that it was given, else its name."""
        return self.metadata.title or self.name


@dataclass(frozen=True, slots=True)
class Source:
    """Where a version's content comes from: a URL to fetch, or an upload when `url` is empty.

    `md5` is the caller's identity for the content; it is verified only when it has 32 hex digits.
    `sha256` is always verified. `declared_type` is the caller's word for the format, e.g. `pdf`.
    """

    name: str
    url: str = ""
    declared_type: str = ""
    md5: str = ""
    sha256: str = ""
    sequencer: str = ""

    @property
    def identity(self) -> str:
        """What tells the content from every other, as far as the caller said it; empty: nothing does."""
        return self.md5 or (f"sha256:{self.sha256}" if self.sha256 else "")


@dataclass(frozen=True, slots=True)
class Version:
    """One content of a document, on its way through ingestion.

    `revision` is the knowledge base's revision it was written under (0: not yet published);
    `due` is the second since the epoch at which it was due to move on: when that is long past, the
    sweep looks after it. `last_error` is what went wrong at the last try that is worth another.
    """

    document_id: str
    ordinal: int
    tenant: str
    kb_id: str
    source: Source
    state: IngestionState
    accepted_at: datetime
    updated_at: datetime
    due: int
    resumes: int = 0
    size: int = 0
    content_hash: str = ""
    media_type: str = ""
    chunk_count: int = 0
    batch_count: int = 0
    batches_done: frozenset[int] = frozenset()
    revision: int = 0
    failure: Failure | None = None
    last_error: str = ""

    @classmethod
    def accepted(cls, document: Document, source: Source, now: datetime, *, patience: int = 0) -> Version:
        """Return the newest version of a document, at the beginning of its way; `patience` seconds may pass first."""
        return cls(
            document.document_id,
            document.latest_ordinal,
            document.tenant,
            document.kb_id,
            source,
            IngestionState.PENDING,
            now,
            now,
            due_in(patience, now),
        )

    @property
    def key(self) -> VersionKey:
        """What its objects are stored under."""
        return VersionKey(self.tenant, self.document_id, self.ordinal)

    @property
    def chunks_done(self) -> int:
        """How many chunks are embedded."""
        last_is_done = self.batch_count - 1 in self.batches_done
        missing_in_last = self.batch_count * BATCH_SIZE - self.chunk_count
        return len(self.batches_done) * BATCH_SIZE - (missing_in_last if last_is_done else 0)

    @property
    def progress(self) -> float:
        """How much of the ingestion is done, from 0 to 1; embedding counts by its batches."""
        if self.state is IngestionState.EMBEDDING and self.batch_count:
            return round(0.3 + 0.6 * len(self.batches_done) / self.batch_count, 3)
        return _PROGRESS[self.state]


_PROGRESS = {
    IngestionState.PENDING: 0.0,
    IngestionState.FETCHING: 0.05,
    IngestionState.PARSING: 0.1,
    IngestionState.CHUNKING: 0.2,
    IngestionState.EMBEDDING: 0.3,
    IngestionState.PUBLISHING: 0.9,
    IngestionState.READY: 1.0,
    IngestionState.FAILED: 1.0,
}
