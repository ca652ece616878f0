"""The catalog: knowledge bases, documents, versions, and what is published.

Every change of a record that others may change too is a conditional write: who comes second gets
`StaleState`, reads again and decides anew. Reads are consistent unless they say otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from knowledge_base.domain.documents import Document, Failure, IngestionState, Version
from knowledge_base.domain.intakes import Place
from knowledge_base.domain.knowledge_bases import Dialect, KnowledgeBase, KnowledgeBaseConfig
from knowledge_base.domain.metadata import DocumentMetadata
from knowledge_base.domain.permissions import Permissions


@dataclass(frozen=True, slots=True)
class Claim:
    """A value that at most one document of a knowledge base may hold, e.g. ("name", "价格.pdf").

    `held_by` is the document that holds it now; None: nobody may.
    """

    kind: str
    value: str
    held_by: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """Documents in order of their making; `next_cursor` is None on the last page."""

    documents: tuple[Document, ...]
    next_cursor: str | None


class KnowledgeBases(Protocol):
    """The tenants' knowledge bases."""

    def create(self, knowledge_base: KnowledgeBase) -> None:
        """Store a new knowledge base.

        Raises:
            NameTaken: one with this dialect and name exists in the tenant.
        """

    def get(self, kb_id: str) -> KnowledgeBase:
        """Return a knowledge base that is not deleted.

        Raises:
            KnowledgeBaseNotFound: there is none.
        """

    def find(self, tenant: str, dialect: Dialect, name: str) -> KnowledgeBase | None:
        """Return the tenant's knowledge base of this name, None without one."""

    def all_of(self, tenant: str, dialect: Dialect) -> Iterator[KnowledgeBase]:
        """Yield the tenant's knowledge bases of one dialect, by name."""

    def configure(self, knowledge_base: KnowledgeBase, config: KnowledgeBaseConfig) -> KnowledgeBase:
        """Give a knowledge base another configuration, if nothing has been written to it since it was read.

        Raises:
            StaleState: something has, or it is deleted.
        """

    def mark_deleted(self, knowledge_base: KnowledgeBase) -> None:
        """Mark it as deleted and free its name; what it holds is purged later. Again: nothing happens."""

    def deleted(self) -> Iterator[KnowledgeBase]:
        """Yield knowledge bases that are marked as deleted and not yet purged; may lag by a second."""

    def erase(self, kb_id: str) -> None:
        """Forget a deleted knowledge base for good."""

    def raise_generation(self, kb_id: str) -> None:
        """Count one more write, so that cached results of before no longer fit."""


NEW_AT_ONCE = 16
"""How many new documents are accepted together: DynamoDB writes at most a hundred items at once."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A new document with its first version, the claims that it takes, and its place in an intake if it has one."""

    document: Document
    version: Version
    claims: tuple[Claim, ...]
    place: Place | None = None


class Documents(Protocol):
    """Documents and the names that lead to them."""

    def get(self, document_id: str) -> Document:
        """Return a document, also a removed one that is not yet purged.

        Raises:
            DocumentNotFound: there is none.
        """

    def get_many(self, document_ids: Collection[str]) -> dict[str, Document]:
        """Return those documents that exist, by id, in one round trip for each hundred."""

    def page(self, kb_id: str, *, limit: int, cursor: str | None = None) -> DocumentPage:
        """Return the documents of a knowledge base that are not removed, oldest first.

        A walk by cursor meets every document that is there all the time exactly once.

        Raises:
            InvalidInput: the cursor is not one of ours.
        """

    def holder(self, kb_id: str, kind: str, value: str) -> str | None:
        """Return the id of the document that holds a claim in the knowledge base, None without one."""

    def accept(
        self, document: Document, version: Version, claims: Sequence[Claim] = (), *, place: Place | None = None
    ) -> None:
        """Store a version together with its document, and take the claims, all or nothing.

        `document.latest_ordinal == version.ordinal`; with ordinal 1 the document is new, else it must
        stand, not removed, at the ordinal before. The version is the decision about `place`.

        Raises:
            StaleState: the document or a claim is not as expected, or the place is decided.
        """

    def taken(self, kb_id: str, claims: Collection[Claim]) -> frozenset[Claim]:
        """Return those of the claims that a document of the knowledge base holds, whichever it is."""

    def accept_new(self, accepted: Sequence[Acceptance]) -> None:
        """Store new documents with their first versions and take their claims, all or nothing.

        At most `NEW_AT_ONCE`, each with at most two claims, none of them twice.

        Raises:
            StaleState: a claim is taken, or a place is decided.
        """

    def rename(
        self, document: Document, names: frozenset[str], *, take: Sequence[Claim] = (), free: Sequence[Claim] = ()
    ) -> Document:
        """Replace the document's names, taking and freeing claims with them, all or nothing.

        Raises:
            StaleState: the document's names or a claim changed since `document` was read.
        """

    def remove(self, document: Document, free: Sequence[Claim] = ()) -> Document:
        """Mark as removed with all versions so far, free claims it holds, and stage the removal.

        Raises:
            StaleState: the document changed since it was read.
        """

    def describe(
        self, document_id: str, *, metadata: DocumentMetadata, permissions: Permissions, order: str = ""
    ) -> Document:
        """Replace metadata and permissions, and raise the knowledge base's generation with them.

        `order` is the place of this description among those of the document: an older one, or the same
        again, changes nothing.

        Raises:
            DocumentNotFound: there is none, or it is removed.
            StaleState: a description of a later order was there before.
        """

    def revise(
        self,
        document: Document,
        *,
        metadata: DocumentMetadata,
        permissions: Permissions,
        version: Version | None = None,
    ) -> Document:
        """Replace metadata and permissions and, with a version, accept it as the newest, all or nothing.

        Raises the document's edition, and the knowledge base's generation with it.

        Raises:
            StaleState: the document changed since it was read.
        """

    def cursor_behind(self, document: Document) -> str:
        """Return the cursor of the page that begins behind a document."""

    def set_live(self, document_id: str, ordinal: int) -> None:
        """Record which version answers now; an older one than recorded changes nothing."""

    def erase(self, document: Document) -> None:
        """Forget a removed document with its versions for good."""


class Versions(Protocol):
    """The state machine of each version."""

    def get(self, document_id: str, ordinal: int) -> Version:
        """Return a version.

        Raises:
            VersionNotFound: there is none.
        """

    def get_many(self, keys: Collection[tuple[str, int]]) -> dict[tuple[str, int], Version]:
        """Return those versions that exist, by document id and ordinal, in one round trip for each hundred."""

    def move(
        self,
        version: Version,
        to: IngestionState,
        *,
        allowed: Collection[IngestionState],
        due: int,
        changes: Mapping[str, Any] | None = None,
    ) -> Version:
        """Change the state, and other fields by name with it, if the stored state is one of `allowed`.

        Raises:
            StaleState: it is not.
        """

    def fail(self, version: Version, failure: Failure) -> Version:
        """End a version that has not ended, as failed.

        Raises:
            StaleState: it has ended already.
        """

    def complete_batch(self, version: Version, batch: int, *, due: int) -> Version:
        """Add a batch to those that are embedded, if the state is EMBEDDING; twice changes nothing.

        Raises:
            StaleState: the version is in another state.
        """

    def overdue(self, now: int, *, limit: int) -> list[Version]:
        """Return versions that have not ended and whose `due` has passed, the longest overdue first.

        May lag by a second.
        """

    def postpone(self, version: Version, *, due: int, resumes: int) -> Version:
        """Set when the sweep looks again, and how often it has resumed the version.

        Raises:
            StaleState: the version changed since it was read.
        """


@dataclass(frozen=True, slots=True)
class Staged:
    """Something that waits for the next publish: a version, or with `removal` a removed document."""

    document_id: str
    ordinal: int
    removal: bool = False


@dataclass(frozen=True, slots=True)
class Publication:
    """The claim of one publisher on a knowledge base: nobody else writes `revision` while it lasts."""

    kb_id: str
    token: str
    revision: int
    taken_over: bool


@dataclass(frozen=True, slots=True)
class Purge:
    """What may be deleted for good from second `due` on: chunks that ended at or before `revision`.

    With a `document_id`, that removed document goes as well.
    """

    kb_id: str
    revision: int
    due: int
    document_id: str = ""


class Publications(Protocol):
    """What waits to be published, who publishes, and what a publish left to be purged."""

    def stage(self, kb_id: str, staged: Staged) -> None:
        """Add to what waits; twice changes nothing."""

    def staged(self, kb_id: str, *, limit: int) -> list[Staged]:
        """Return what waits, removals first."""

    def waiting(self) -> Iterator[str]:
        """Yield the knowledge bases in which something waits; may lag by a second."""

    def unstage(self, kb_id: str, staged: Staged) -> None:
        """Take away from what waits; twice changes nothing."""

    def begin(self, kb_id: str, *, token: str, now: int, lease: int) -> Publication:
        """Claim the knowledge base for `lease` seconds, for its present revision + 1.

        `taken_over` says that an earlier claim ran out unfinished: its writes under this revision
        have to be undone first.

        Raises:
            StaleState: another publisher holds the claim.
            KnowledgeBaseNotFound: the knowledge base is deleted.
        """

    def commit(self, publication: Publication) -> None:
        """Raise revision and generation and end the claim, in one conditional write.

        Raises:
            StaleState: the claim ran out and was taken over.
        """

    def abandon(self, publication: Publication) -> None:
        """End the claim without raising the revision, after everything under it was undone."""

    def schedule_purge(self, purge: Purge) -> None:
        """Remember what to purge later; twice changes nothing."""

    def due_purges(self, now: int, *, limit: int) -> list[Purge]:
        """Return purges whose time has come; may lag by a second."""

    def finish_purge(self, purge: Purge) -> None:
        """Forget a purge that is done."""
