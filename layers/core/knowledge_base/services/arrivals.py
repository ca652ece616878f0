"""Show where documents stand from the moment they are taken in, also while nothing is decided about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from knowledge_base.domain.access import Principal
from knowledge_base.domain.documents import Document, IngestionState, Source, Version
from knowledge_base.domain.errors import DocumentNotFound, InvalidInput
from knowledge_base.domain.intakes import Decision, Intake, Place
from knowledge_base.domain.knowledge_bases import KnowledgeBase
from knowledge_base.ports.intakes import Intakes
from knowledge_base.services.batches import Batches
from knowledge_base.services.ingestions import IngestionPage, Ingestions

MOST_INTAKES = 50
"""Of so many intakes a list shows the undecided documents; their ids travel in its cursor."""

PLACES_AT_ONCE = 100
"""So many places or documents are looked at together, however few rows are asked for: most may lead to none."""

Row = tuple[Document, Version]


@dataclass(frozen=True, slots=True)
class _Walk:
    """How far a list has come: first the documents, then what stands in the intakes that it began with.

    A document of these intakes is shown among them alone, whenever it is decided: so it is shown once.
    """

    intake_ids: tuple[str, ...] = ()
    documents_after: str | None = None
    documents_done: bool = False
    number: int = 0

    @classmethod
    def read(cls, cursor: str) -> _Walk:
        inner, *rest = cursor.split("~")
        if not rest:
            return cls(documents_after=inner)
        ids = tuple(filter(None, rest[0].split(".")))
        if len(rest) == 1 and ids:
            return cls(ids, documents_after=inner)
        if len(rest) == 2 and ids and rest[1].isascii() and rest[1].isdigit() and not inner:
            return cls(ids, documents_done=True, number=int(rest[1]))
        raise InvalidInput("the cursor is not valid", field="cursor")

    def cursor(self) -> str | None:
        if self.documents_done:
            return f"~{'.'.join(self.intake_ids)}~{self.number}" if self.intake_ids else None
        return f"{self.documents_after}~{'.'.join(self.intake_ids)}" if self.intake_ids else self.documents_after


class Arrivals:
    """Shows ingestions, and what is not one yet."""

    def __init__(self, *, ingestions: Ingestions, intakes: Intakes, batches: Batches) -> None:
        self._ingestions = ingestions
        self._intakes = intakes
        self._batches = batches

    def status(self, caller: Principal, document_id: str) -> Row:
        """Return a document with its newest version; one that is not decided yet is pending.

        The id that an import was answered with leads to the document that it turned out to be.

        Raises:
            DocumentNotFound: there is none, it was removed, or the caller may not read it.
        """
        try:
            return self._ingestions.status(caller, document_id)
        except DocumentNotFound:
            row = self._undecided(caller, document_id)
            if isinstance(row, str):
                return self._ingestions.status(caller, row)
            return row

    def named(self, caller: Principal, knowledge_base: KnowledgeBase, name: str) -> IngestionPage:
        """Return the document of a name with its newest version, alone on its page; no such name, an empty page."""
        for intake in reversed(self._of(knowledge_base)):
            sources = self._sources(intake)
            number = max((n for n in range(intake.count) if sources[n].name == name), default=None)
            if number is None:
                continue
            decision = self._intakes.decisions([intake.place(number)]).get(intake.place(number))
            if _is_undecided(decision):
                return IngestionPage((_row(intake, intake.place(number), sources[number], decision),), None)
        return self._ingestions.named(caller, knowledge_base, name)

    def page(
        self, caller: Principal, knowledge_base: KnowledgeBase, *, limit: int, cursor: str | None
    ) -> IngestionPage:
        """Return documents of a knowledge base that the caller may read, the decided ones first, whatever their state.

        A walk by cursor meets every document that is there all the time exactly once.

        Raises:
            InvalidInput: the cursor is not one of ours.
        """
        walk = self._begin(knowledge_base) if cursor is None else _Walk.read(cursor)
        rows: list[Row] = []
        while len(rows) < limit:
            more, walk = self._next(caller, knowledge_base, walk, limit - len(rows))
            rows += more
            if walk.cursor() is None:
                break
        return IngestionPage(tuple(rows), walk.cursor())

    def _begin(self, knowledge_base: KnowledgeBase) -> _Walk:
        return _Walk(tuple(each.intake_id for each in self._of(knowledge_base)[:MOST_INTAKES]))

    def _next(
        self, caller: Principal, knowledge_base: KnowledgeBase, walk: _Walk, limit: int
    ) -> tuple[list[Row], _Walk]:
        if not walk.documents_done:
            return self._next_documents(caller, knowledge_base, walk, limit)
        intake = self._intakes.get(walk.intake_ids[0])
        if intake is None or intake.kb_id != knowledge_base.kb_id or walk.number >= intake.count:
            return [], replace(walk, intake_ids=walk.intake_ids[1:], number=0)
        numbers = range(walk.number, min(walk.number + max(limit, PLACES_AT_ONCE), intake.count))
        rows = self._rows(caller, intake, numbers)
        stop = list(rows)[limit] if len(rows) > limit else numbers.stop
        left = walk.intake_ids if stop < intake.count else walk.intake_ids[1:]
        rest = replace(walk, intake_ids=left, number=stop if left == walk.intake_ids else 0)
        return list(rows.values())[:limit], rest

    def _next_documents(
        self, caller: Principal, knowledge_base: KnowledgeBase, walk: _Walk, limit: int
    ) -> tuple[list[Row], _Walk]:
        """The next documents that are not of an intake; where few are, many are looked at together."""
        sizes = (max(limit, PLACES_AT_ONCE), limit) if walk.intake_ids else (limit,)
        for size in sizes:
            page = self._ingestions.page(caller, knowledge_base, limit=size, cursor=walk.documents_after)
            apart = [row for row in page.ingestions if not _is_of(row[0].document_id, walk.intake_ids)]
            if len(apart) <= limit:
                break
        return apart, replace(walk, documents_after=page.next_cursor, documents_done=page.next_cursor is None)

    def _rows(self, caller: Principal, intake: Intake, numbers: Sequence[int]) -> dict[int, Row]:
        """What stands at places, by number; one that turned out to be an older document is shown as that."""
        places, sources = [intake.place(number) for number in numbers], self._sources(intake)
        decisions = self._intakes.decisions(places)
        own = [place.document_id for place in places if _is_itself(decisions.get(place), place)]
        known = {row[0].document_id: row for row in self._ingestions.these(caller, own)}
        rows: dict[int, Row] = {}
        for place in places:
            decision = decisions.get(place)
            if _is_undecided(decision):
                rows[place.number] = _row(intake, place, sources[place.number], decision)
            elif place.document_id in known:
                rows[place.number] = known[place.document_id]
        return rows

    def _undecided(self, caller: Principal, document_id: str) -> Row | str:
        """What stands at the place that an id names, or the id of the document that it turned out to be."""
        place = Place.named(document_id)
        intake = self._intakes.get(place.intake_id) if place else None
        if place is None or intake is None or intake.tenant != caller.tenant or place.number >= intake.count:
            raise DocumentNotFound(document_id)
        decision = self._intakes.decisions([place]).get(place)
        if _is_undecided(decision):
            return _row(intake, place, self._sources(intake)[place.number], decision)
        if decision is None or decision.is_removed:
            raise DocumentNotFound(document_id)
        return decision.document_id

    def _of(self, knowledge_base: KnowledgeBase) -> list[Intake]:
        return [each for each in self._intakes.standing(knowledge_base.tenant) if each.kb_id == knowledge_base.kb_id]

    def _sources(self, intake: Intake) -> Sequence[Source]:
        return self._batches.sources(intake.tenant, intake.intake_id)


def _is_of(document_id: str, intake_ids: Iterable[str]) -> bool:
    place = Place.named(document_id)
    return place is not None and place.intake_id in intake_ids


def _is_undecided(decision: Decision | None) -> bool:
    """Whether nothing else than the intake itself tells of a place: it waits, or it has failed."""
    return decision is None or (decision.failure is not None and not decision.is_removed)


def _is_itself(decision: Decision | None, place: Place) -> bool:
    return decision is not None and decision.document_id == place.document_id


def _row(intake: Intake, place: Place, source: Source, decision: Decision | None) -> Row:
    names, at = frozenset({source.name}), intake.accepted_at
    document = Document(place.document_id, intake.tenant, intake.kb_id, names, intake.user_id, at, at)
    version = Version.accepted(document, source, at)
    if decision and decision.failure:
        version = replace(version, state=IngestionState.FAILED, failure=decision.failure)
    return document, version
