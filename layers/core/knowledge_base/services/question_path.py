"""The first two functions that a question passes through: embed it, then search for what it asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from knowledge_base.domain.answers import AnswerFailed, AnswerRecord, Stage, Step, StepReached
from knowledge_base.domain.errors import (
    EmbeddingRefused,
    ImagesRefused,
    KnowledgeBaseError,
    KnowledgeBaseNotFound,
    NotConfigured,
)
from knowledge_base.domain.images import QuestionImage
from knowledge_base.domain.retrieval import QuestionVector, SearchRequest, SearchResult
from knowledge_base.ports.answer_log import AnswerLog
from knowledge_base.ports.queues import Queue, Queues
from knowledge_base.services.answer_endings import AnswerEndings
from knowledge_base.services.condensing import Condensing
from knowledge_base.services.document_sets import DocumentSets
from knowledge_base.services.duplicates import without_duplicates
from knowledge_base.services.images import QuestionImages, troubles, unseen
from knowledge_base.services.question_messages import (
    RequestMessage,
    answer_message,
    read_request,
    search_message,
    searched_text,
)
from knowledge_base.services.searching import Searching
from knowledge_base.services.tracing import Notes, Tracing

_CODES = {
    KnowledgeBaseNotFound: "knowledge_base_not_found",
    EmbeddingRefused: "embedding_failed",
    NotConfigured: "not_configured",
}
SPARE = 2
"""So many times as many chunks are looked for as an answer may use: some say what others say."""
TOLD = (KnowledgeBaseNotFound, EmbeddingRefused, NotConfigured)
"""What ends the answer at once, since no other try would end better."""


class QuestionPath:
    """Moves questions on from queue to queue."""

    def __init__(
        self,
        *,
        answers: AnswerLog,
        endings: AnswerEndings,
        queues: Queues,
        searching: Searching,
        sets: DocumentSets,
        condensing: Condensing,
        images: QuestionImages,
        tracing: Tracing,
    ) -> None:
        self._answers = answers
        self._endings = endings
        self._queues = queues
        self._searching = searching
        self._sets = sets
        self._condensing = condensing
        self._images = images
        self._tracing = tracing

    def prepare(self, message: Mapping[str, Any]) -> None:
        """Embed a question and pass it on to be searched; in chat mode, to be answered."""
        record = self._endings.running(message)
        if record is None:
            return
        with self._tracing.of(record, Stage.QUESTION) as notes:
            self._prepare(record, notes)

    def _prepare(self, record: AnswerRecord, notes: Notes) -> None:
        shown_in_words = self._look_at_images(record, notes)
        if not record.question.kb_ids:
            self._send_result(record, record.question.text, SearchResult(), notes.images)
            return
        searched = self._condensing.stand_alone(record.question)
        searched = notes.searched = f"{searched}\n{shown_in_words}".strip()
        try:
            vectors = self._searching.embed(record.principal.tenant, record.question.kb_ids, searched)
        except TOLD as error:
            self._fail(record, error)
            return
        message = search_message(record, searched, vectors, notes.images)
        self._queues.send(Queue.SEARCH, message, group=record.principal.tenant)

    def search(self, message: Mapping[str, Any]) -> None:
        """Search for what a question asks and pass the result on to be answered."""
        record = self._endings.running(message)
        if record is None:
            return
        with self._tracing.of(record, Stage.SEARCH) as notes:
            self._search(record, read_request(message), notes)

    def _search(self, record: AnswerRecord, message: RequestMessage, notes: Notes) -> None:
        question, searched = record.question, searched_text(message, record)
        readers = record.principal.reads_as
        depth = SPARE * question.top_k
        try:
            request = SearchRequest(
                searched,
                question.kb_ids,
                depth,
                question.threshold,
                readers=readers,
                with_neighbours=True,
                document_ids=self._sets.ids_in(question.kb_ids, question.among),
            )
            result = self._searching.search(record.principal.tenant, request, self._vectors(record, message))
        except TOLD as error:
            self._fail(record, error)
            return
        distinct = without_duplicates(result.found, limit=question.top_k)
        result = notes.result = replace(result, found=tuple(distinct))
        self._send_result(record, searched, result, message.images)

    def _vectors(self, record: AnswerRecord, message: RequestMessage) -> list[QuestionVector]:
        """Return the vectors of a message; one of another sender has a single one, of whatever model has its size."""
        if message.vectors or message.embedding is None:
            return message.vectors
        return self._searching.fitting(record.principal.tenant, record.question.kb_ids, message.embedding)

    def _look_at_images(self, record: AnswerRecord, notes: Notes) -> str:
        """Fetch a question's images, say each step, and return what they show in words to search for."""
        searching = [StepReached(Step.SEARCHING)] if record.question.kb_ids else []
        if not record.question.images:
            self._say(record, 0, searching)
            return ""
        self._say(record, 0, [StepReached(Step.READING_IMAGES)])
        notes.images = self._images.gather(record)
        in_words = ""
        try:
            in_words = self._images.describe(record, notes.images) if searching else ""
        except ImagesRefused:
            notes.images = unseen(notes.images)
        self._say(record, 1, troubles(notes.images) + searching)
        return in_words

    def _say(self, record: AnswerRecord, first: int, steps: list[StepReached]) -> None:
        if steps:
            self._answers.append(record.token, Stage.QUESTION, first, steps)

    def _fail(self, record: AnswerRecord, error: KnowledgeBaseError) -> None:
        self._endings.end(record, AnswerFailed(_CODES[type(error)], str(error)))

    def _send_result(
        self, record: AnswerRecord, searched: str, result: SearchResult, images: Sequence[QuestionImage]
    ) -> None:
        message = answer_message(record, searched, result, images)
        self._queues.send(Queue.ANSWER, message, group=record.principal.tenant)
