"""Write answers: by a chat model from what was found, or by quoting it."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any, Protocol

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
from knowledge_base.domain.errors import ChatUnavailable
from knowledge_base.domain.evidence import EvidenceRule
from knowledge_base.domain.retrieval import FoundChunk, SearchResult
from knowledge_base.domain.traces import Usage
from knowledge_base.ports.answer_log import AnswerLog
from knowledge_base.ports.models import ChatMessage, ChatModel
from knowledge_base.services.answer_endings import AnswerEndings
from knowledge_base.services.citations import CitationFilter, build_prompt
from knowledge_base.services.combining import combining_filter, combining_prompt
from knowledge_base.services.context import MOST_TOKENS, in_context
from knowledge_base.services.event_writer import AnswerEnded, EventWriter
from knowledge_base.services.evidence import has_evidence
from knowledge_base.services.extraction import combine, extract_answer
from knowledge_base.services.question_messages import search_result, searched_text
from knowledge_base.services.tracing import Notes, Tracing

CHAT_SETTING = "KB_LLM_ENDPOINTS"
CHAT_DOWN = "chat"
"""In `degraded`: the chat model did not answer, and the answer is made of quotes instead."""

RULE_TOKENS = 300
"""What the rules and the frames of the sources take."""
COUNTED = 0.8
"""The product counts in tokens of its own; a model's may be smaller."""

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
        count_tokens: Callable[[str], int],
        tracing: Tracing,
        evidence: EvidenceRule,
    ) -> None:
        self._answers = answers
        self._endings = endings
        self._chat = chat
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
                self._write(record, searched_text(message, record), search_result(message), notes)

    def _write(self, record: AnswerRecord, searched: str, result: SearchResult, notes: Notes) -> None:
        if self._has_begun(record):
            self._endings.end(record, AnswerFailed("interrupted", "the answer was interrupted"))
            return
        writer = EventWriter(self._answers, record.token, Stage.ANSWER)
        try:
            for event in self._events(record.question, searched, result, notes):
                if isinstance(event, AnswerFinished | AnswerFailed):
                    writer.flush()
                    self._endings.end(record, event)
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
        if not found:
            yield AnswerStarted()
            yield TextDelta(nothing_found(question.text))
            yield AnswerFinished(result.degraded, evidence=False)
        elif self._chat is None:
            yield from self._quoting(question, searched, found, result.degraded)
        else:
            asking = _Asking(self._chat, question, self._count_tokens, notes)
            yield from self._explaining(asking, question, searched, found, result.degraded)

    def _quoting(
        self, question: Question, searched: str, found: Sequence[FoundChunk], degraded: tuple[str, ...]
    ) -> Iterator[AnswerEvent]:
        yield AnswerStarted()
        yield from extract_answer(searched, found, max_tokens=question.max_tokens, count_tokens=self._count_tokens)
        yield AnswerFinished(degraded)

    def _explaining(
        self, asking: _Asking, question: Question, searched: str, found: Sequence[FoundChunk], degraded: tuple[str, ...]
    ) -> Iterator[AnswerEvent]:
        """Let the model write; when it does not even begin, quote instead and say so."""
        sources = in_context(found, self._count_tokens, budget=asking.room_for_sources())
        citations = CitationFilter(sources)
        quoting = self._quoting(question, searched, found, (*degraded, CHAT_DOWN))
        if (yield from _written(asking.ask(build_prompt(question, sources)), citations, otherwise=quoting)):
            yield from (SourceFound(reference) for reference in citations.references())
            yield AnswerFinished(degraded)

    def _combining(self, question: Question, notes: Notes) -> Iterator[AnswerEvent]:
        """Make one answer of the texts that came with the question."""
        if self._chat is None:
            yield from self._joining(question, ())
            return
        pieces = _Asking(self._chat, question, self._count_tokens, notes).ask(combining_prompt(question))
        joining = self._joining(question, (CHAT_DOWN,))
        if (yield from _written(pieces, combining_filter(question.texts), otherwise=joining)):
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
        pieces = _Asking(self._chat, question, self._count_tokens, notes).ask(_conversation(question))
        if (yield from _written(pieces)):
            yield AnswerFinished()


class _Filter(Protocol):
    """Holds a model to its sources, piece by piece."""

    def feed(self, piece: str) -> str: ...
    def finish(self) -> str: ...


class _Asking:
    """Asks a chat model as a question wants it asked, and notes what that uses."""

    def __init__(self, chat: ChatModel, question: Question, count_tokens: Callable[[str], int], notes: Notes) -> None:
        self._chat = chat
        self._question = question
        self._count_tokens = count_tokens
        self._notes = notes

    def ask(self, messages: Sequence[ChatMessage]) -> Iterator[str]:
        """Yield the pieces of the reply; tokens are counted here where the endpoint does not say."""
        asked, said = self._question, []
        for piece in self._chat.stream(
            messages,
            max_tokens=asked.max_tokens,
            temperature=asked.temperature,
            model=asked.model,
            on_usage=self._note,
        ):
            said.append(piece)
            yield piece
        if self._notes.usage is None:
            prompt = sum(self._count_tokens(message.content) for message in messages)
            self._note(Usage(asked.model, prompt, self._count_tokens("".join(said)), is_estimated=True))

    def room_for_sources(self) -> int:
        """Return the tokens that sources may take, besides the rules, the conversation and the answer."""
        known = self._chat.capabilities().context_tokens
        if known is None:
            return MOST_TOKENS
        said = sum(self._count_tokens(turn.content) for turn in self._question.messages)
        room = known - self._question.max_tokens - said - self._count_tokens(self._question.background) - RULE_TOKENS
        return max(0, min(MOST_TOKENS, int(room * COUNTED)))

    def _note(self, usage: Usage) -> None:
        self._notes.usage = usage


def nothing_found(question: str) -> str:
    """Return what is said when nothing was found, in the question's language."""
    return NOTHING_FOUND_ZH if _HAN.search(question) else NOTHING_FOUND


def _written(
    pieces: Iterator[str], through: _Filter | None = None, *, otherwise: Iterator[AnswerEvent] | None = None
) -> Generator[AnswerEvent, None, bool]:
    """Yield what a model writes, filtered where there is a filter; True when it has come to its end.

    A model that does not even begin is replaced by `otherwise`, if there is that; one that breaks off fails the answer.
    """
    begun = False
    try:
        for piece in pieces:
            if not begun:
                begun = True
                yield AnswerStarted()
            yield from _delta(through.feed(piece) if through else piece)
        if through:
            yield from _delta(through.finish())
    except ChatUnavailable as error:
        if begun or otherwise is None:
            yield AnswerFailed("unavailable", str(error))
        else:
            yield from otherwise
        return False
    return True


def _delta(text: str) -> Iterator[TextDelta]:
    if text:
        yield TextDelta(text)


def _conversation(question: Question) -> list[ChatMessage]:
    background = [ChatMessage("system", question.background)] if question.background else []
    turns = [ChatMessage(turn.role, turn.content, turn.images) for turn in question.messages]
    return background + turns
