"""The question path: question → search → answer over queues, into the answer's log.

The messages on the search and answer queues carry the field names of the uran document
(`question_token`, `question`, `resp_url`, `embedding`; `texts`), and our own beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

from knowledge_base.domain.answers import (
    AnswerEvent,
    AnswerFailed,
    AnswerRecord,
    AnswerStatus,
    Stage,
    Step,
    StepReached,
)
from knowledge_base.domain.errors import (
    AnswerNotFound,
    EmbeddingRefused,
    KnowledgeBaseError,
    KnowledgeBaseNotFound,
    NotConfigured,
)
from knowledge_base.domain.retrieval import SearchRequest, SearchResult
from knowledge_base.ports.answer_log import AnswerLog
from knowledge_base.ports.queues import Queue, Queues
from knowledge_base.services.answering import Answering
from knowledge_base.services.searching import QuestionVector, Searching

_CODES = {
    KnowledgeBaseNotFound: "knowledge_base_not_found",
    EmbeddingRefused: "embedding_failed",
    NotConfigured: "not_configured",
}
_RESULT: TypeAdapter[SearchResult] = TypeAdapter(SearchResult)
_VECTORS: TypeAdapter[list[QuestionVector]] = TypeAdapter(list[QuestionVector])


class QuestionPath:
    """The three functions that a question passes through."""

    def __init__(self, *, answers: AnswerLog, queues: Queues, searching: Searching, answering: Answering) -> None:
        self._answers = answers
        self._queues = queues
        self._searching = searching
        self._answering = answering

    def prepare(self, message: Mapping[str, Any]) -> None:
        """Embed a question and pass it on to be searched; in chat mode, to be answered."""
        record = self._running(message)
        if record is None:
            return
        question = record.question
        first = [Step.READING_IMAGES] if question.images else []
        first += [Step.SEARCHING] if question.kb_ids else []
        self._say(record, Stage.QUESTION, [StepReached(step) for step in first])
        if not question.kb_ids:
            self._send_result(record, SearchResult())
            return
        try:
            vectors = self._searching.embed(record.principal.tenant, question.kb_ids, question.text)
        except (KnowledgeBaseNotFound, EmbeddingRefused, NotConfigured) as error:
            self._fail(record, error)
            return
        self._queues.send(Queue.SEARCH, _search_message(record, vectors), group=record.principal.tenant)

    def search(self, message: Mapping[str, Any]) -> None:
        """Search for what a question asks and pass the result on to be answered."""
        record = self._running(message)
        if record is None:
            return
        question = record.question
        request = SearchRequest(question.text, question.kb_ids, question.top_k, question.threshold)
        vectors = _VECTORS.validate_python(message.get("vectors", []))
        try:
            result = self._searching.search(record.principal.tenant, request, vectors)
        except KnowledgeBaseNotFound as error:
            self._fail(record, error)
            return
        self._send_result(record, result)

    def answer(self, message: Mapping[str, Any]) -> None:
        """Write the answer's events; a second try after the first words ends it as failed."""
        record = self._running(message)
        if record is None:
            return
        result = _RESULT.validate_python(message.get("result", {}))
        self._answering.write(record, result)

    def _running(self, message: Mapping[str, Any]) -> AnswerRecord | None:
        try:
            record = self._answers.head(str(message.get("question_token", "")))
        except AnswerNotFound:
            return None
        return record if record.status is AnswerStatus.RUNNING else None

    def _say(self, record: AnswerRecord, stage: Stage, events: list[AnswerEvent]) -> None:
        if events:
            self._answers.append(record.token, stage, 0, events)

    def _fail(self, record: AnswerRecord, error: KnowledgeBaseError) -> None:
        code = _CODES.get(type(error), "internal")
        self._answers.close(record.token, AnswerFailed(code, str(error)))

    def _send_result(self, record: AnswerRecord, result: SearchResult) -> None:
        body = {
            "question_token": record.token,
            "question": record.question.text,
            "resp_url": record.question.response_url,
            "texts": result.texts,
            "result": _RESULT.dump_python(result, mode="json"),
        }
        self._queues.send(Queue.ANSWER, body, group=record.principal.tenant)


def _search_message(record: AnswerRecord, vectors: list[QuestionVector]) -> dict[str, Any]:
    dumped = _VECTORS.dump_python(vectors, mode="json")
    return {
        "question_token": record.token,
        "question": record.question.text,
        "resp_url": record.question.response_url,
        "embedding": next((item["vector"] for item in dumped if item["vector"]), None),
        "vectors": dumped,
    }
