"""Accept documents by name, to be fetched or to be uploaded, and remove them.

A caller's checksum is an identity: the same one in the same knowledge base is the same content, under
however many names. A name leads to one document; when its content changes and nobody shares it, the
document gets a new version, else the name moves on to a document of its own.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from knowledge_base.domain.access import Principal
from knowledge_base.domain.checksums import is_md5
from knowledge_base.domain.documents import Document, IngestionState, Source, Version
from knowledge_base.domain.errors import DocumentNotFound, StaleState
from knowledge_base.domain.ids import new_id
from knowledge_base.domain.intakes import Decision, Place
from knowledge_base.domain.knowledge_bases import KnowledgeBase
from knowledge_base.ports.catalog import Acceptance, Claim, Documents, Versions
from knowledge_base.ports.clock import Clock
from knowledge_base.ports.intakes import Intakes
from knowledge_base.ports.queues import Queues
from knowledge_base.services.document_lookup import CONTENT, NAME, DocumentLookup
from knowledge_base.services.ingestion.endings import ids_of
from knowledge_base.services.ingestion.messages import knock_on_publish, order_fetch, order_fetches
from knowledge_base.services.settling import until_settled

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Standing:
    """What the catalog says about a name and an identity of content at one moment."""

    by_name: Document | None
    by_content: Document | None
    content_holder: str | None
    current: Version | None

    @property
    def is_known(self) -> bool:
        """Whether this is the newest content of a document, and has not failed."""
        return self.current is not None and self.current.state is not IngestionState.FAILED


class Importing:
    """Decides what an import means, and starts it."""

    def __init__(
        self, *, documents: Documents, versions: Versions, intakes: Intakes, queues: Queues, clock: Clock
    ) -> None:
        self._documents = documents
        self._versions = versions
        self._intakes = intakes
        self._lookup = DocumentLookup(documents=documents, versions=versions)
        self._queues = queues
        self._clock = clock

    def accept(
        self,
        caller: Principal,
        knowledge_base: KnowledgeBase,
        source: Source,
        *,
        patience: int = 0,
        place: Place | None = None,
    ) -> Version:
        """Accept a document and return the version whose end answers the import.

        A source with a URL is fetched; for another, an upload is waited for `patience` seconds. With a
        `place`, fetching waits for `start`, and what was decided about it before is the answer again.

        Raises:
            StaleState: others keep changing the same document.
        """
        settled = _settled(source)
        return until_settled(lambda: self._accept_once(caller, knowledge_base, settled, patience, place))

    def accept_new(
        self,
        caller: Principal,
        knowledge_base: KnowledgeBase,
        sources: Sequence[Source],
        places: Sequence[Place] | None = None,
    ) -> list[Version | None]:
        """Accept documents together whose names and contents nobody knows, at most `NEW_AT_ONCE`.

        Returns a version for each of them, whose fetching waits for `start`, and None for each other one,
        which is to be accepted by itself, in the given order: one that shares a name or a content with
        another before it is among these.
        """
        settled = [_settled(source) for source in sources]
        taken = self._documents.taken(knowledge_base.kb_id, {claim for each in settled for claim in claims_of(each)})
        new: dict[int, Acceptance] = {}
        for number, source in enumerate(settled):
            if taken.isdisjoint(claims_of(source)):
                new[number] = self._new(caller, knowledge_base, source, places[number] if places else None)
            taken |= set(claims_of(source))
        try:
            self._documents.accept_new(list(new.values()))
        except StaleState:
            return [None] * len(settled)
        logger.info("%d new documents accepted", len(new), extra={"kb_id": knowledge_base.kb_id})
        return [new[number].version if number in new else None for number in range(len(settled))]

    def start(self, versions: Sequence[Version]) -> None:
        """Have the contents of versions fetched that were accepted together."""
        order_fetches(self._queues, versions)

    def _new(self, caller: Principal, knowledge_base: KnowledgeBase, source: Source, place: Place | None) -> Acceptance:
        now = self._clock.now()
        document = _new_document(caller, knowledge_base, source, place, now)
        return Acceptance(document, Version.accepted(document, source, now), claims_of(source), place)

    def known(self, knowledge_base: KnowledgeBase, names: Collection[str]) -> set[str]:
        """Return those names that lead to a document, in one round trip for each hundred."""
        taken = self._documents.taken(knowledge_base.kb_id, {Claim(NAME, name) for name in names})
        return {name for name in names if Claim(NAME, name) in taken}

    def remove(self, knowledge_base: KnowledgeBase, name: str) -> None:
        """Remove a name: an alias alone, or with its last name the document, at once for every reader.

        Raises:
            DocumentNotFound: the knowledge base has no document of this name.
        """
        until_settled(lambda: self._remove(knowledge_base, name))

    def _accept_once(
        self, caller: Principal, knowledge_base: KnowledgeBase, source: Source, patience: int, place: Place | None
    ) -> Version:
        decided = self._intakes.decisions([place]) if place else {}
        for decision in decided.values():
            return self._versions.get(decision.document_id, decision.ordinal)
        return self._accept(caller, knowledge_base, source, patience, place)

    def _accept(
        self, caller: Principal, knowledge_base: KnowledgeBase, source: Source, patience: int, place: Place | None
    ) -> Version:
        standing = self._standing(knowledge_base.kb_id, source)
        if standing.is_known and standing.by_content and standing.current:
            self._lead_to(standing.by_content, standing.by_name, source.name)
            if place:
                self._intakes.decide(Decision(place, standing.current.document_id, standing.current.ordinal))
            return standing.current
        if standing.by_name and _shares(standing.by_name, source.name):
            self._documents.rename(standing.by_name, standing.by_name.names - {source.name})
        document = self._belongs_to(caller, knowledge_base, standing, source, place)
        version = Version.accepted(document, source, self._clock.now(), patience=patience)
        claims = [Claim(CONTENT, source.identity, standing.content_holder)] if source.identity else []
        if document.latest_ordinal == 1:
            claims.append(Claim(NAME, source.name, standing.by_name.document_id if standing.by_name else None))
        self._documents.accept(document, version, claims, place=place)
        logger.info("document accepted", extra=ids_of(version))
        if source.url and place is None:
            order_fetch(self._queues, version)
        return version

    def _standing(self, kb_id: str, source: Source) -> _Standing:
        by_name = self._lookup.holder(kb_id, NAME, source.name)
        content_holder = self._documents.holder(kb_id, CONTENT, source.identity) if source.identity else None
        by_content = self._lookup.document(content_holder)
        current = self._lookup.newest_version(by_content)
        if current is None or current.source.identity != source.identity:
            by_content = current = None
        return _Standing(by_name, by_content, content_holder, current)

    def _lead_to(self, document: Document, before: Document | None, name: str) -> None:
        """Let a name lead to a document, and no longer to the one it led to before."""
        if name in document.names:
            return
        if before:
            self._take_name(before, name)
        self._documents.rename(document, document.names | {name}, take=[Claim(NAME, name)])

    def _belongs_to(
        self,
        caller: Principal,
        knowledge_base: KnowledgeBase,
        standing: _Standing,
        source: Source,
        place: Place | None,
    ) -> Document:
        """The document that the new content belongs to: the name's own, unless it shares it with other names."""
        now = self._clock.now()
        if standing.by_name and standing.by_name.names == {source.name}:
            return standing.by_name.with_next_version(now)
        return _new_document(caller, knowledge_base, source, place, now)

    def _remove(self, knowledge_base: KnowledgeBase, name: str) -> None:
        document = self._lookup.holder(knowledge_base.kb_id, NAME, name)
        if document is None:
            raise DocumentNotFound(name)
        self._take_name(document, name)

    def _take_name(self, document: Document, name: str) -> None:
        """Take a name away; the document goes with its last one."""
        claim = Claim(NAME, name, document.document_id)
        if len(document.names) > 1:
            self._documents.rename(document, document.names - {name}, free=[claim])
            return
        self._documents.remove(document, free=[claim, *self._content_claim(document)])
        knock_on_publish(self._queues, document.kb_id)

    def _content_claim(self, document: Document) -> list[Claim]:
        newest = self._lookup.newest_version(document)
        if newest is None or not newest.source.identity:
            return []
        holder = self._documents.holder(document.kb_id, CONTENT, newest.source.identity)
        is_ours = holder == document.document_id
        return [Claim(CONTENT, newest.source.identity, holder)] if is_ours else []


def _settled(source: Source) -> Source:
    """Write a checksum as all others are written."""
    return replace(source, md5=source.md5.lower()) if is_md5(source.md5) else source


def claims_of(source: Source) -> tuple[Claim, ...]:
    """Return what a new document of this source takes for itself: its name, and its content if that has an identity."""
    identity = _settled(source).identity
    content = (Claim(CONTENT, identity),) if identity else ()
    return (Claim(NAME, source.name), *content)


def _new_document(
    caller: Principal, knowledge_base: KnowledgeBase, source: Source, place: Place | None, now: datetime
) -> Document:
    document_id = place.document_id if place else new_id()
    return Document.new(document_id, kb=knowledge_base, name=source.name, owner=caller.user_id, now=now)


def _shares(document: Document, name: str) -> bool:
    return name in document.names and len(document.names) > 1
