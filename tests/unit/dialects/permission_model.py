"""A plain reference of who may do what: sets and loops, and nothing of the product."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

ALL = frozenset({"read", "write", "delete"})


@dataclass
class ModelUser:
    """Somebody of a tenant, with the roles of now."""

    user_id: str
    roles: set[str]
    tenant: str = "acme"

    @property
    def is_admin(self) -> bool:
        return "admin" in self.roles


@dataclass
class ModelDocument:
    """A document; `secret` is a word that is in it alone, `found` whether a search may find it by now."""

    document_id: str
    owner: str
    secret: str
    public: bool = False
    acl: dict[str, frozenset[str]] = field(default_factory=dict)
    tags: frozenset[str] = frozenset()
    found: bool = False


class PermissionModel:
    """All documents of the tenant `acme`."""

    def __init__(self) -> None:
        self.documents: dict[str, ModelDocument] = {}
        self.removed: list[ModelDocument] = []

    def allowed(self, user: ModelUser, document: ModelDocument) -> frozenset[str]:
        """Return what a user may do with a document that is there."""
        if user.tenant != "acme":
            return frozenset()
        if user.is_admin or user.user_id == document.owner:
            return ALL
        allowed = {"read"} if document.public else set()
        for name, actions in document.acl.items():
            kind, colon, rest = name.partition(":")
            as_user = name == user.user_id or (colon and kind == "user" and rest == user.user_id)
            as_role = name in user.roles or (colon and kind == "role" and rest in user.roles)
            if as_user or as_role:
                allowed |= actions
        return frozenset(allowed)

    def readable(self, user: ModelUser, tags: Iterable[str] = ()) -> list[str]:
        """Return the ids of what a user may read and that has all tags, oldest first."""
        return [
            document.document_id
            for document in self.documents.values()
            if "read" in self.allowed(user, document) and set(tags) <= document.tags
        ]

    def findable(self, user: ModelUser, tags: Iterable[str] = ()) -> set[str]:
        """Return the ids of what a search of a user finds."""
        return {document_id for document_id in self.readable(user, tags) if self.documents[document_id].found}

    def hidden_from(self, user: ModelUser) -> list[str]:
        """Return what no reply to a user may hold: ids and words of documents that it may not read."""
        readable = set(self.readable(user))
        hidden = [document for document in self.documents.values() if document.document_id not in readable]
        return [word for document in [*hidden, *self.removed] for word in (document.document_id, document.secret)]

    def status(self, user: ModelUser, document_id: str, action: str, *, changes_rights: bool = False) -> int:
        """Return the status of a request: 404 for what may not be read, 403 for what may not be done, 200."""
        document = self.documents.get(document_id)
        allowed = self.allowed(user, document) if document else frozenset()
        if "read" not in allowed:
            return 404
        needed = ALL if changes_rights else {action}
        return 200 if needed <= allowed else 403
