"""Let callers store, change and remove documents that have permissions of their own."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from knowledge_base.domain.access import Principal
from knowledge_base.domain.documents import Document, Source, Version
from knowledge_base.domain.errors import (
    EditionMismatch,
    InvalidInput,
    NotPermitted,
    NotYetReadable,
    ObjectNotFound,
    PayloadTooLarge,
    TooLargeInline,
)
from knowledge_base.domain.ids import new_id
from knowledge_base.domain.knowledge_bases import Dialect, KnowledgeBase
from knowledge_base.domain.metadata import DocumentMetadata
from knowledge_base.domain.permissions import ALL_ACTIONS, Action, Permissions
from knowledge_base.ports.catalog import Documents, KnowledgeBases, Versions
from knowledge_base.ports.clock import Clock
from knowledge_base.ports.object_store import ObjectStore
from knowledge_base.ports.queues import Queues
from knowledge_base.services.descriptions import Descriptions
from knowledge_base.services.ingestion.endings import ids_of
from knowledge_base.services.ingestion.messages import knock_on_publish
from knowledge_base.services.ingestions import Ingestions
from knowledge_base.services.settling import until_settled

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SizeLimits:
    """How many bytes a document may have, and how many of them a request may carry."""

    document: int
    inline: int


@dataclass(frozen=True, slots=True)
class Description:
    """What is said of a document, and who may do what with it."""

    metadata: DocumentMetadata
    permissions: Permissions


@dataclass(frozen=True, slots=True)
class NewContent:
    """Content that comes with the request."""

    source: Source
    data: bytes


Describe = Callable[[Document], Description]
"""Says what is to be said of a document; asked again when others have changed it meanwhile."""


class Writing:
    """Stores, changes and removes documents of the engineering contract's knowledge bases."""

    def __init__(
        self,
        *,
        documents: Documents,
        versions: Versions,
        knowledge_bases: KnowledgeBases,
        ingestions: Ingestions,
        descriptions: Descriptions,
        objects: ObjectStore,
        queues: Queues,
        clock: Clock,
        limits: SizeLimits,
    ) -> None:
        self._documents = documents
        self._versions = versions
        self._knowledge_bases = knowledge_bases
        self._ingestions = ingestions
        self._descriptions = descriptions
        self._objects = objects
        self._queues = queues
        self._clock = clock
        self._limits = limits

    def create(
        self, caller: Principal, knowledge_base: KnowledgeBase, content: NewContent, said: Description
    ) -> tuple[Document, Version]:
        """Store a document with its content; its creator may do everything with it.

        Raises:
            InvalidInput: the content is empty.
            PayloadTooLarge: the content is larger than a document, or than a request, may be.
        """
        self._check(content)
        document, version = self.announce(caller, knowledge_base, content.source, said, size=len(content.data))
        self._objects.put(version.key.upload(), content.data)
        return document, version

    def announce(
        self,
        caller: Principal,
        knowledge_base: KnowledgeBase,
        source: Source,
        said: Description,
        *,
        size: int,
        patience: int = 0,
    ) -> tuple[Document, Version]:
        """Accept a document whose content is waited for `patience` seconds."""
        now = self._clock.now()
        made = Document.new(new_id(), kb=knowledge_base, name=source.name, owner=caller.user_id, now=now)
        permissions = said.permissions.granting(f"user:{caller.user_id}", ALL_ACTIONS)
        document = replace(made, metadata=said.metadata, permissions=permissions, edition=1)
        version = replace(Version.accepted(document, source, now, patience=patience), size=size)
        self._documents.accept(document, version)
        logger.info("document accepted", extra=ids_of(version))
        return document, version

    def change(
        self,
        caller: Principal,
        document_id: str,
        describe: Describe,
        *,
        content: NewContent | None = None,
        editions: frozenset[int] | None = None,
    ) -> tuple[Document, Version]:
        """Replace what is said of a document and, if there is content, its content, as a new version.

        With `editions`, only if the document is in one of them.

        Raises:
            DocumentNotFound: there is none, or the caller may not read it.
            NotPermitted: the caller may not write it, or not change who may do what.
            EditionMismatch: it is in another edition.
            InvalidInput: the content is empty.
            PayloadTooLarge: the content is larger than a document, or than a request, may be.
        """
        if content:
            self._check(content)
        document, version = until_settled(lambda: self._change(caller, document_id, describe, content, editions))
        if content:
            self._objects.put(version.key.upload(), content.data)
            logger.info("document changed", extra=ids_of(version))
        return document, version

    def restore(
        self, caller: Principal, document_id: str, ordinal: int, *, editions: frozenset[int] | None = None
    ) -> tuple[Document, Version]:
        """Make the content of an earlier version that of a new one; what is said of the document stays.

        Raises:
            DocumentNotFound: there is none, or the caller may not read it.
            VersionNotFound: it has no such version.
            NotYetReadable: the content of that version is not there.
            NotPermitted: the caller may not write it.
            EditionMismatch: it is in another edition.
        """
        document, before, version = until_settled(lambda: self._restore(caller, document_id, ordinal, editions))
        self._objects.copy(before.key.upload(), version.key.upload())
        logger.info("document restored", extra=ids_of(version))
        return document, version

    def remove(self, caller: Principal, document_id: str, *, editions: frozenset[int] | None = None) -> None:
        """Remove a document, at once for every reader; with `editions`, only if it is in one of them.

        Raises:
            DocumentNotFound: there is none, or the caller may not read it.
            NotPermitted: the caller may not delete it.
            EditionMismatch: it is in another edition.
        """
        document = until_settled(lambda: self._remove(caller, document_id, editions))
        knock_on_publish(self._queues, document.kb_id)

    def _change(
        self,
        caller: Principal,
        document_id: str,
        describe: Describe,
        content: NewContent | None,
        editions: frozenset[int] | None,
    ) -> tuple[Document, Version]:
        document, newest = self._permitted(caller, document_id, Action.WRITE, editions)
        said = describe(document)
        permissions = said.permissions.granting(f"user:{document.owner}", ALL_ACTIONS)
        changes_rights = not said.permissions.say_the_same_as(document.permissions)
        if changes_rights and not document.permissions.allow(caller, *Action):
            raise NotPermitted("acl and public are changed only by who may read, write and delete the document")
        version = self._next_version(document, content.source, len(content.data)) if content else None
        revised = self._descriptions.revise(document, metadata=said.metadata, permissions=permissions, version=version)
        return revised, version or newest

    def _restore(
        self, caller: Principal, document_id: str, ordinal: int, editions: frozenset[int] | None
    ) -> tuple[Document, Version, Version]:
        document, _newest = self._permitted(caller, document_id, Action.WRITE, editions)
        before = self._versions.get(document_id, ordinal)
        try:
            size = self._objects.size(before.key.upload())
        except ObjectNotFound:
            raise NotYetReadable(f"the content of version {ordinal} is not there") from None
        version = self._next_version(document, replace(before.source, url=""), size)
        revised = self._descriptions.revise(
            document, metadata=document.metadata, permissions=document.permissions, version=version
        )
        return revised, before, version

    def _remove(self, caller: Principal, document_id: str, editions: frozenset[int] | None) -> Document:
        document, _version = self._permitted(caller, document_id, Action.DELETE, editions)
        return self._documents.remove(document)

    def _permitted(
        self, caller: Principal, document_id: str, action: Action, editions: frozenset[int] | None
    ) -> tuple[Document, Version]:
        document, newest = self._ingestions.status(caller, document_id)
        if not document.permissions.allow(caller, action):
            raise NotPermitted(f"you may read this document, but not {action.value} it")
        if self._knowledge_bases.get(document.kb_id).dialect is not Dialect.ENGINEERING:
            raise NotPermitted("this document was imported: it is changed where it came from")
        if editions is not None and document.edition not in editions:
            raise EditionMismatch(document_id, document.edition)
        return document, newest

    def _next_version(self, document: Document, source: Source, size: int) -> Version:
        now = self._clock.now()
        return replace(Version.accepted(document.with_next_version(now), source, now), size=size)

    def _check(self, content: NewContent) -> None:
        size = len(content.data)
        if not size:
            raise InvalidInput("the document is empty", field="document")
        if size > self._limits.document:
            raise PayloadTooLarge(self._limits.document)
        if size > self._limits.inline:
            raise TooLargeInline(self._limits.inline)
