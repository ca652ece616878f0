"""The messages of infra/openapi/platform.yaml; `make openapi` writes this file."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict


class Alive(BaseModel):
    """`GET /health`."""

    status: Literal["ok"]


class Fault(BaseModel):
    """A code for programs and words for people."""

    code: str
    message: str


class FeedbackView(BaseModel):
    """What somebody thinks of an answer; a line of `GET /feedback`."""

    token: str
    user_id: str
    dialect: str
    question: str
    answer: str
    rating: int
    comment: str
    cited: list[dict[str, str]]
    asked_at: AwareDatetime
    given_at: AwareDatetime


class GiveFeedback(BaseModel):
    """`POST /answers/{token}/feedback`: from 1 (useless) to 5 (just right); `up` is 5 and `down` is 1."""

    rating: int | Literal["up", "down"]
    comment: str = ""


class GivenMetadata(BaseModel):
    """
    Title, format, tags, source, who may do what, and up to 50 free fields, in 64 KB.

    A free field is text, a number, a boolean or a list of texts. In an update, a field that is given replaces,
    `null` clears, and an absent one stays. The keys of `acl` are users or roles, `user:…` or `role:…` where it
    has to be one of them. `public` lets everybody in the tenant read.
    """

    model_config = ConfigDict(
        extra="allow",
    )
    title: str | None = None
    format: str | None = None
    tags: list[str] | None = None
    source: str | None = None
    acl: dict[str, list[Literal["read", "write", "delete"]]] | None = None
    public: bool | None = None


class HitView(BaseModel):
    """A chunk that was found: its fused score, cosine and BM25 score, and its rank in each leg."""

    chunk_id: str
    kb_id: str
    score: float
    similarity: float | None
    keyword: float | None
    vector_rank: int | None
    keyword_rank: int | None


class ImageView(BaseModel):
    """An image of the question: whether a model was given it, and if not why not."""

    url: str
    state: Literal["given", "not_analysed", "unreadable"]
    detail: str
    media_type: str
    size: int


class IngestionView(BaseModel):
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
    accepted_at: AwareDatetime
    updated_at: AwareDatetime


class Ready(BaseModel):
    """`GET /health/ready`: which parts answer."""

    status: Literal["ready", "not_ready"]
    parts: dict[str, bool]


class StageView(BaseModel):
    """What a stage took, in milliseconds; `began_after_ms` counts from the question's arrival."""

    stage: Literal["question", "search", "answer"]
    began_after_ms: int
    took_ms: int
    first_words_ms: int | None


class UploadView(BaseModel):
    """Send `fields` and then the file as multipart form data to `url`; a duplicate has no form (200 for 201)."""

    document_id: str
    duplicate: bool
    url: str | None
    fields: dict[str, str] | None
    expires_at: AwareDatetime | None


class UranTarget(BaseModel):
    """A document of a uran repository, which is made if need be; the name is the file's unless given."""

    dialect: Literal["uran"]
    repository: str
    name: str | None = None


class UsageView(BaseModel):
    """The tokens that the model used; estimated where its endpoint does not say."""

    model: str
    prompt_tokens: int
    completion_tokens: int
    is_estimated: bool


class EngineeringTarget(BaseModel):
    """A document of the engineering contract, with what `POST /documents` takes as its metadata."""

    dialect: Literal["engineering"]
    metadata: GivenMetadata | None = None


class ErrorView(BaseModel):
    """Every error of the contract."""

    error: Fault


class TraceView(BaseModel):
    """How an answer came about."""

    user_id: str
    searched: str
    revisions: dict[str, int]
    hits: list[HitView]
    images: list[ImageView]
    stages: list[StageView]
    usage: UsageView | None


class AnswerView(BaseModel):
    """`GET /answers/{token}`."""

    token: str
    status: Literal["running", "finished", "failed", "cancelled"]
    question: str
    answer: str
    references: list[dict[str, Any]]
    degraded: list[str]
    error: Fault | None
    created_at: AwareDatetime
    finished_at: AwareDatetime | None
    trace: TraceView


class BeginUpload(BaseModel):
    """`POST /uploads`: announce a file; `sha256` tells its content from every other and is verified."""

    filename: str
    size: int
    content_type: str = ""
    sha256: str
    target: UranTarget | EngineeringTarget
