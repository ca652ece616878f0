"""Embedders over OpenAI-compatible endpoints."""

from __future__ import annotations

import base64
import binascii
import math
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from knowledge_base.adapters.openai.endpoint_errors import RequestRefused
from knowledge_base.adapters.openai.endpoint_pool import EndpointPool, Pace, PoolExhausted
from knowledge_base.adapters.openai.pool_member import LONE_SURROGATES, Member, timeout
from knowledge_base.domain.chunks import Vector
from knowledge_base.domain.errors import EmbedderUnavailable, EmbeddingRefused, NotConfigured
from knowledge_base.domain.knowledge_bases import EmbeddingConfig
from knowledge_base.ports.models import Embedder
from knowledge_base.settings import Endpoint

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.circuit_breaker.persistence.base import CircuitBreakerPersistenceLayer

MAX_REQUEST_TEXTS = 64

MAX_PASSAGE_CHARACTERS = 6000
"""Less than the 8,192 tokens of OpenAI's models in any script; chunks are far shorter."""

QUESTION_HEAD = QUESTION_TAIL = 1000
"""What is embedded of a long question. Models of this kind read some 512 tokens; a question stands at an end."""

QUERY_PACE = Pace(limit=10.0, patience=25.0)
PASSAGE_PACE = Pace(limit=60.0, patience=90.0)

_UNREADABLE = {**LONE_SURROGATES, 0: " "}
"""A NUL ends the text for servers written in C."""


class OpenAIEmbedder:
    """Embeds texts with one model, offered by any number of endpoints.

    Vectors come as the model gives them: nothing downstream needs them normalised, as nearness is
    measured by cosine. `request_size` is how many passages one request carries: a server that
    computes one request after another answers questions the sooner, the smaller it is.
    """

    def __init__(
        self,
        endpoints: Sequence[Endpoint],
        *,
        request_size: int = MAX_REQUEST_TEXTS,
        query_pace: Pace = QUERY_PACE,
        passage_pace: Pace = PASSAGE_PACE,
        breaker_store: CircuitBreakerPersistenceLayer | None = None,
    ) -> None:
        self._pool = EndpointPool(endpoints, purpose="embedding", breaker_store=breaker_store)
        self._config = EmbeddingConfig(endpoints[0].model, endpoints[0].dimensions)
        self._request_size = min(request_size, MAX_REQUEST_TEXTS)
        self._query_pace = query_pace
        self._passage_pace = passage_pace

    @property
    def config(self) -> EmbeddingConfig:
        """The model and the size of its vectors."""
        return self._config

    @property
    def request_size(self) -> int:
        """How many passages one request carries."""
        return self._request_size

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector for each text, in order.

        Raises:
            EmbedderUnavailable: no endpoint answers; worth another try.
            EmbeddingRefused: the answer is a refusal, short, or of another size.
        """
        readable = [_readable(text)[:MAX_PASSAGE_CHARACTERS] for text in texts]
        return [vector for batch in _batches(readable, self._request_size) for vector in self._passages(batch)]

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question; of a long one only the beginning and the end count.

        Raises:
            EmbedderUnavailable: no endpoint answers.
            EmbeddingRefused: the answer is a refusal or of another size.
        """
        question = [_shortened(_readable(text))]
        return self._ask(question, self._query_pace, is_query=True)[0]

    def _passages(self, batch: Sequence[str]) -> list[Vector]:
        return self._ask(batch, self._passage_pace, is_query=False)

    def _ask(self, texts: Sequence[str], pace: Pace, *, is_query: bool) -> list[Vector]:
        def request(member: Member, seconds: float) -> list[Any]:
            endpoint = member.endpoint
            model = (endpoint.query_model if is_query else "") or endpoint.model
            return _request(member, model, texts, seconds)

        try:
            items = self._pool.ask(request, pace)
        except RequestRefused as refusal:
            raise EmbeddingRefused(f"the embedding endpoint {refusal}") from None
        except PoolExhausted as exhausted:
            raise EmbedderUnavailable("no embedding endpoint answers", retry_after=exhausted.retry_after) from None
        return _vectors(items, len(texts), self._config.dimensions)


class OpenAIEmbedders:
    """The embedders of a deployment: endpoints with the same model and dimensions share one."""

    def __init__(
        self,
        endpoints: Sequence[Endpoint],
        *,
        breaker_store: CircuitBreakerPersistenceLayer | None = None,
    ) -> None:
        groups: dict[EmbeddingConfig, list[Endpoint]] = defaultdict(list)
        for endpoint in endpoints:
            groups[EmbeddingConfig(endpoint.model, endpoint.dimensions)].append(endpoint)
        self._embedders = {
            config: OpenAIEmbedder(
                group,
                request_size=min(endpoint.request_size for endpoint in group),
                breaker_store=breaker_store,
            )
            for config, group in groups.items()
        }

    def of(self, embedding: EmbeddingConfig) -> Embedder:
        """Return the embedder of a model.

        Raises:
            NotConfigured: no endpoint of the deployment offers the model with these dimensions.
        """
        embedder = self._embedders.get(embedding)
        if embedder is None:
            purpose = f"the embedding model {embedding.model} with {embedding.dimensions} dimensions"
            raise NotConfigured("KB_EMBEDDING_ENDPOINTS", purpose)
        return embedder


def _request(member: Member, model: str, texts: Sequence[str], seconds: float) -> list[Any]:
    """Ask for vectors in base64, which is a third of their size in JSON; some servers give numbers all the same."""
    parameters: dict[str, Any] = {}
    if model.startswith("text-embedding-3"):  # the only models that take it; others refuse the request
        parameters["dimensions"] = member.endpoint.dimensions
    response = member.client.embeddings.create(
        model=model, input=list(texts), encoding_format="base64", timeout=timeout(seconds), **parameters
    )
    return list(response.data)


def _vectors(items: Sequence[Any], count: int, dimensions: int) -> list[Vector]:
    """Put the vectors in the order of the texts, which need not be that of the reply."""
    by_index = {item.index: item.embedding for item in items}
    if len(items) != count or set(by_index) != set(range(count)):
        raise EmbeddingRefused("the embedding endpoint did not return one vector for each text")
    return [_vector(by_index[index], dimensions) for index in range(count)]


def _vector(embedding: object, dimensions: int) -> Vector:
    vector = _numbers(embedding)
    if len(vector) != dimensions:
        raise EmbeddingRefused(f"the embedding endpoint returned {len(vector)} dimensions, not {dimensions}")
    if not any(vector) or not all(map(math.isfinite, vector)):
        raise EmbeddingRefused("the embedding endpoint returned a vector without direction")
    return vector


def _numbers(embedding: object) -> list[float]:
    try:
        if isinstance(embedding, str):
            return array("f", base64.b64decode(embedding, validate=True)).tolist()
        return array("d", embedding).tolist()  # type: ignore[call-overload, no-any-return]
    except (TypeError, ValueError, binascii.Error):
        raise EmbeddingRefused("the embedding endpoint returned something that is no vector") from None


def _readable(text: str) -> str:
    return text.translate(_UNREADABLE)


def _shortened(question: str) -> str:
    if len(question) <= QUESTION_HEAD + QUESTION_TAIL:
        return question
    return f"{question[:QUESTION_HEAD]} … {question[-QUESTION_TAIL:]}"


def _batches(texts: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (texts[start : start + size] for start in range(0, len(texts), size))
