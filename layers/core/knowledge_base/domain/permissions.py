"""Who may do what with a document."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from knowledge_base.domain.access import EVERYBODY, Principal


class Action(StrEnum):
    """What may be allowed."""

    READ = "read"
    WRITE = "write"
    DELETE = "delete"


ALL_ACTIONS = frozenset(Action)


@dataclass(frozen=True, slots=True)
class Grant:
    """What one mark of a principal (`user:<id>` or `role:<name>`) allows."""

    mark: str
    actions: frozenset[Action] = frozenset()


@dataclass(frozen=True, slots=True)
class Permissions:
    """A document's own permissions: deny by default; `public` lets everybody in the tenant read."""

    public: bool = True
    grants: tuple[Grant, ...] = ()

    @property
    def readers(self) -> frozenset[str]:
        """The marks of which a principal needs one to read."""
        marks = {grant.mark for grant in self.grants if Action.READ in grant.actions}
        return frozenset(marks | {EVERYBODY} if self.public else marks)

    def allow(self, principal: Principal, *actions: Action) -> bool:
        """Whether a principal of the document's tenant may do all of this; an admin may do everything."""
        return principal.is_admin or set(actions) <= self._allowed_to(principal)

    def _allowed_to(self, principal: Principal) -> set[Action]:
        marks = principal.marks
        allowed = {action for grant in self.grants if grant.mark in marks for action in grant.actions}
        return allowed | {Action.READ} if self.public else allowed


PUBLIC = Permissions()
"""Everybody in the tenant may read, and nobody is named."""
