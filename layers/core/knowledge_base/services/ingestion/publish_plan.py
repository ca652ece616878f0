"""Decide what one publish does with what is staged. The only place that knows which version wins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from knowledge_base.domain.documents import Document, Version
from knowledge_base.domain.errors import DocumentNotFound, VersionNotFound
from knowledge_base.ports.catalog import Documents, Staged, Versions
from knowledge_base.services.ingestion.endings import PUBLISHABLE

CHUNKS_AT_ONCE = 5_000
"""So many chunks are written well within the function's time; what is left waits for the next revision."""


@dataclass(slots=True)
class PublishPlan:
    """What to write, to remove, to finish (written by a publish that died), to drop, and to forget."""

    write: list[tuple[Document, Version]] = field(default_factory=list)
    remove: list[Document] = field(default_factory=list)
    finish: list[Version] = field(default_factory=list)
    drop: list[Version] = field(default_factory=list)
    forget: list[Staged] = field(default_factory=list)

    @property
    def changes_index(self) -> bool:
        """Whether readers will see a difference."""
        return bool(self.write or self.remove)

    @property
    def chunk_count(self) -> int:
        """How many chunks are to be written."""
        return sum(version.chunk_count for _, version in self.write)


class PublishPlanner:
    """Reads the catalog and sorts what is staged."""

    def __init__(self, *, documents: Documents, versions: Versions) -> None:
        self._documents = documents
        self._versions = versions

    def plan(self, staged: Iterable[Staged], revision: int) -> PublishPlan:
        """Return what the publish of `revision` has to do with what is staged."""
        plan = PublishPlan()
        for document_id, items in _by_document(staged).items():
            if plan.chunk_count >= CHUNKS_AT_ONCE:
                break
            self._add(plan, document_id, items, revision)
        return plan

    def versions_of(self, staged: Iterable[Staged]) -> list[Version]:
        """Return the staged versions that are still there."""
        found = (self._version(item) for item in staged if not item.removal)
        return [version for version in found if version is not None]

    def _add(self, plan: PublishPlan, document_id: str, items: list[Staged], revision: int) -> None:
        try:
            document = self._documents.get(document_id)
        except DocumentNotFound:
            plan.forget.extend(items)
            return
        if any(item.removal for item in items):
            plan.remove.append(document)
        waiting = self._waiting(plan, items)
        finished = [version for version in waiting if 0 < version.revision < revision]
        plan.finish.extend(finished)
        _choose(plan, document, finished, [version for version in waiting if version not in finished])

    def _waiting(self, plan: PublishPlan, items: list[Staged]) -> list[Version]:
        waiting = []
        for item in items:
            version = self._version(item)
            if version is not None and version.state in PUBLISHABLE:
                waiting.append(version)
            elif not item.removal:
                plan.forget.append(item)
        return waiting

    def _version(self, item: Staged) -> Version | None:
        if item.removal:
            return None
        try:
            return self._versions.get(item.document_id, item.ordinal)
        except VersionNotFound:
            return None


def _by_document(staged: Iterable[Staged]) -> dict[str, list[Staged]]:
    groups: dict[str, list[Staged]] = defaultdict(list)
    for item in staged:
        groups[item.document_id].append(item)
    return groups


def _choose(plan: PublishPlan, document: Document, finished: list[Version], waiting: list[Version]) -> None:
    """The newest version is written unless a newer one is live, written already, or covered by a removal."""
    floor = max([document.live_ordinal, document.removed_ordinal, *(version.ordinal for version in finished)])
    newest = max((version.ordinal for version in waiting), default=0)
    for version in waiting:
        if version.ordinal == newest and newest > floor:
            plan.write.append((document, version))
        else:
            plan.drop.append(version)
