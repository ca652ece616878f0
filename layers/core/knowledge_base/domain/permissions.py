"""Who may do what with a document."""

from __future__ import annotations

from dataclasses import dataclass, replace
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

    def granting(self, mark: str, actions: frozenset[Action]) -> Permissions:
        """Return them with a mark that is allowed all of this, and whatever it was allowed before."""
        before = {grant.mark: grant.actions for grant in self.grants}
        allowed = {**before, mark: before.get(mark, frozenset()) | actions}
        return replace(self, grants=tuple(Grant(each, allowed[each]) for each in sorted(allowed)))

    def say_the_same_as(self, other: Permissions) -> bool:
        """Whether they allow the same, in whatever order it is said."""
        return self.public == other.public and frozenset(self.grants) == frozenset(other.grants)

    def _allowed_to(self, principal: Principal) -> set[Action]:
        marks = principal.marks
        allowed = {action for grant in self.grants if grant.mark in marks for action in grant.actions}
        return allowed | {Action.READ} if self.public else allowed


PUBLIC = Permissions()
"""Everybody in the tenant may read, and nobody is named."""
