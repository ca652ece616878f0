"""A reranker over endpoints that speak the usual `/rerank` wire (Cohere, Jina, vLLM, TEI and others)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from knowledge_base.adapters.openai.endpoint_errors import EndpointDown, RequestRefused
from knowledge_base.adapters.openai.endpoint_pool import EndpointPool, Pace, PoolExhausted
from knowledge_base.adapters.openai.pool_member import LONE_SURROGATES, Member, timeout
from knowledge_base.domain.errors import RerankerUnavailable
from knowledge_base.settings import Endpoint

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.circuit_breaker.persistence.base import CircuitBreakerPersistenceLayer

PACE = Pace(limit=5.0, patience=8.0)
"""An answer waits for it, so it may not take long: without it the order is that of the search."""


class EndpointReranker:
    """Scores passages with the models of any number of endpoints."""

    def __init__(
        self,
        endpoints: Sequence[Endpoint],
        *,
        pace: Pace = PACE,
        breaker_store: CircuitBreakerPersistenceLayer | None = None,
    ) -> None:
        self._pool = EndpointPool(endpoints, purpose="rerank", breaker_store=breaker_store)
        self._pace = pace

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return how well each passage answers the question, in [0, 1], in the passages' order.

        Raises:
            RerankerUnavailable: no endpoint answers, or with scores that are none.
        """
        clean = [passage.translate(LONE_SURROGATES) for passage in passages]
        try:
            return self._pool.ask(
                lambda member, seconds: _ask(member, question.translate(LONE_SURROGATES), clean, seconds), self._pace
            )
        except PoolExhausted as error:
            retry_after: float | None = error.retry_after
        except RequestRefused:
            retry_after = None
        raise RerankerUnavailable("no reranking endpoint answers", retry_after=retry_after)


def _ask(member: Member, question: str, passages: list[str], seconds: float) -> list[float]:
    body = {
        "model": member.endpoint.model,
        "query": question,
        "documents": passages,
        "top_n": len(passages),
        "return_documents": False,
    }
    reply: object = member.client.post("/rerank", body=body, cast_to=object, options={"timeout": timeout(seconds)})
    return _scores(reply, len(passages))


def _scores(reply: object, count: int) -> list[float]:
    """Return the scores in the order of the passages; models that give logits are brought into [0, 1]."""
    results: list[dict[str, Any]] = (reply.get("results") if isinstance(reply, dict) else None) or []
    try:
        found = {int(item["index"]): float(item["relevance_score"]) for item in results}
    except (KeyError, TypeError, ValueError):
        found = {}
    if found.keys() != set(range(count)) or not all(map(math.isfinite, found.values())):
        raise EndpointDown("gave no usable scores")
    scores = [found[place] for place in range(count)]
    return scores if all(0 <= score <= 1 for score in scores) else [_logistic(score) for score in scores]


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-max(-700.0, min(700.0, value))))
