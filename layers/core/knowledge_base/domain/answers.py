"""Questions, and the numbered events that an answer is made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal, TypeAlias

from knowledge_base.domain.access import Principal
from knowledge_base.domain.document_filters import DocumentFilter
from knowledge_base.domain.knowledge_bases import Dialect


class AnswerStatus(StrEnum):
    """Where an answer stands; everything but RUNNING is an end."""

    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Step(StrEnum):
    """What is being done for the caller right now."""

    READING_IMAGES = "reading_images"
    SEARCHING = "searching"
    COMPOSING = "composing"


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["user", "assistant"]
    content: str
    images: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A conversation whose last user message is to be answered.

    `caller_token` is what the caller calls it, `response_url` where the answer is posted to, if anywhere.
    Without `kb_ids` it is answered from `texts`; without these either in chat mode, from the model alone, or,
    when it is `grounded`, not at all: there are no documents yet.
    It is answered from the documents of its knowledge bases that match `among`.
    """

    messages: tuple[Message, ...]
    kb_ids: tuple[str, ...] = ()
    threshold: float | None = None
    top_k: int = 5
    max_tokens: int = 1024
    temperature: float = 0.2
    model: str = ""
    background: str = ""
    response_url: str = ""
    texts: tuple[str, ...] = ()
    caller_token: str = ""
    among: DocumentFilter = field(default_factory=DocumentFilter)
    grounded: bool = False

    @property
    def text(self) -> str:
        """The last user message."""
        return next((m.content for m in reversed(self.messages) if m.role == "user"), "")

    @property
    def images(self) -> tuple[str, ...]:
        """The image URLs of all messages, in order."""
        return tuple(url for message in self.messages for url in message.images)


@dataclass(frozen=True, slots=True)
class Reference:
    """A cited source: `parsed_text[start:end] == quote`; `page` is None where there are no pages."""

    index: int
    document_id: str
    name: str
    url: str
    md5: str
    page: int | None
    start: int
    end: int
    quote: str
    score: float
    similarity: float | None
    kb_id: str = ""
    chunk_id: str = ""
    ordinal: int = 0
    title: str = ""


@dataclass(frozen=True, slots=True)
class AnswerStarted:
    """The answer's text begins."""

    kind: Literal["started"] = "started"


@dataclass(frozen=True, slots=True)
class StepReached:
    """Work on the answer reached a step."""

    step: Step
    kind: Literal["step"] = "step"


@dataclass(frozen=True, slots=True)
class SourceFound:
    """A source that the answer cites."""

    reference: Reference
    kind: Literal["source"] = "source"


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of the answer's text."""

    text: str
    kind: Literal["delta"] = "delta"


@dataclass(frozen=True, slots=True)
class AnswerFinished:
    """The answer is complete; `evidence` is False where nothing was found to answer from."""

    degraded: tuple[str, ...] = ()
    evidence: bool = True
    kind: Literal["finished"] = "finished"


@dataclass(frozen=True, slots=True)
class AnswerFailed:
    """The answer ends without being complete; `code` is also `cancelled`."""

    code: str
    message: str
    kind: Literal["failed"] = "failed"


AnswerEvent: TypeAlias = AnswerStarted | StepReached | SourceFound | TextDelta | AnswerFinished | AnswerFailed


class Stage(StrEnum):
    """Who writes events; the stages' events follow one another in this order."""

    QUESTION = "1"
    SEARCH = "2"
    ANSWER = "3"
    END = "9"


@dataclass(frozen=True, slots=True, order=True)
class EventId:
    """An event's place in its answer's log: later events are greater. Its text form is `stage.number`."""

    stage: Stage
    number: int

    def __str__(self) -> str:
        return f"{self.stage.value}.{self.number}"


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """An event with its place in the log."""

    event_id: EventId
    event: AnswerEvent


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """An answer's head: who asked what, and whether it has ended.

    `deadline` is the second since the epoch by which it has ended, one way or another.
    """

    token: str
    principal: Principal
    dialect: Dialect
    question: Question
    created_at: datetime
    deadline: int
    status: AnswerStatus = AnswerStatus.RUNNING
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as its log tells it."""

    record: AnswerRecord
    text: str = ""
    references: tuple[Reference, ...] = ()
    degraded: tuple[str, ...] = ()
    error: AnswerFailed | None = None


def fold(record: AnswerRecord, events: Iterable[object]) -> Answer:
    """Put an answer together from its events: the same for every reader at any time."""
    events = list(events)
    last = events[-1] if events else None
    return Answer(
        record,
        text="".join(event.text for event in events if isinstance(event, TextDelta)),
        references=tuple(event.reference for event in events if isinstance(event, SourceFound)),
        degraded=last.degraded if isinstance(last, AnswerFinished) else (),
        error=last if isinstance(last, AnswerFailed) else None,
    )
