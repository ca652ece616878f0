"""Read, follow and cancel answers."""

from __future__ import annotations

from contextlib import suppress

from knowledge_base.domain.access import Principal
from knowledge_base.domain.answers import (
    Answer,
    AnswerFailed,
    AnswerRecord,
    AnswerStatus,
    EventId,
    LoggedEvent,
    fold,
)
from knowledge_base.domain.deadlines import due_in
from knowledge_base.domain.errors import AnsweredAlready, AnswerNotFound
from knowledge_base.domain.ids import token_of
from knowledge_base.domain.permissions import Action
from knowledge_base.domain.traces import StageTrace
from knowledge_base.ports.answer_log import AnswerLog
from knowledge_base.ports.catalog import Documents
from knowledge_base.ports.clock import Clock
from knowledge_base.services.answer_endings import AnswerEndings


class Answers:
    """Shows an answer to who asked for it, for as long as it quotes nothing that they may not read any more."""

    def __init__(self, *, answers: AnswerLog, documents: Documents, endings: AnswerEndings, clock: Clock) -> None:
        self._answers = answers
        self._documents = documents
        self._endings = endings
        self._clock = clock

    def head(self, caller: Principal, token: str) -> AnswerRecord:
        """Return the head of one of the caller's answers.

        Raises:
            AnswerNotFound: there is none, it is somebody else's, or it quotes what the caller may not read now.
        """
        return self.get(caller, token).record

    def get(self, caller: Principal, token: str) -> Answer:
        """Return an answer as far as it has come.

        Raises:
            AnswerNotFound: there is none, it is somebody else's, or it quotes what the caller may not read now.
        """
        record = self._answers.head(token)
        if (record.principal.tenant, record.principal.user_id) != (caller.tenant, caller.user_id):
            raise AnswerNotFound(token)
        answer = fold(record, [logged.event for logged in self._answers.read(token)])
        if not self._may_read_all(caller, {reference.document_id for reference in answer.references}):
            raise AnswerNotFound(token)
        return answer

    def traces(self, record: AnswerRecord) -> list[StageTrace]:
        """Return how an answer came about, to who has been given its head."""
        return self._answers.notes(record.token)

    def events(self, record: AnswerRecord, after: EventId | None) -> list[LoggedEvent]:
        """Return the events that came after an id; an answer past its deadline is ended here and now."""
        events = self._answers.read(record.token, after=after)
        if not events and record.deadline < due_in(0, self._clock.now()):
            self._endings.end(record, AnswerFailed("timeout", "the answer was not ready in time"))
            return self._answers.read(record.token, after=after)
        return events

    def cancel(self, caller: Principal, token: str) -> None:
        """End a running answer as cancelled; one that has ended stays as it is.

        Raises:
            AnswerNotFound: there is none, or it is somebody else's.
        """
        self._endings.end(self.head(caller, token), AnswerFailed("cancelled", "the answer was cancelled"))

    def take(self, caller: Principal, token: str, text: str) -> None:
        """Take the text of a waiting answer from whoever asked for it, and end it; the same text again is taken.

        `token` is the answer's, or what the caller called the question.

        Raises:
            AnswerNotFound: there is none, or it is somebody else's.
            AnsweredAlready: it is being written, or has ended with another text.
        """
        record = self._asked(caller, token)
        if self._endings.conclude(record, text):
            return
        known = self.get(caller, record.token)
        if known.record.status is not AnswerStatus.FINISHED or known.text != text:
            raise AnsweredAlready(token)
        self._endings.call_back(known.record)

    def _may_read_all(self, caller: Principal, document_ids: set[str]) -> bool:
        """Whether nothing that is quoted has been taken from the caller; what is erased was never forbidden."""
        quoted = self._documents.get_many(document_ids).values() if document_ids else ()
        return all(document.permissions.allow(caller, Action.READ) for document in quoted)

    def _asked(self, caller: Principal, token: str) -> AnswerRecord:
        for known in (token, token_of(caller.tenant, caller.user_id, token)):
            with suppress(AnswerNotFound):
                return self.head(caller, known)
        raise AnswerNotFound(token)
