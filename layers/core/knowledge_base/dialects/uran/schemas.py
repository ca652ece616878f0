"""The messages of the uran contract, with the field names of its document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from knowledge_base.domain.images import MOST_IMAGES

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=512)]
Url = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4096)]

MOST_BYTES = 300_000
"""Of what one question says, in UTF-8: it is kept in one item of a table that takes 400 KB."""

MOST_TEXTS = 256
LONGEST_TEXT = 6000
"""In characters; embedding models read no more, and what they do not read has no part in the vector."""


def _as_list(value: Any) -> Any:
    """What a client sends that has no images, `null` or an empty text, is an empty list."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return []
    return [value] if isinstance(value, str) else value


def _as_text(value: Any) -> Any:
    return "" if value is None else value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty")
    return value


def _in_bounds(*texts: str | None) -> None:
    if sum(len((text or "").encode()) for text in texts) > MOST_BYTES:
        raise ValueError(f"all texts together must not be longer than {MOST_BYTES} bytes in UTF-8")


def _few_images(messages: Sequence[QuestionMessage]) -> None:
    if sum(len(message.images) for message in messages) > MOST_IMAGES:
        raise ValueError(f"messages: at most {MOST_IMAGES} images in all")


def _can_be_posted_to(value: str) -> str:
    if not value.lower().startswith(("http://", "https://")):
        raise ValueError("must begin with http:// or https://, as answers are posted; ws is not served")
    return value


CallbackUrl = Annotated[Url, AfterValidator(_can_be_posted_to)]
Token = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=256)]
Text = Annotated[str, AfterValidator(_not_blank)]
TextToEmbed = Annotated[str, Field(max_length=LONGEST_TEXT), AfterValidator(_not_blank)]


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


def _end_with_a_question(messages: list[QuestionMessage]) -> None:
    if messages[-1].role != "user" or not messages[-1].content.strip():
        raise ValueError("messages: the last must be a user's, and not empty")


class AskQuestion(Wire):
    """`POST /uran/lm/question`; without a repository it is a chat."""

    messages: Annotated[list[QuestionMessage], Field(min_length=1, max_length=200)]
    max_tokens: Annotated[int, Field(ge=1, le=131_072, alias="maxTokens", strict=True)]
    temperature: Annotated[float, Field(ge=0, le=2, strict=True)]
    model: Annotated[str, Field(max_length=256)]
    repository: Repository | None = None
    background: Annotated[str, BeforeValidator(_as_text), Field(max_length=100_000)] = ""

    @model_validator(mode="after")
    def _ends_with_a_question(self) -> AskQuestion:
        _end_with_a_question(self.messages)
        _few_images(self.messages)
        _in_bounds(self.background, *(message.content for message in self.messages))
        return self


class PutQuestion(Wire):
    """`POST /uran/llm/question`: `messages` with what the table asks for, or a `text` alone.

    The answer is posted to `respUrl`, or else to `notifyUrl`.
    """

    messages: Annotated[list[QuestionMessage], Field(min_length=1, max_length=200)] | None = None
    text: Annotated[Text | None, Field(max_length=100_000)] = None
    max_tokens: Annotated[int | None, Field(ge=1, le=131_072, alias="maxTokens", strict=True)] = None
    temperature: Annotated[float | None, Field(ge=0, le=2, strict=True)] = None
    model: Annotated[str | None, Field(max_length=256)] = None
    repository: Name | None = None
    threshold: Annotated[float | None, Field(ge=0, le=1, strict=True)] = None
    question_token: Annotated[Token | None, Field(alias="questionToken")] = None
    response_url: Annotated[CallbackUrl | None, Field(alias="respUrl")] = None
    notify_url: Annotated[CallbackUrl | None, Field(alias="notifyUrl")] = None

    @model_validator(mode="after")
    def _is_whole(self) -> PutQuestion:
        if self.messages is None and self.text is None:
            raise ValueError("messages or text: one of them is required")
        if self.response_url is None and self.notify_url is None:
            raise ValueError("respUrl or notifyUrl: one of them is required")
        if self.messages is not None:
            self._has_what_messages_need()
        _end_with_a_question(self.turns)
        _few_images(self.turns)
        _in_bounds(*(message.content for message in self.turns))
        return self

    @property
    def turns(self) -> list[QuestionMessage]:
        """The messages; a text is one of the user's."""
        return self.messages or [QuestionMessage(role="user", content=self.text or "")]

    @property
    def callback(self) -> str:
        """The address that the answer is posted to."""
        return self.response_url or self.notify_url or ""

    def _has_what_messages_need(self) -> None:
        given = {"maxTokens": self.max_tokens, "temperature": self.temperature, "model": self.model}
        needed = given | ({"threshold": self.threshold} if self.repository else {})
        missing = [name for name, value in needed.items() if value is None]
        if missing:
            raise ValueError(f"{', '.join(missing)}: required beside messages")


class TakeAnswer(Wire):
    """`POST /uran/lm/response`: the answer to a question, from another answer service."""

    question_token: Annotated[Token, Field(alias="questionToken")]
    answer: Text

    @model_validator(mode="after")
    def _is_in_bounds(self) -> TakeAnswer:
        _in_bounds(self.answer)
        return self


class AskAssistant(Wire):
    """`POST /uran/lm/assistant`; the prompt says who the assistant is and what it knows."""

    prompt: str | None = None
    question: Text

    @model_validator(mode="after")
    def _is_in_bounds(self) -> AskAssistant:
        _in_bounds(self.prompt, self.question)
        return self


class CombineTexts(Wire):
    """`POST /uran/lm/combine`: a question, and the texts that were found for it, the best first."""

    question: Text
    texts: Annotated[list[Text], Field(min_length=1, max_length=MOST_TEXTS)]

    @model_validator(mode="after")
    def _is_in_bounds(self) -> CombineTexts:
        _in_bounds(self.question, *self.texts)
        return self


class EmbedText(Wire):
    """`POST /uran/llm/embedding`."""

    text: TextToEmbed


class EmbedTexts(Wire):
    """`POST /uran/lm/block_embedding`."""

    texts: Annotated[list[TextToEmbed], Field(min_length=1, max_length=MOST_TEXTS)]


class UranReply(Wire):
    """Every reply of the contract; `message` is `success` when `status` is 200."""

    status: int
    message: str
    data: dict[str, Any] | None = None


class AnswerData(Wire):
    """An answer's text."""

    answer: str


class AnswerReply(UranReply):
    """The reply of the routes that answer."""

    data: AnswerData  # type: ignore[assignment]  # there is no more in it


class EmbeddingData(Wire):
    """A text's vector."""

    embedding: list[float]


class EmbeddingReply(UranReply):
    """The reply of `POST /uran/llm/embedding`."""

    data: EmbeddingData  # type: ignore[assignment]  # there is no more in it


class EmbeddingsData(Wire):
    """One vector for each text, in order."""

    embeddings: list[list[float]]


class EmbeddingsReply(UranReply):
    """The reply of `POST /uran/lm/block_embedding`."""

    data: EmbeddingsData  # type: ignore[assignment]  # there is no more in it


class TokenData(Wire):
    """What a question is called."""

    question_token: Annotated[str, Field(alias="questionToken")]


class TokenReply(UranReply):
    """The reply of `POST /uran/llm/question`."""

    data: TokenData  # type: ignore[assignment]  # there is no more in it
