"""Documents, their names and their claims in the Catalog table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from knowledge_base.adapters.aws.cursors import decode_cursor, encode_cursor
from knowledge_base.adapters.aws.expressions import (
    Condition,
    Write,
    absent,
    below,
    delete,
    either,
    equals,
    every,
    present,
    put,
    up_to,
    update,
)
from knowledge_base.adapters.aws.intakes import new_decision
from knowledge_base.adapters.aws.items import Key, Plain, encode, from_plain, moment, to_item
from knowledge_base.adapters.aws.knowledge_bases import claims_of, documents_of, raised_generation
from knowledge_base.adapters.aws.publications import new_staged
from knowledge_base.adapters.aws.refusals import ConditionUnmet
from knowledge_base.adapters.aws.table import Table
from knowledge_base.adapters.aws.versions import new_version, versions_of
from knowledge_base.domain.documents import Document, Version
from knowledge_base.domain.errors import DocumentNotFound, StaleState
from knowledge_base.domain.intakes import Decision, Place
from knowledge_base.domain.metadata import DocumentMetadata
from knowledge_base.domain.permissions import Permissions
from knowledge_base.ports.catalog import Acceptance, Claim, DocumentPage, Staged
from knowledge_base.ports.clock import Clock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.client import DynamoDBClient

_ONE_EDITION = {"edition": 1}
_REPLACED_WITH_A_VERSION = ("owner", "updated_at", "latest_ordinal")


class DynamoDBDocuments:
    """Holds a document and its versions in one partition, lists and claims in those of its knowledge base."""

    def __init__(self, client: DynamoDBClient, table_name: str, clock: Clock) -> None:
        self._table = Table(client, table_name)
        self._clock = clock

    def get(self, document_id: str) -> Document:
        """Return a document, also a removed one that is not yet purged.

        Raises:
            DocumentNotFound: there is none.
        """
        found = self._table.get(_key(document_id))
        if not found:
            raise DocumentNotFound(document_id)
        return _document(found)

    def get_many(self, document_ids: Collection[str]) -> dict[str, Document]:
        """Return those documents that exist, by id, in one round trip for each hundred."""
        found = map(_document, self._table.get_many(map(_key, document_ids)))
        return {document.document_id: document for document in found}

    def page(self, kb_id: str, *, limit: int, cursor: str | None = None) -> DocumentPage:
        """Return the documents of a knowledge base that are not removed, oldest first.

        A walk by cursor meets every document that is there all the time exactly once.

        Raises:
            InvalidInput: the cursor is not one of ours.
        """
        after = decode_cursor(cursor) if cursor is not None else None
        rows = list(islice(self._table.query(documents_of(kb_id), after=after, page_size=limit + 1), limit + 1))
        ids = [row["document_id"] for row in rows[:limit]]
        found = self.get_many(ids)
        documents = tuple(found[each] for each in ids if each in found and not found[each].removed)
        return DocumentPage(documents, encode_cursor(rows[limit - 1]["sk"]) if len(rows) > limit else None)

    def holder(self, kb_id: str, kind: str, value: str) -> str | None:
        """Return the id of the document that holds a claim in the knowledge base, None without one."""
        claim = self._table.get(_claim_key(kb_id, kind, value))
        return str(claim["document_id"]) if claim else None

    def accept(
        self, document: Document, version: Version, claims: Sequence[Claim] = (), *, place: Place | None = None
    ) -> None:
        """Store a version together with its document, and take the claims, all or nothing.

        `document.latest_ordinal == version.ordinal`; with ordinal 1 the document is new, else it must
        stand, not removed, at the ordinal before. A later version replaces the owner, and leaves names,
        which must be as stored, metadata and permissions as they are. The version is the decision about `place`.

        Raises:
            StaleState: the document or a claim is not as expected, or the place is decided.
        """
        stored = _new(document) if version.ordinal == 1 else [_advanced(document)]
        taken = [_taken(document, claim) for claim in claims]
        self._transact([*stored, new_version(version), *taken, *self._decision(version, place)])

    def taken(self, kb_id: str, claims: Collection[Claim]) -> frozenset[Claim]:
        """Return those of the claims that a document of the knowledge base holds, whichever it is."""
        keys = {_claim_key(kb_id, claim.kind, claim.value): claim for claim in claims}
        held = {Key(item["pk"], item["sk"]) for item in self._table.get_many(keys)}
        return frozenset(claim for key, claim in keys.items() if key in held)

    def accept_new(self, accepted: Sequence[Acceptance]) -> None:
        """Store new documents with their first versions and take their claims, all or nothing.

        At most `NEW_AT_ONCE`, each with at most two claims, none of them twice.

        Raises:
            StaleState: a claim is taken, or a place is decided.
        """
        decisions = [write for each in accepted for write in self._decision(each.version, each.place)]
        self._transact([*(write for each in accepted for write in _accepted(each)), *decisions])

    def rename(
        self, document: Document, names: frozenset[str], *, take: Sequence[Claim] = (), free: Sequence[Claim] = ()
    ) -> Document:
        """Replace the document's names, taking and freeing claims with them, all or nothing.

        Raises:
            StaleState: the document's names or a claim changed since `document` was read.
        """
        unchanged = every(present(), equals("names", document.names), equals("removed", False))
        assign = {"names": names, "updated_at": self._clock.now()}
        renamed = update(_key(document.document_id), assign=assign, add=_ONE_EDITION, given=unchanged)
        taken = [_taken(document, claim) for claim in take]
        self._transact([renamed, *taken, *(_freed(document, claim) for claim in free)])
        return self.get(document.document_id)

    def remove(self, document: Document, free: Sequence[Claim] = ()) -> Document:
        """Mark as removed with all versions so far, free claims it holds, and stage the removal.

        A claim that it does not hold any more stays as it is.

        Raises:
            StaleState: the document changed since it was read.
        """
        now, ordinal = self._clock.now(), document.latest_ordinal
        changes: dict[str, Any] = {"removed": True, "removed_ordinal": ordinal, "updated_at": now}
        unchanged = every(_unchanged(document), _in_edition(document.edition))
        removed = update(_key(document.document_id), assign=changes, given=unchanged)
        staged = new_staged(document.kb_id, Staged(document.document_id, ordinal, removal=True), now)
        freed = [_freed(document, claim) for claim in free]
        self._transact([removed, delete(_listed(document))], [staged, raised_generation(document.kb_id), *freed])
        return replace(document, **changes)

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
        before = self.get(document_id)
        if before.removed:
            raise DocumentNotFound(document_id)
        changes = {"metadata": metadata, "permissions": permissions, "description_order": order}
        not_later = either(absent("description_order"), up_to("description_order", order))
        unchanged = every(present(), equals("removed", False), not_later)
        assign = {**changes, "updated_at": self._clock.now()}
        described = update(_key(document_id), assign=assign, add=_ONE_EDITION, given=unchanged)
        self._transact([described], [raised_generation(before.kb_id)])
        return self.get(document_id)

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
        changes: dict[str, Any] = {"metadata": metadata, "permissions": permissions, "updated_at": self._clock.now()}
        if version:
            changes["latest_ordinal"] = version.ordinal
        unchanged = every(_unchanged(document), _in_edition(document.edition))
        revised = update(_key(document.document_id), assign=changes, add=_ONE_EDITION, given=unchanged)
        accepted = [new_version(version)] if version else []
        self._transact([revised, *accepted], [raised_generation(document.kb_id)])
        return replace(document, **changes, edition=document.edition + 1)

    def cursor_behind(self, document: Document) -> str:
        """Return the cursor of the page that begins behind a document."""
        return encode_cursor(_listed(document).sk)

    def set_live(self, document_id: str, ordinal: int) -> None:
        """Record which version answers now; an older one than recorded changes nothing."""
        try:
            older = below("live_ordinal", ordinal)
            self._table.write(update(_key(document_id), assign={"live_ordinal": ordinal}, given=older))
        except ConditionUnmet:
            return

    def erase(self, document: Document) -> None:
        """Forget a removed document with its versions for good."""
        head = _key(document.document_id)
        items = (Key(item["pk"], item["sk"]) for item in self._table.query(versions_of(document.document_id)))
        self._table.delete_many([_listed(document), *(key for key in items if key != head)])
        # Last, so that an erasure that broke off can be taken up again.
        self._table.write(delete(head))

    def _decision(self, version: Version, place: Place | None) -> list[Write]:
        if place is None:
            return []
        return [new_decision(Decision(place, version.document_id, version.ordinal), self._clock)]

    def _transact(self, required: Sequence[Write], optional: Sequence[Write] = ()) -> None:
        try:
            self._table.transact(required, optional)
        except ConditionUnmet:
            raise StaleState("the document or a claim was changed by somebody else") from None


def _document(item: Plain) -> Document:
    return from_plain(Document, {"names": [], **item})


def _new(document: Document) -> list[Write]:
    row = encode({"document_id": document.document_id})
    return [put(_key(document.document_id), to_item(document), given=absent()), put(_listed(document), row)]


def _accepted(new: Acceptance) -> list[Write]:
    taken = [_taken(new.document, claim) for claim in new.claims]
    return [*_new(new.document), new_version(new.version), *taken]


def _advanced(document: Document) -> Write:
    before = replace(document, latest_ordinal=document.latest_ordinal - 1)
    assign = {name: getattr(document, name) for name in _REPLACED_WITH_A_VERSION}
    return update(_key(document.document_id), assign=assign, add=_ONE_EDITION, given=_unchanged(before))


def _unchanged(document: Document) -> Condition:
    return every(
        equals("removed", False),
        equals("latest_ordinal", document.latest_ordinal),
        equals("names", document.names),
    )


def _in_edition(edition: int) -> Condition:
    """Documents of before there were editions say nothing of theirs."""
    return equals("edition", edition) if edition else either(absent("edition"), equals("edition", 0))


def _taken(document: Document, claim: Claim) -> Write:
    expected = equals("document_id", claim.held_by) if claim.held_by is not None else absent()
    item = encode({"document_id": document.document_id})
    return put(_claim_key(document.kb_id, claim.kind, claim.value), item, given=expected)


def _freed(document: Document, claim: Claim) -> Write:
    mine = equals("document_id", document.document_id)
    return delete(_claim_key(document.kb_id, claim.kind, claim.value), given=mine)


def _key(document_id: str) -> Key:
    return Key.of(versions_of(document_id), "META")


def _listed(document: Document) -> Key:
    return Key.of(documents_of(document.kb_id), f"{moment(document.created_at)}#{document.document_id}")


def _claim_key(kb_id: str, kind: str, value: str) -> Key:
    return Key.of(claims_of(kb_id), f"{kind}#{value}")
