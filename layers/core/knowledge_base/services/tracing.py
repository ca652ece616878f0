"""Note what a stage does for an answer, and what it takes."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from knowledge_base.domain.answers import AnswerRecord, Stage
from knowledge_base.domain.errors import KnowledgeBaseError
from knowledge_base.domain.images import QuestionImage
from knowledge_base.domain.retrieval import FoundChunk, SearchResult
from knowledge_base.domain.traces import StageTrace, TracedHit, Usage
from knowledge_base.ports.answer_log import AnswerLog
from knowledge_base.ports.clock import Clock

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Notes:
    """What a stage has to say of itself so far."""

    searched: str = ""
    result: SearchResult | None = None
    usage: Usage | None = None
    images: tuple[QuestionImage, ...] = ()
    began: float = 0.0
    first_after: float | None = None

    def first_words(self) -> None:
        """Take note that the answer's first words are there."""
        if self.first_after is None:
            self.first_after = time.monotonic() - self.began


class Tracing:
    """Keeps the notes of stages in the answer's log; an answer never fails for want of them."""

    def __init__(self, *, answers: AnswerLog, clock: Clock) -> None:
        self._answers = answers
        self._clock = clock

    @contextmanager
    def of(self, record: AnswerRecord, stage: Stage) -> Iterator[Notes]:
        """Give a stage a place for its notes, and store them when it has ended, well or badly."""
        notes = Notes(began=time.monotonic())
        began_after = (self._clock.now() - record.created_at).total_seconds()
        try:
            yield notes
        finally:
            self._store(record.token, _trace(stage, max(0.0, began_after), notes))

    def _store(self, token: str, trace: StageTrace) -> None:
        try:
            self._answers.note(token, trace)
        except KnowledgeBaseError:
            logger.warning("answer %s: what stage %s did could not be stored", token, trace.stage.name.lower())


def _trace(stage: Stage, began_after: float, notes: Notes) -> StageTrace:
    known: dict[str, Any] = {}
    if notes.result:
        known = {"revisions": notes.result.revisions, "hits": tuple(map(_traced, notes.result.found))}
    return StageTrace(
        stage,
        began_after,
        time.monotonic() - notes.began,
        first_after=notes.first_after,
        searched=notes.searched,
        usage=notes.usage,
        images=notes.images,
        **known,
    )


def _traced(found: FoundChunk) -> TracedHit:
    hit = found.hit
    return TracedHit(
        hit.chunk.chunk_id,
        hit.kb_id,
        hit.score,
        hit.similarity,
        hit.keyword,
        hit.vector_rank,
        hit.keyword_rank,
    )
