"""Write answers: by a chat model from what was found, or by quoting it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from knowledge_base.domain.answers import (
    AnswerEvent,
    AnswerFailed,
    AnswerFinished,
    AnswerRecord,
    AnswerStarted,
    Question,
    SourceFound,
    Stage,
    Step,
    StepReached,
    TextDelta,
)
from knowledge_base.domain.evidence import EvidenceRule
from knowledge_base.domain.images import IMAGES_UNSEEN, ImageState
from knowledge_base.domain.retrieval import FoundChunk, SearchResult
from knowledge_base.ports.answer_log import AnswerLog
from knowledge_base.ports.models import ChatMessage, ChatModel
from knowledge_base.services.answer_endings import AnswerEndings
from knowledge_base.services.citations import CitationFilter, build_prompt
from knowledge_base.services.combining import combining_filter, combining_prompt
from knowledge_base.services.context import in_context
from knowledge_base.services.event_writer import AnswerEnded, EventWriter
from knowledge_base.services.evidence import has_evidence
from knowledge_base.services.extraction import combine, extract_answer
from knowledge_base.services.images import QuestionImages
from knowledge_base.services.model_replies import Asking, written
from knowledge_base.services.question_messages import ResponseMessage, read_response, searched_text
from knowledge_base.services.tracing import Notes, Tracing

CHAT_SETTING = "KB_LLM_ENDPOINTS"
CHAT_DOWN = "chat"
"""In `degraded`: the chat model did not answer, and the answer is made of quotes instead."""

NOTHING_FOUND = "No information retrieved"
NOTHING_FOUND_ZH = "知识库中没有检索到相关信息"
_HAN = re.compile(r"[\u4e00-\u9fff]")


class Answering:
    """Writes an answer's text and sources into its log."""

    def __init__(
        self,
        *,
        answers: AnswerLog,
        endings: AnswerEndings,
        chat: ChatModel | None,
        images: QuestionImages,
        count_tokens: Callable[[str], int],
        tracing: Tracing,
        evidence: EvidenceRule,
    ) -> None:
        self._answers = answers
        self._endings = endings
        self._chat = chat
        self._images = images
        self._count_tokens = count_tokens
        self._tracing = tracing
        self._evidence = evidence

    def answer(self, message: Mapping[str, Any]) -> None:
        """Write the answer that a message asks for, from what the message says was found.

        A second try finds the first one's words: it ends the answer as failed, since it would say
        something else after them.
        """
        record = self._endings.running(message)
        if record is not None:
            with self._tracing.of(record, Stage.ANSWER) as notes:
                said = read_response(message)
                notes.images = said.images
                self._write(record, said, notes)

    def _write(self, record: AnswerRecord, said: ResponseMessage, notes: Notes) -> None:
        if self._has_begun(record):
            self._endings.end(record, AnswerFailed("interrupted", "the answer was interrupted"))
            return
        question = self._images.shown(record.token, _as_found(record.question, said), notes.images)
        writer = EventWriter(self._answers, record.token, Stage.ANSWER)
        try:
            for event in self._events(question, searched_text(said, record), said.result or SearchResult(), notes):
                if isinstance(event, AnswerFinished | AnswerFailed):
                    writer.flush()
                    self._endings.end(record, _with_images(event, notes))
                    return
                writer.write(event)
                if isinstance(event, TextDelta):
                    notes.first_words()
        except AnswerEnded:
            return

    def _has_begun(self, record: AnswerRecord) -> bool:
        return any(isinstance(logged.event, TextDelta) for logged in self._answers.read(record.token))

    def _events(self, question: Question, searched: str, result: SearchResult, notes: Notes) -> Iterator[AnswerEvent]:
        yield StepReached(Step.COMPOSING)
        if not (question.kb_ids or question.grounded):
            yield from self._combining(question, notes) if question.texts else self._chatting(question, notes)
            return
        found = [item for item in result.found if has_evidence(item.hit, self._evidence, searched)]
        if not found and not (self._chat and question.images):
            yield from _without_evidence(question, result.degraded)
        elif self._chat is None:
            yield from self._quoting(question, searched, found, result.degraded)
        else:
            asking = Asking(self._chat, question, self._count_tokens, notes)
            yield from self._explaining(asking, question, searched, found, result.degraded)

    def _quoting(
        self, question: Question, searched: str, found: Sequence[FoundChunk], degraded: tuple[str, ...]
    ) -> Iterator[AnswerEvent]:
        yield AnswerStarted()
        yield from extract_answer(searched, found, max_tokens=question.max_tokens, count_tokens=self._count_tokens)
        yield AnswerFinished(degraded)

    def _explaining(
        self, asking: Asking, question: Question, searched: str, found: Sequence[FoundChunk], degraded: tuple[str, ...]
    ) -> Iterator[AnswerEvent]:
        """Let the model write, of images alone where nothing was found; should it not even begin, quote and say so."""
        sources = in_context(found, self._count_tokens, budget=asking.room_for_sources())
        citations = CitationFilter(sources)
        less = (*degraded, CHAT_DOWN)
        quoting = self._quoting(question, searched, found, less) if found else _without_evidence(question, less)
        if (yield from written(asking.ask(build_prompt(question, sources)), citations, otherwise=quoting)):
            yield from (SourceFound(reference) for reference in citations.references())
            yield AnswerFinished(degraded, evidence=bool(found))

    def _combining(self, question: Question, notes: Notes) -> Iterator[AnswerEvent]:
        """Make one answer of the texts that came with the question."""
        if self._chat is None:
            yield from self._joining(question, ())
            return
        pieces = Asking(self._chat, question, self._count_tokens, notes).ask(combining_prompt(question))
        joining = self._joining(question, (CHAT_DOWN,))
        if (yield from written(pieces, combining_filter(question.texts), otherwise=joining)):
            yield AnswerFinished()

    def _joining(self, question: Question, degraded: tuple[str, ...]) -> Iterator[AnswerEvent]:
        said = combine(question.text, question.texts, max_tokens=question.max_tokens, count_tokens=self._count_tokens)
        yield AnswerStarted()
        yield TextDelta(said or nothing_found(question.text))
        yield AnswerFinished(degraded, evidence=bool(said))

    def _chatting(self, question: Question, notes: Notes) -> Iterator[AnswerEvent]:
        if self._chat is None:
            yield AnswerFailed("not_configured", f"an answer from the model alone needs the setting {CHAT_SETTING}")
            return
        pieces = Asking(self._chat, question, self._count_tokens, notes).ask(_conversation(question))
        if (yield from written(pieces)):
            yield AnswerFinished()


def _as_found(question: Question, said: ResponseMessage) -> Question:
    """Return the question; one for which another system has found mere texts is answered from these."""
    is_from_others = question.kb_ids and said.result is None and said.texts
    return replace(question, kb_ids=(), texts=tuple(said.texts)) if is_from_others else question


def nothing_found(question: str) -> str:
    """Return what is said when nothing was found, in the question's language."""
    return NOTHING_FOUND_ZH if _HAN.search(question) else NOTHING_FOUND


def _without_evidence(question: Question, degraded: tuple[str, ...]) -> Iterator[AnswerEvent]:
    yield AnswerStarted()
    yield TextDelta(nothing_found(question.text))
    yield AnswerFinished(degraded, evidence=False)


def _with_images(event: AnswerFinished | AnswerFailed, notes: Notes) -> AnswerFinished | AnswerFailed:
    """Return an answer's end that says so if an image of the question was not looked at."""
    is_whole = all(image.state is ImageState.GIVEN for image in notes.images)
    if is_whole or isinstance(event, AnswerFailed):
        return event
    return replace(event, degraded=(*event.degraded, IMAGES_UNSEEN))


def _conversation(question: Question) -> list[ChatMessage]:
    background = [ChatMessage("system", question.background)] if question.background else []
    turns = [ChatMessage(turn.role, turn.content, turn.images) for turn in question.messages]
    return background + turns
