"""Models behind OpenAI-compatible endpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from knowledge_base.domain.chunks import Vector
from knowledge_base.domain.knowledge_bases import EmbeddingConfig
from knowledge_base.domain.traces import Usage


class Embedder(Protocol):
    """Turns text into vectors of one model."""

    @property
    def config(self) -> EmbeddingConfig:
        """The model and the size of its vectors."""

    @property
    def request_size(self) -> int:
        """How many passages it embeds in one request: who gives it no more at a time loses no more when it fails."""

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector for each text, in order.

        Raises:
            EmbedderUnavailable: no endpoint answers; worth another try.
            EmbeddingRefused: the answer is a refusal, short, or of another size.
        """

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question.

        Raises:
            EmbedderUnavailable: no endpoint answers.
            EmbeddingRefused: the answer is a refusal or of another size.
        """


class Embedders(Protocol):
    """The embedders, one for each model."""

    def of(self, embedding: EmbeddingConfig) -> Embedder:
        """Return the embedder of a model.

        Raises:
            NotConfigured: no endpoint of the deployment offers the model with these dimensions.
        """


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message to a chat model."""

    role: Literal["system", "user", "assistant"]
    content: str
    images: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What is known of a model; None: nothing is.

    `context_tokens` is how much it reads and writes at once, in its own tokens; of several endpoints the least.
    `sees_images` is True where at least one endpoint does: requests with images go to those.
    """

    context_tokens: int | None = None
    sees_images: bool | None = None
    calls_tools: bool | None = None


class ChatModel(Protocol):
    """Writes text, piece by piece."""

    def capabilities(self) -> Capabilities:
        """Return what the endpoints can do, as far as they say; asked once, then remembered."""

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int,
        temperature: float,
        model: str = "",
        on_usage: Callable[[Usage], None] | None = None,
    ) -> Iterator[str]:
        """Yield the pieces of the reply as they come; an empty `model` means the endpoint's own.

        When the reply is complete, `on_usage` is told what it used, if the endpoint says so.

        Fails over to another endpoint until the first piece has come, never after it.

        Raises:
            ImagesRefused: no endpoint takes the images of the messages.
            ChatRefused: the endpoint does not take this request.
            ChatUnavailable: no endpoint answers, or the one that had begun broke off.
        """


class Reranker(Protocol):
    """Reads a question and passages together."""

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return how well each passage answers the question, in [0, 1], in the passages' order.

        Raises:
            RerankerUnavailable: no endpoint answers, or with scores that are none.
        """
