"""The reranker against endpoints that score well and endpoints that do not."""

from __future__ import annotations

import math
from typing import Any

import pytest

from knowledge_base.adapters.openai.endpoint_pool import Pace
from knowledge_base.adapters.openai.reranker import EndpointReranker
from knowledge_base.domain.errors import RerankerUnavailable
from tests.scripted_openai import Act, Exchange, ScriptedOpenAI, fail, hang
from tests.unit.openai.endpoints import KEY, an_endpoint

PASSAGES = ["first", "泵 \ud800 second", "third"]


def scores(*results: dict[str, Any]) -> Act:
    return lambda exchange: exchange.reply(200, {"results": list(results)})


def result(index: object, score: object) -> dict[str, Any]:
    return {"index": index, "relevance_score": score}


def a_reranker(*servers: ScriptedOpenAI) -> EndpointReranker:
    endpoints = [an_endpoint(server, model="reranker", weight=int(not place)) for place, server in enumerate(servers)]
    return EndpointReranker(endpoints, pace=Pace(limit=1.5, patience=6.0))


def test_scores_come_in_the_order_of_the_passages(server: ScriptedOpenAI) -> None:
    server.script.append(scores(result(2, 0.9), result(0, 0.5), result(1, 0.1)))
    assert a_reranker(server).score("which?", PASSAGES) == [0.5, 0.1, 0.9]
    (request,) = server.requests
    assert request.path == "/v1/rerank"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "reranker",
        "query": "which?",
        "documents": ["first", "泵 \ufffd second", "third"],
        "top_n": 3,
        "return_documents": False,
    }


def test_logits_are_brought_between_nought_and_one_in_the_same_order(server: ScriptedOpenAI) -> None:
    server.script.append(scores(result(0, -4.0), result(1, 0.0), result(2, 900.0)))
    first, second, third = a_reranker(server).score("which?", PASSAGES)
    assert first == pytest.approx(1 / (1 + math.exp(4)))
    assert second == 0.5
    assert third == pytest.approx(1.0)


def _no_json(exchange: Exchange) -> None:
    exchange.reply(200, b"<html>")


USELESS: dict[str, Act] = {
    "none": scores(),
    "too few": scores(result(0, 0.5)),
    "twice the same": scores(result(0, 0.5), result(0, 0.6), result(1, 0.1)),
    "out of range": scores(result(0, 0.5), result(1, 0.6), result(3, 0.1)),
    "no number": scores(result(0, 0.5), result(1, "high"), result(2, 0.1)),
    "not finite": scores(result(0, 0.5), result(1, "nan"), result(2, 0.1)),
    "no list": lambda exchange: exchange.reply(200, {"error": "busy"}),
    "no JSON": _no_json,
    "failure": fail(500),
    "silence": hang,
}


@pytest.mark.parametrize("case", USELESS)
def test_another_endpoint_takes_over_when_scores_are_useless(
    server: ScriptedOpenAI, other: ScriptedOpenAI, case: str
) -> None:
    server.script.append(USELESS[case])
    other.script.append(scores(*(result(place, 0.5) for place in range(3))))
    assert a_reranker(server, other).score("which?", PASSAGES) == [0.5, 0.5, 0.5]


def test_when_nobody_answers_it_says_so(server: ScriptedOpenAI) -> None:
    server.script.extend([fail(500)] * 5)
    with pytest.raises(RerankerUnavailable) as caught:
        a_reranker(server).score("which?", PASSAGES)
    assert KEY not in str(caught.value)
    assert server.base_url not in str(caught.value)
