"""The messages of the platform contract."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from knowledge_base.dialects.document_metadata import GivenMetadata
from knowledge_base.domain.feedback import BEST, WORST

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=128)]


def _written(given: object) -> object:
    """A moment is written out: a number is none, though it could be read as seconds."""
    if isinstance(given, int | float):
        raise ValueError("must be a date and a time, as RFC 3339 writes them")
    return given


Moment = Annotated[AwareDatetime, BeforeValidator(_written)]


class Strict(BaseModel):
    """What all messages share: an unknown field is an error."""

    model_config = ConfigDict(extra="forbid")


class CreateKey(Strict):
    """`POST /admin/keys`; only an operator may name a tenant."""

    user_id: Name
    roles: Annotated[list[Name], Field(max_length=100)] = []
    tenant: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,64}$")] | None = None
    workspaces: Annotated[list[Name], Field(max_length=1000)] = []
    projects: Annotated[list[Name], Field(max_length=1000)] = []
    expires_at: Moment | None = None


class CreatedKey(Strict):
    """A key, shown this once."""

    key_id: str
    key: str


class KeyView(Strict):
    """A key without its secret."""

    key_id: str
    tenant: str
    user_id: str
    roles: list[str]
    workspaces: list[str]
    projects: list[str]
    created_at: datetime
    expires_at: datetime | None


class KeyList(Strict):
    """`GET /admin/keys`."""

    keys: list[KeyView]


class WebhookSecret(Strict):
    """`POST /admin/webhook-secret`."""

    secret: str
    previous_valid_until: datetime | None


class KnowledgeBaseView(Strict):
    """A knowledge base of any dialect, and how it retrieves."""

    kb_id: str
    dialect: str
    name: str
    chunking_strategy: str
    embedding_model: str
    rerank: bool
    feedback: bool
    revision: int
    created_at: datetime


class KnowledgeBaseList(Strict):
    """`GET /admin/knowledge-bases`."""

    knowledge_bases: list[KnowledgeBaseView]


class ChangeKnowledgeBase(Strict):
    """`PATCH /admin/knowledge-bases/{kb_id}`; what is not given stays.

    `rerank`: a reranker, if there is one, orders what is found. `feedback`: votes on what searches found move it.
    """

    rerank: bool | None = None
    feedback: bool | None = None

    @model_validator(mode="after")
    def _changes_something(self) -> ChangeKnowledgeBase:
        if self.rerank is None and self.feedback is None:
            raise ValueError("give rerank, feedback, or both")
        return self


class Ready(Strict):
    """`GET /health/ready`: which parts answer."""

    status: Literal["ready", "not_ready"]
    parts: dict[str, bool]


class Alive(Strict):
    """`GET /health`."""

    status: Literal["ok"]


class Fault(Strict):
    """A code for programs and words for people."""

    code: str
    message: str


class HitView(Strict):
    """A chunk that was found: its fused score, cosine and BM25 score, and its rank in each leg."""

    chunk_id: str
    kb_id: str
    score: float
    similarity: float | None
    keyword: float | None
    vector_rank: int | None
    keyword_rank: int | None


class StageView(Strict):
    """What a stage took, in milliseconds; `began_after_ms` counts from the question's arrival."""

    stage: Literal["question", "search", "answer"]
    began_after_ms: int
    took_ms: int
    first_words_ms: int | None


class UsageView(Strict):
    """The tokens that the model used; estimated where its endpoint does not say."""

    model: str
    prompt_tokens: int
    completion_tokens: int
    is_estimated: bool


class ImageView(Strict):
    """An image of the question: whether a model was given it, and if not why not."""

    url: str
    state: Literal["given", "not_analysed", "unreadable"]
    detail: str
    media_type: str
    size: int


class TraceView(Strict):
    """How an answer came about."""

    user_id: str
    searched: str
    revisions: dict[str, int]
    hits: list[HitView]
    images: list[ImageView]
    stages: list[StageView]
    usage: UsageView | None


class AnswerView(Strict):
    """`GET /answers/{token}`."""

    token: str
    status: Literal["running", "finished", "failed", "cancelled"]
    question: str
    answer: str
    references: list[dict[str, Any]]
    degraded: list[str]
    error: Fault | None
    created_at: datetime
    finished_at: datetime | None
    trace: TraceView


class GiveFeedback(Strict):
    """`POST /answers/{token}/feedback`: from 1 (useless) to 5 (just right); `up` is 5 and `down` is 1."""

    rating: Annotated[int, Field(ge=WORST, le=BEST)] | Literal["up", "down"]
    comment: Annotated[str, StringConstraints(strip_whitespace=True, max_length=4000)] = ""


class FeedbackView(Strict):
    """What somebody thinks of an answer; a line of `GET /feedback`."""

    token: str
    user_id: str
    dialect: str
    question: str
    answer: str
    rating: int
    comment: str
    cited: list[dict[str, str]]
    asked_at: datetime
    given_at: datetime


class IngestionView(Strict):
    """`GET /ingestions/{document_id}`."""

    document_id: str
    version: int
    state: str
    progress: float
    chunk_count: int
    chunks_done: int
    size: int
    name: str
    error: Fault | None
    accepted_at: datetime
    updated_at: datetime


class IngestionList(Strict):
    """`GET /ingestions`: the documents of a knowledge base, oldest first, whatever their state."""

    ingestions: list[IngestionView]
    next_cursor: str | None


class UranTarget(Strict):
    """A document of a uran repository, which is made if need be; the name is the file's unless given."""

    dialect: Literal["uran"]
    repository: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=256)]
    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1024)] | None = None


class EngineeringTarget(Strict):
    """A document of the engineering contract, with what `POST /documents` takes as its metadata."""

    dialect: Literal["engineering"]
    metadata: GivenMetadata = GivenMetadata()


class BeginUpload(Strict):
    """`POST /uploads`: announce a file; `sha256` tells its content from every other and is verified."""

    filename: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1024)]
    size: Annotated[int, Field(ge=1)]
    content_type: Annotated[str, StringConstraints(max_length=256)] = ""
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-fA-F]{64}$")]
    target: Annotated[UranTarget | EngineeringTarget, Field(discriminator="dialect")]


class UploadView(Strict):
    """Send `fields` and then the file as multipart form data to `url`; a duplicate has no form (200 for 201)."""

    document_id: str
    duplicate: bool
    url: str | None
    fields: dict[str, str] | None
    expires_at: datetime | None


class DeadLetterView(Strict):
    """Something that the queues have given up."""

    id: str
    kind: Literal["document", "answer", "delivery"]
    subject: dict[str, str]
    error: Fault
    attempts: int
    first_at: datetime
    last_at: datetime


class DeadLetterList(Strict):
    """`GET /dead-letters`."""

    dead_letters: list[DeadLetterView]
    next_cursor: str | None


class ErrorView(Strict):
    """Every error of the contract."""

    error: Fault


class GatewayView(Strict):
    """One way in, as a circuit breaker: `open` refuses, `half_open` lets in one at a time to see whether it works.

    `since` is when it last opened or closed, null where it never did; `failures` are those in a row.
    """

    name: str
    state: Literal["closed", "open", "half_open"]
    since: datetime | None
    reason: str
    failures: int
    waiting: int
    limit: int


class GatewayList(Strict):
    """All ways in."""

    gateways: list[GatewayView]
