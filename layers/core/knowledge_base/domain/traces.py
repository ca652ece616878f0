"""How an answer came about: what each stage took, what was found, and what the model used."""

from __future__ import annotations

from dataclasses import dataclass, field

from knowledge_base.domain.answers import Stage
from knowledge_base.domain.images import QuestionImage


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one reply of a chat model; `is_estimated` where the endpoint did not say."""

    model: str
    prompt_tokens: int
    completion_tokens: int
    is_estimated: bool = False


@dataclass(frozen=True, slots=True)
class TracedHit:
    """A chunk that was found: its fused score, its cosine, its BM25 score, and its rank in each leg."""

    chunk_id: str
    kb_id: str
    score: float
    similarity: float | None
    keyword: float | None
    vector_rank: int | None
    keyword_rank: int | None


@dataclass(frozen=True, slots=True)
class StageTrace:
    """What one stage did for an answer; times are seconds.

    `began_after` counts from the question's arrival, so it holds the waiting in queues. `first_after` is when the
    stage wrote the first words of the answer, from its own beginning.
    """

    stage: Stage
    began_after: float
    took: float
    first_after: float | None = None
    searched: str = ""
    revisions: dict[str, int] = field(default_factory=dict)
    hits: tuple[TracedHit, ...] = ()
    usage: Usage | None = None
    images: tuple[QuestionImage, ...] = ()
