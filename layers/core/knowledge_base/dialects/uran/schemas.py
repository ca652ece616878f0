"""The messages of the uran contract, with the field names of its document."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=512)]
Url = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4096)]


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


class Wire(BaseModel):
    """What all messages share: unknown fields are ignored, as the document's own examples carry some."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)


DocumentType: TypeAlias = Literal[
    "pdf", "doc", "txt", "docx", "md", "html", "htm", "rtf", "odt", "pptx", "xlsx", "csv", "tsv", "epub", "eml", "json"
]  # fmt: skip
"""The kinds that the document names, and the others that are read; what a file really is, its content tells."""


class DocumentToImport(Wire):
    """A document to fetch; `md5` identifies its content."""

    name: Name
    type: DocumentType
    url: Url
    md5: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=256)]


class ImportDocuments(Wire):
    """`POST /uran/lm/documents`."""

    documents: Annotated[list[DocumentToImport], Field(min_length=1, max_length=1000)]
    repository: Name
    notify_url: Annotated[Url, Field(alias="notifyUrl")]


class DeleteDocuments(Wire):
    """`DELETE /uran/lm/documents`."""

    documents: Annotated[list[Name], Field(min_length=1, max_length=1000)]
    repository: Name


class DeleteRepositories(Wire):
    """`DELETE /uran/lm/repositories`."""

    repositories: Annotated[list[Name], Field(min_length=1, max_length=100)]


class QuestionMessage(Wire):
    """One turn; `images` is one URL or a list of them."""

    role: Literal["user", "assistant"]
    content: Annotated[str, Field(max_length=100_000)]
    images: Annotated[list[Url], BeforeValidator(_as_list), Field(max_length=8)] = []


class Repository(Wire):
    """Which repository to search, and how; `repository` is another word for `name`."""

    name: Name
    threshold: Annotated[float, Field(ge=0, le=1, strict=True)]
    top_k: Annotated[int, Field(ge=1, le=100, alias="topK", strict=True)]

    @model_validator(mode="before")
    @classmethod
    def _accept_both_names(cls, value: Any) -> Any:
        if isinstance(value, dict) and "name" not in value and "repository" in value:
            return {**value, "name": value["repository"]}
        return value


class AskQuestion(Wire):
    """`POST /uran/lm/question`; without a repository it is a chat."""

    messages: Annotated[list[QuestionMessage], Field(min_length=1, max_length=200)]
    max_tokens: Annotated[int, Field(ge=1, le=131_072, alias="maxTokens", strict=True)]
    temperature: Annotated[float, Field(ge=0, le=2, strict=True)]
    model: Annotated[str, Field(max_length=256)]
    repository: Repository | None = None
    background: Annotated[str, Field(max_length=100_000)] = ""

    @model_validator(mode="after")
    def _ends_with_a_question(self) -> AskQuestion:
        last = self.messages[-1]
        if last.role != "user" or not last.content.strip():
            raise ValueError("the last message must be a user's, and not empty")
        return self


class UranReply(Wire):
    """Every reply of the contract; `message` is `success` when `status` is 200."""

    status: int
    message: str
    data: dict[str, Any] | None = None
