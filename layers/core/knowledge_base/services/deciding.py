"""Decide about the documents of intakes, one after the other, as fast as the pipeline takes them.

A tenant's batches are worked off one at a time, and only so many of their documents are on their way at
once: so another tenant's document waits behind those few, and not behind the whole batch. Whoever sends
something later that concerns the same names or contents has what came before decided first.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Sequence

from knowledge_base.domain.access import Principal
from knowledge_base.domain.deadlines import RESUMES, due_in
from knowledge_base.domain.deliveries import Subscription
from knowledge_base.domain.documents import Failure, FailureCode, IngestionState, Source, Version
from knowledge_base.domain.errors import KnowledgeBaseNotFound, VersionNotFound
from knowledge_base.domain.ids import id_from
from knowledge_base.domain.intakes import Decision, Intake, Place
from knowledge_base.domain.knowledge_bases import KnowledgeBase
from knowledge_base.ports.catalog import NEW_AT_ONCE, Claim, KnowledgeBases, Versions
from knowledge_base.ports.clock import Clock
from knowledge_base.ports.intakes import Intakes
from knowledge_base.ports.queues import Queue, Queues
from knowledge_base.services.batches import Batches
from knowledge_base.services.importing import Importing, claims_of
from knowledge_base.services.notifications import Notifications

logger = logging.getLogger(__name__)

PAUSE = 1
"""Seconds until the pipeline is looked at again: the shortest delay of a message."""

TURN_PAUSE = 5
"""Seconds until a batch that waits for an earlier one of its tenant looks again."""

SETTLED_AT_ONCE = 50
"""So many documents are decided while a caller waits: that takes five seconds."""

WITHDRAWN = Failure(FailureCode.REMOVED, "the document was removed")

GIVEN_UP_AT_ONCE = 50
"""So many documents are failed between two times that the progress is stored."""


class Deciding:
    """Turns what was taken in into versions, or into failures."""

    def __init__(
        self,
        *,
        batches: Batches,
        intakes: Intakes,
        importing: Importing,
        notifications: Notifications,
        knowledge_bases: KnowledgeBases,
        versions: Versions,
        queues: Queues,
        slots: int,
        clock: Clock,
    ) -> None:
        self._batches = batches
        self._intakes = intakes
        self._importing = importing
        self._notifications = notifications
        self._knowledge_bases = knowledge_bases
        self._versions = versions
        self._queues = queues
        self._slots = slots
        self._clock = clock

    def go_on(self, intake_id: str) -> None:
        """Decide about as many of an intake's next documents as have room, and order the next turn."""
        intake = self._intakes.get(intake_id)
        if intake is None or intake.is_done:
            return
        if self._is_anothers_turn(intake):
            self._batches.order(intake, delay=TURN_PAUSE)
            return
        room = self._room(intake)
        if room:
            intake = self._decide_next(intake, range(intake.position, min(intake.position + room, intake.count)))
        if not intake.is_done:
            self._batches.order(intake, delay=PAUSE)

    def settle(self, knowledge_base: KnowledgeBase, claims: Collection[Claim]) -> bool:
        """Decide now about whatever was taken in earlier and has to do with names or contents.

        Returns False, and decides nothing, where that is more than a caller can wait for.
        """
        concerned = self._concerned(self._undone(knowledge_base), set(claims))
        if sum(len(numbers) for _, numbers in concerned) > SETTLED_AT_ONCE:
            return False
        for intake, numbers in concerned:
            self._decide(intake, knowledge_base, numbers)
        return True

    def withdraw(self, knowledge_base: KnowledgeBase, names: Collection[str]) -> set[str]:
        """End what was taken in under names and is not decided yet as removed; return the names it had.

        Who wants to hear of many is told of the rest when the intake comes to them.
        """
        withdrawn: set[str] = set()
        for intake in self._undone(knowledge_base):
            sources = self._batches.sources(*_list_of(intake))
            numbers = [number for number in range(intake.position, intake.count) if sources[number].name in names]
            left = self._undecided(intake, numbers)
            self._refuse(intake, left[:SETTLED_AT_ONCE], WITHDRAWN)
            self._intakes.refuse([intake.place(number) for number in left[SETTLED_AT_ONCE:]], WITHDRAWN)
            withdrawn |= {sources[number].name for number in left}
        return withdrawn

    def look_after(self, intake: Intake) -> None:
        """Set a silent intake going again, twice; then fail what is undecided in it."""
        now = self._clock.now()
        if self._queues.waiting(Queue.INTAKE) > 0 or self._is_anothers_turn(intake):
            self._intakes.postpone(intake, due=due_in(0, now), resumes=intake.resumes)
        elif intake.resumes >= RESUMES:
            self._give_up(intake, Failure(FailureCode.STALLED, "the document was not taken up in time"))
        else:
            self._intakes.postpone(intake, due=due_in(0, now), resumes=intake.resumes + 1)
            self._batches.order(intake)

    def _is_anothers_turn(self, intake: Intake) -> bool:
        undone = [each for each in self._intakes.standing(intake.tenant) if not each.is_done]
        return bool(undone) and undone[0].intake_id != intake.intake_id

    def _room(self, intake: Intake) -> int:
        """How many more may be on their way; those long before are left out, so that a slow one blocks nobody."""
        last = range(max(0, intake.position - 2 * self._slots), intake.position)
        decisions = self._intakes.decisions([intake.place(number) for number in last])
        under_way = sum(not each.state.is_terminal for each in self._versions_of(decisions.values()).values())
        return max(0, self._slots - under_way)

    def _decide_next(self, intake: Intake, numbers: range) -> Intake:
        try:
            knowledge_base = self._knowledge_bases.get(intake.kb_id)
        except KnowledgeBaseNotFound:
            return self._give_up(intake, Failure(FailureCode.REMOVED, "the knowledge base was removed"))
        self._decide(intake, knowledge_base, numbers)
        return self._intakes.advance(intake, numbers.stop, due=due_in(0, self._clock.now()))

    def _decide(self, intake: Intake, knowledge_base: KnowledgeBase, numbers: Sequence[int]) -> None:
        """Decide about places, and see that their documents are fetched and their ends told; again changes nothing."""
        sources = self._batches.sources(*_list_of(intake))
        versions: dict[int, Version] = {}
        for start in range(0, len(numbers), NEW_AT_ONCE):
            some = numbers[start : start + NEW_AT_ONCE]
            versions |= self._accept(intake, knowledge_base, [(number, sources[number]) for number in some])
        subscriptions = {n: _subscription(intake, n, sources[n], version) for n, version in versions.items()}
        self._notifications.promise(list(subscriptions.values()))
        self._importing.start([each for each in versions.values() if each.state is IngestionState.PENDING])
        for number, version in versions.items():
            if version.state.is_terminal:
                self._notifications.check(subscriptions[number])
        self._tell_refused(intake, [number for number in numbers if number not in versions])

    def _accept(
        self, intake: Intake, knowledge_base: KnowledgeBase, listed: Sequence[tuple[int, Source]]
    ) -> dict[int, Version]:
        """Return the version of each place that still has one: decided before, new, or decided one by one."""
        decisions = self._intakes.decisions([intake.place(number) for number, _ in listed])
        versions = self._versions_of(decisions.values())
        left = [(intake.place(number), source) for number, source in listed if intake.place(number) not in decisions]
        caller = Principal(intake.tenant, intake.user_id)
        places, sources = [place for place, _ in left], [source for _, source in left]
        new = self._importing.accept_new(caller, knowledge_base, sources, places)
        for place, source, version in zip(places, sources, new, strict=True):
            found = version or self._accept_one(caller, knowledge_base, source, place)
            if found:
                versions[place.number] = found
        return versions

    def _accept_one(
        self, caller: Principal, knowledge_base: KnowledgeBase, source: Source, place: Place
    ) -> Version | None:
        try:
            return self._importing.accept(caller, knowledge_base, source, place=place)
        except VersionNotFound:  # the place was refused meanwhile, or what it led to is gone
            return None

    def _versions_of(self, decisions: Iterable[Decision]) -> dict[int, Version]:
        keys = {each.place.number: (each.document_id, each.ordinal) for each in decisions}
        found = self._versions.get_many(set(keys.values()))
        return {number: found[key] for number, key in keys.items() if key in found}

    def _undone(self, knowledge_base: KnowledgeBase) -> list[Intake]:
        standing = self._intakes.standing(knowledge_base.tenant)
        return [each for each in standing if each.kb_id == knowledge_base.kb_id and not each.is_done]

    def _undecided(self, intake: Intake, numbers: Sequence[int]) -> list[int]:
        decided = self._intakes.decisions([intake.place(number) for number in numbers])
        return [number for number in numbers if intake.place(number) not in decided]

    def _concerned(self, intakes: Sequence[Intake], claims: set[Claim]) -> list[tuple[Intake, list[int]]]:
        """The undecided places that claims lead to, directly or by others, in the order in which they came."""
        listed = [(intake, self._batches.sources(*_list_of(intake))) for intake in intakes]
        found: list[tuple[Intake, list[int]]] = []
        for intake, sources in reversed(listed):
            numbers = self._undecided(intake, _joined(sources, intake.position, claims))
            if numbers:
                found.insert(0, (intake, numbers))
        return found

    def _give_up(self, intake: Intake, failure: Failure) -> Intake:
        """Fail what is undecided, part by part: who takes over from one that died goes on where that was."""
        logger.warning("an intake is given up", extra={"intake_id": intake.intake_id, "code": failure.code})
        while not intake.is_done:
            stop = min(intake.position + GIVEN_UP_AT_ONCE, intake.count)
            self._refuse(intake, range(intake.position, stop), failure)
            intake = self._intakes.advance(intake, stop, due=due_in(0, self._clock.now()), failed=True)
        return intake

    def _refuse(self, intake: Intake, numbers: Sequence[int], failure: Failure) -> None:
        self._intakes.refuse([intake.place(number) for number in numbers], failure)
        self._tell_refused(intake, numbers)

    def _tell_refused(self, intake: Intake, numbers: Sequence[int]) -> None:
        """Tell of those places that were refused; again changes nothing."""
        sources = self._batches.sources(*_list_of(intake))
        decisions = self._intakes.decisions([intake.place(number) for number in numbers])
        for place, decision in decisions.items():
            if decision.failure:
                self._notifications.refused(_refusal(intake, place, sources[place.number]), decision.failure)


def _list_of(intake: Intake) -> tuple[str, str]:
    return intake.tenant, intake.intake_id


def _joined(sources: Sequence[Source], start: int, claims: set[Claim]) -> list[int]:
    """Return the places from `start` on that claims lead to, directly or by others; the claims grow by theirs."""
    left = {number: set(claims_of(sources[number])) for number in range(start, len(sources))}
    found: list[int] = []
    while joined := [number for number, own in left.items() if not claims.isdisjoint(own)]:
        for number in joined:
            claims |= left.pop(number)
        found += joined
    return sorted(found)


def _subscription(intake: Intake, number: int, source: Source, version: Version) -> Subscription:
    return Subscription.to(
        version,
        source,
        subscription_id=_told_as(intake.place(number)),
        url=intake.notify_url,
        repository=intake.repository,
    )


def _refusal(intake: Intake, place: Place, source: Source) -> Subscription:
    return Subscription(
        subscription_id=_told_as(place),
        document_id=place.document_id,
        ordinal=0,
        tenant=intake.tenant,
        url=intake.notify_url,
        name=source.name,
        declared_type=source.declared_type,
        source_url=source.url,
        md5=source.md5,
        repository=intake.repository,
        due=intake.due,
    )


def _told_as(place: Place) -> str:
    """The same for every try, so that nobody is told twice."""
    return id_from(f"place {place.document_id}")
