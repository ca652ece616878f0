"""The messages of the engineering contract."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from knowledge_base.dialects.document_metadata import GivenMetadata
from knowledge_base.domain.relevance import Rating
from knowledge_base.services.document_search import LONGEST_TEXT

MOST_FOUND = 100
MOST_LISTED = 100
MOST_QUOTED = 20
MOST_RELATED = 50
LONGEST_QUERY = 8_192

Mode = Literal["hybrid", "vector", "keyword"]
Moment = Annotated[datetime, AfterValidator(lambda given: given if given.tzinfo else given.replace(tzinfo=UTC))]
Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Strict(BaseModel):
    """What a caller sends: an unknown field is an error."""

    model_config = ConfigDict(extra="forbid")


class Fault(BaseModel):
    """Why an ingestion failed."""

    code: str
    message: str


class FoundMetadata(BaseModel):
    """What a result says of its document; free fields stand beside these."""

    model_config = ConfigDict(extra="allow")

    title: str
    format: str
    tags: list[str]
    source: str
    created_at: datetime


class Metadata(FoundMetadata):
    """What is known of a document; free fields stand beside these.

    `acl` says what users (`user:…`), roles (`role:…`), and users or roles of a plain name may do.
    """

    updated_at: datetime
    size: int
    owner: str
    acl: dict[str, list[str]]
    public: bool
    version: int


class DocumentView(BaseModel):
    """`GET /documents/{id}`."""

    document_id: str
    status: str
    error: Fault | None
    progress: float
    metadata: Metadata


class DocumentList(BaseModel):
    """`GET /documents`: oldest first; a page may be short, and the last one has no `next_cursor`."""

    documents: list[DocumentView]
    next_cursor: str | None


class VersionView(BaseModel):
    """One content of a document; `live` is the one that searches find now."""

    version: int
    name: str
    status: str
    error: Fault | None
    size: int
    created_at: datetime
    live: bool


class VersionList(BaseModel):
    """`GET /documents/{id}/versions`, newest first."""

    versions: list[VersionView]


class NewDocument(Strict):
    """`POST /documents`, as multipart form data."""

    document: Annotated[bytes, Field(json_schema_extra={"format": "binary"})]
    metadata: GivenMetadata | None = None


class ChangedDocument(Strict):
    """`PUT /documents/{id}`, as a form with either part or both; as JSON, the metadata alone.

    Of the metadata, a field that is given replaces, `null` clears, and an absent one stays.
    """

    document: Annotated[bytes | None, Field(json_schema_extra={"format": "binary"})] = None
    metadata: GivenMetadata | None = None


class ChangedMetadata(GivenMetadata):
    """The JSON form of `PUT /documents/{id}`: the metadata, alone or as the only field of an object."""

    @model_validator(mode="before")
    @classmethod
    def _unwrap(cls, given: Any) -> Any:
        """No free field is an object, so there is nothing that this could be mistaken for."""
        if isinstance(given, dict) and given.keys() == {"metadata"} and isinstance(given["metadata"], dict):
            return given["metadata"]
        return given


class StoredDocument(BaseModel):
    """Where the ingestion of a document stands that was just stored."""

    document_id: str
    status: str


class VectorLeg(BaseModel):
    """What the vector leg found: the cosine, and the rank among its candidates, `null` when it is none of them."""

    score: float | None
    rank: int | None


class KeywordLeg(BaseModel):
    """What the keyword leg found: the BM25 score and the rank, `null` where the words did not match."""

    score: float | None
    rank: int | None


class Explanation(BaseModel):
    """How a result's score came about: 0.7 of the normalised cosine and 0.3 of the normalised BM25 score.

    `feedback` is what votes have added to it, or taken from it: at most 0.15.
    """

    vector: VectorLeg
    keyword: KeywordLeg
    feedback: float


class Result(BaseModel):
    """A chunk that was found: `start` to `end` of the document's text (`GET /documents/{id}/text`).

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
    """What was found, best first.

    `total_results` counts the chunks that all of this holds of, among the best 200 of each leg, whatever `limit`
    is. `degraded` names the parts that did not answer: without `embedding`, words alone were searched.
    """

    results: list[Result]
    total_results: int
    query_time_ms: int
    degraded: list[str]


class Filters(Strict):
    """What must hold of the documents that are searched; all of it must.

    `tags` must all be there, of `any_tags` one. `title` matches a part, whatever the case. `metadata` are free
    fields that must be equal. `created_from` is inclusive, `created_to` exclusive; a date, or a time without
    an offset, is in UTC.
    """

    tags: Annotated[list[Words], Field(max_length=100)] = []
    any_tags: Annotated[list[Words], Field(max_length=100)] = []
    format: Words | None = None
    title: Words | None = None
    source: Words | None = None
    created_from: Moment | None = None
    created_to: Moment | None = None
    metadata: Annotated[dict[str, str | bool | int | float], Field(max_length=20)] = {}


class FindSimilar(Strict):
    """`POST /search/similar`: a text of up to 50,000 characters, which is embedded in windows of 1,000."""

    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_TEXT)]
    limit: Annotated[int, Field(ge=1, le=MOST_FOUND)] = 10
    filters: Filters = Filters()
    min_score: Annotated[float, Field(ge=0, le=1)] | None = None
    explain: bool = False


class RateResult(Strict):
    """`POST /search/feedback`: whether a chunk that a search found answers the query; `none` takes a vote back."""

    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_QUERY)]
    document_id: str
    chunk_index: Annotated[int, Field(ge=0)]
    rating: Rating


class Turn(Strict):
    """What was said before the question."""

    role: Literal["user", "assistant"]
    content: Annotated[str, StringConstraints(max_length=LONGEST_QUERY)]


class AskQuestion(Strict):
    """`POST /answer`: a question to the documents that the caller may read.

    `history` is what was said before, oldest first. `limit` is how many chunks the answer is made of; with
    `min_score` only of those whose cosine similarity is at least that. With `stream`, or `Accept: text/event-stream`,
    the answer comes as server-sent events `started step source delta finished failed`.
    """

    question: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_QUERY)]
    filters: Filters = Filters()
    history: Annotated[list[Turn], Field(max_length=40)] = []
    limit: Annotated[int, Field(ge=1, le=MOST_QUOTED)] = 5
    min_score: Annotated[float, Field(ge=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=32_768)] = 1024
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.2
    stream: bool = False


class Source(BaseModel):
    """What an answer quotes: `quote` stands at `start` to `end` of the document's text (`GET /documents/{id}/text`).

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


class AnswerView(BaseModel):
    """An answer with its sources; `degraded` names the parts that did not take part."""

    token: str
    answer: str
    references: list[Source]
    degraded: list[str]


class RelatedDocument(BaseModel):
    """A document that says something of what another is about.

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


class RelatedQuery(Strict):
    """The parameters of `GET /documents/{id}/related`."""

    limit: Annotated[int, Field(ge=1, le=MOST_RELATED)] = 10


class SearchQuery(Filters):
    """The parameters of `GET /search`."""

    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_QUERY)]
    limit: Annotated[int, Field(ge=1, le=MOST_FOUND)] = 10
    mode: Mode = "hybrid"
    min_score: Annotated[float, Field(ge=0, le=1)] | None = None
    explain: bool = False


class ListQuery(Filters):
    """The parameters of `GET /documents`."""

    limit: Annotated[int, Field(ge=1, le=MOST_LISTED)] = 50
    cursor: str | None = None


class Problem(BaseModel):
    """Every error of the contract."""

    type: str
    title: str
    status: int
    detail: str
    code: str
