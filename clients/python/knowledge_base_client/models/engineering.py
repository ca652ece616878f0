"""The messages of infra/openapi/engineering.yaml; `make openapi` writes this file."""

from __future__ import annotations

from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field


class Fault(BaseModel):
    """Why an ingestion failed."""

    code: str
    message: str


class Filters(BaseModel):
    """
    What must hold of the documents that are searched; all of it must.

    `tags` must all be there, of `any_tags` one. `title` matches a part, whatever the case. `metadata` are free
    fields that must be equal. `created_from` is inclusive, `created_to` exclusive; a date, or a time without
    an offset, is in UTC.
    """

    tags: list[str] = []
    any_tags: list[str] = []
    format: str | None = None
    title: str | None = None
    source: str | None = None
    created_from: AwareDatetime | None = None
    created_to: AwareDatetime | None = None
    metadata: dict[str, str | bool | int | float] | None = None


class FindSimilar(BaseModel):
    """`POST /search/similar`: a text of up to 50,000 characters, which is embedded in windows of 1,000."""

    text: str
    limit: int = 10
    filters: Filters | None = None
    min_score: float | None = None
    explain: bool = False


class FoundMetadata(BaseModel):
    """What a result says of its document; free fields stand beside these."""

    model_config = ConfigDict(
        extra="allow",
    )
    title: str
    format: str
    tags: list[str]
    source: str
    created_at: AwareDatetime


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


class KeywordLeg(BaseModel):
    """What the keyword leg found: the BM25 score and the rank, `null` where the words did not match."""

    score: float | None
    rank: int | None


class Metadata(BaseModel):
    """
    What is known of a document; free fields stand beside these.

    `acl` says what users (`user:…`), roles (`role:…`), and users or roles of a plain name may do.
    """

    model_config = ConfigDict(
        extra="allow",
    )
    title: str
    format: str
    tags: list[str]
    source: str
    created_at: AwareDatetime
    updated_at: AwareDatetime
    size: int
    owner: str
    acl: dict[str, list[str]]
    public: bool
    version: int


class Problem(BaseModel):
    """Every error of the contract."""

    type: str
    title: str
    status: int
    detail: str
    code: str


class RelatedDocument(BaseModel):
    """
    A document that says something of what another is about.

    `similarity` is the cosine of the nearest chunks, `shared` are the names and terms that stand in both.
    """

    document_id: str
    title: str
    score: float
    similarity: float | None
    shared: list[str]
    metadata: FoundMetadata


class RelatedDocuments(BaseModel):
    """`GET /documents/{id}/related`, the most related first."""

    related: list[RelatedDocument]


class Source(BaseModel):
    """
    What an answer quotes: `quote` stands at `start` to `end` of the document's text (`GET /documents/{id}/text`).

    `index` is the number of the marker in the answer, as in `[1]`; `page` is `null` where there are no pages.
    """

    index: int
    document_id: str
    version: int
    chunk_index: int
    title: str
    page: int | None
    start: int
    end: int
    quote: str
    score: float
    similarity: float | None


class StoredDocument(BaseModel):
    """Where the ingestion of a document stands that was just stored."""

    document_id: str
    status: str


class Turn(BaseModel):
    """What was said before the question."""

    role: Literal["user", "assistant"]
    content: str


class VectorLeg(BaseModel):
    """What the vector leg found: the cosine, and the rank among its candidates, `null` when it is none of them."""

    score: float | None
    rank: int | None


class VersionView(BaseModel):
    """One content of a document; `live` is the one that searches find now."""

    version: int
    name: str
    status: str
    error: Fault | None
    size: int
    created_at: AwareDatetime
    live: bool


class AnswerView(BaseModel):
    """An answer with its sources; `degraded` names the parts that did not take part."""

    token: str
    answer: str
    references: list[Source]
    degraded: list[str]


class AskQuestion(BaseModel):
    """
    `POST /answer`: a question to the documents that the caller may read.

    `history` is what was said before, oldest first. `limit` is how many chunks the answer is made of; with
    `min_score` only of those whose cosine similarity is at least that. With `stream`, or `Accept: text/event-stream`,
    the answer comes as server-sent events `started step source delta finished failed`.
    """

    question: str
    filters: Filters | None = None
    history: list[Turn] = Field([], validate_default=True)
    limit: int = 5
    min_score: float | None = None
    max_tokens: int = 1024
    temperature: float = 0.2
    stream: bool = False


class DocumentView(BaseModel):
    """`GET /documents/{id}`."""

    document_id: str
    status: str
    error: Fault | None
    progress: float
    metadata: Metadata


class Explanation(BaseModel):
    """
    How a result's score came about: 0.7 of the normalised cosine and 0.3 of the normalised BM25 score.

    `feedback` is what votes have added to it, or taken from it: at most 0.15.
    """

    vector: VectorLeg
    keyword: KeywordLeg
    feedback: float


class RateResult(BaseModel):
    """`POST /search/feedback`: whether a chunk that a search found answers the query; `none` takes a vote back."""

    query: str
    document_id: str
    chunk_index: int
    rating: Literal["up", "down", "none"] = Field(
        ..., description="What somebody says of a chunk as an answer to a query; NONE takes it back."
    )


class Result(BaseModel):
    """
    A chunk that was found: `start` to `end` of the document's text (`GET /documents/{id}/text`).

    `similarity` is the cosine, `null` when the embedder did not answer; `page` is the one that the chunk begins on,
    `null` where there are no pages.
    """

    document_id: str
    chunk_index: int
    chunk_content: str
    start: int
    end: int
    page: int | None
    relevance_score: float
    similarity: float | None
    metadata: FoundMetadata
    explain: Explanation | None = None


class SearchView(BaseModel):
    """
    What was found, best first.

    `total_results` counts the chunks that all of this holds of, among the best 200 of each leg, whatever `limit`
    is. `degraded` names the parts that did not answer: without `embedding`, words alone were searched.
    """

    results: list[Result]
    total_results: int
    query_time_ms: int
    degraded: list[str]


class VersionList(BaseModel):
    """`GET /documents/{id}/versions`, newest first."""

    versions: list[VersionView]


class DocumentList(BaseModel):
    """`GET /documents`: oldest first; a page may be short, and the last one has no `next_cursor`."""

    documents: list[DocumentView]
    next_cursor: str | None
