"""The embedder against endpoints that work and endpoints that do not."""

from __future__ import annotations

import json
import math
import traceback
from typing import Any

import pytest

from knowledge_base.adapters.openai.embedder import OpenAIEmbedder, OpenAIEmbedders
from knowledge_base.adapters.openai.endpoint_pool import Pace
from knowledge_base.domain.errors import EmbedderUnavailable, EmbeddingRefused, NotConfigured
from knowledge_base.domain.knowledge_bases import EmbeddingConfig
from tests.scripted_openai import DIMENSIONS, Act, ScriptedOpenAI, embed, fail, give, hang, hang_up, vector_of
from tests.unit.openai.endpoints import KEY, PACE, an_embedder, an_endpoint

TEXTS = [f"passage {number}" for number in range(150)]


def test_passages_come_back_in_order_in_requests_of_at_most_64(server: ScriptedOpenAI) -> None:
    vectors = an_embedder(server).embed_passages(TEXTS)

    assert vectors == [vector_of(text) for text in TEXTS]
    assert [len(texts) for texts in server.inputs()] == [64, 64, 22]


def test_a_smaller_request_size_is_kept(server: ScriptedOpenAI) -> None:
    an_embedder(server, request_size=4).embed_passages(TEXTS[:10])

    assert [len(texts) for texts in server.inputs()] == [4, 4, 2]


def test_no_passages_need_no_request(server: ScriptedOpenAI) -> None:
    assert an_embedder(server).embed_passages([]) == []
    assert server.requests == []


def test_queries_and_passages_name_their_own_models(server: ScriptedOpenAI) -> None:
    embedder = OpenAIEmbedder([an_endpoint(server, model="e5-passage", query_model="e5-query")])

    embedder.embed_passages(["a"])
    embedder.embed_query("b")

    assert [request.body["model"] for request in server.requests] == ["e5-passage", "e5-query"]
    assert embedder.config == EmbeddingConfig("e5-passage", DIMENSIONS)


@pytest.mark.parametrize(("model", "sent"), [("text-embedding-3-small", DIMENSIONS), ("bge-m3", None)])
def test_dimensions_are_sent_only_to_models_that_take_them(
    server: ScriptedOpenAI, model: str, sent: int | None
) -> None:
    OpenAIEmbedder([an_endpoint(server, model=model)]).embed_query("a")

    assert server.requests[0].body.get("dimensions") == sent


def test_a_key_is_sent_without_the_newline_of_a_secret_store(server: ScriptedOpenAI) -> None:
    OpenAIEmbedder([an_endpoint(server, api_key=f"{KEY}\n")]).embed_query("a")

    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_an_endpoint_without_a_key_is_asked_all_the_same(server: ScriptedOpenAI) -> None:
    assert OpenAIEmbedder([an_endpoint(server, api_key="")]).embed_query("a") == vector_of("a")


def test_a_reply_in_another_order_is_put_in_order(server: ScriptedOpenAI) -> None:
    server.will(embed(order=lambda items: items[::-1]))

    assert an_embedder(server).embed_passages(TEXTS[:9]) == [vector_of(text) for text in TEXTS[:9]]


def test_a_server_that_answers_in_numbers_is_understood(server: ScriptedOpenAI) -> None:
    server.will(embed(as_numbers=True))

    assert an_embedder(server).embed_query("a") == vector_of("a")


def _with(position: int, **changes: Any) -> Act:
    return embed(as_numbers=True, order=lambda items: [*items[:position], items[position] | changes])


UNUSABLE = {
    "short": embed(order=lambda items: items[:-1]),
    "empty": embed(order=lambda items: []),
    "long": embed(order=lambda items: [*items, items[0] | {"index": len(items)}]),
    "same index twice": embed(order=lambda items: [item | {"index": 0} for item in items]),
    "no index": embed(order=lambda items: [{"embedding": item["embedding"]} for item in items]),
    "other dimensions": embed(dimensions=DIMENSIONS + 1),
    "not a number": _with(1, embedding=[math.nan] * DIMENSIONS),
    "infinite": _with(1, embedding=[math.inf] * DIMENSIONS),
    "all zero": _with(1, embedding=[0.0] * DIMENSIONS),
    "words": _with(1, embedding=["a", "b", "c", "d"]),
    "no base64": _with(1, embedding="*not base64*"),
    "half a number": _with(1, embedding="AAA="),
    "nothing": _with(1, embedding=None),
}


@pytest.mark.parametrize("case", UNUSABLE)
def test_unusable_vectors_are_refused_and_not_asked_for_again(server: ScriptedOpenAI, case: str) -> None:
    server.will(UNUSABLE[case])

    with pytest.raises(EmbeddingRefused):
        an_embedder(server).embed_passages(["a", "b"])

    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_refused_request_is_refused_for_good(server: ScriptedOpenAI, other: ScriptedOpenAI, status: int) -> None:
    server.will(fail(status))
    other.will(fail(status))

    with pytest.raises(EmbeddingRefused, match=f"status {status}"):
        an_embedder(server, other).embed_query("a")

    assert len(server.requests) + len(other.requests) == 1


@pytest.mark.parametrize("status", [401, 403, 404])
def test_an_endpoint_that_does_not_let_us_in_is_passed_over(
    server: ScriptedOpenAI, other: ScriptedOpenAI, status: int, waits: list[float]
) -> None:
    embedder = OpenAIEmbedder([an_endpoint(server, weight=1), an_endpoint(other, weight=0)])
    server.will(fail(status))

    assert embedder.embed_query("a") == vector_of("a")
    assert (len(server.requests), len(other.requests), waits) == (1, 1, [])


def test_a_request_that_nobody_lets_in_is_refused(server: ScriptedOpenAI, other: ScriptedOpenAI) -> None:
    server.will(fail(401))
    other.will(fail(404))

    with pytest.raises(EmbeddingRefused, match="status 40"):
        an_embedder(server, other).embed_query("a")


FAILURES = {
    "status 500": fail(500),
    "status 503": fail(503),
    "status 408": fail(408),
    "status 409": fail(409),
    "no json": give(b"{'not json"),
    "html": give(b"<html>proxy</html>", Content_Type="text/html"),
    "other json": give(json.dumps({"hello": 1}).encode()),
    "closed": hang_up,
    "cut in the middle": give(b'{"data": [', Content_Length="5000"),
}


@pytest.mark.parametrize("case", FAILURES)
def test_another_endpoint_answers_for_one_that_fails(
    server: ScriptedOpenAI, other: ScriptedOpenAI, case: str, waits: list[float]
) -> None:
    embedder = OpenAIEmbedder([an_endpoint(server), an_endpoint(other, weight=0)], query_pace=PACE)
    server.will(FAILURES[case])

    assert embedder.embed_query("a") == vector_of("a")
    assert waits == []


@pytest.mark.parametrize("case", FAILURES)
def test_a_single_endpoint_is_asked_again_after_a_pause(server: ScriptedOpenAI, case: str, waits: list[float]) -> None:
    server.will(FAILURES[case])

    assert an_embedder(server).embed_query("a") == vector_of("a")
    assert waits == [0.2]


def test_an_endpoint_that_hangs_is_left_after_its_limit(server: ScriptedOpenAI, other: ScriptedOpenAI) -> None:
    pace = Pace(limit=0.3, patience=10)
    embedder = OpenAIEmbedder([an_endpoint(server), an_endpoint(other, weight=0)], query_pace=pace)
    server.will(hang)

    assert embedder.embed_query("a") == vector_of("a")


def test_when_nobody_answers_it_is_unavailable_after_three_tries(server: ScriptedOpenAI, waits: list[float]) -> None:
    server.will(fail(500), fail(500), fail(500))

    with pytest.raises(EmbedderUnavailable) as failure:
        an_embedder(server).embed_query("a")

    assert failure.value.retry_after is not None
    assert (len(server.requests), waits) == (3, [0.2, 0.4])


def test_a_429_is_waited_for_as_long_as_it_asks(server: ScriptedOpenAI, waits: list[float]) -> None:
    server.will(fail(429, Retry_After="7"))

    assert an_embedder(server).embed_query("a") == vector_of("a")
    assert waits == [pytest.approx(7, abs=0.5)]


def test_a_429_without_a_time_is_waited_for_a_second(server: ScriptedOpenAI, waits: list[float]) -> None:
    server.will(fail(429))

    an_embedder(server).embed_query("a")

    assert waits == [pytest.approx(1, abs=0.2)]


def test_a_429_that_asks_for_more_than_the_time_left_is_passed_on(server: ScriptedOpenAI, waits: list[float]) -> None:
    server.will(fail(429, Retry_After="120"))

    with pytest.raises(EmbedderUnavailable) as failure:
        an_embedder(server).embed_query("a")

    assert failure.value.retry_after == pytest.approx(120, abs=1)
    assert (len(server.requests), waits) == (1, [])


def test_a_busy_endpoint_is_left_alone_while_another_works(
    server: ScriptedOpenAI, other: ScriptedOpenAI, waits: list[float]
) -> None:
    embedder = OpenAIEmbedder([an_endpoint(server), an_endpoint(other, weight=0)], query_pace=PACE)
    server.will(fail(429, Retry_After="20"))

    for _ in range(5):
        embedder.embed_query("a")

    assert (len(server.requests), len(other.requests), waits) == (1, 5, [])


def test_a_429_does_not_count_as_a_failure_of_the_endpoint(server: ScriptedOpenAI, waits: list[float]) -> None:
    embedder = an_embedder(server)
    server.will(*[fail(429, Retry_After="0")] * 6)

    for _ in range(2):
        with pytest.raises(EmbedderUnavailable):
            embedder.embed_query("a")

    assert embedder.embed_query("a") == vector_of("a")


def test_an_endpoint_nobody_listens_at_is_unavailable(waits: list[float]) -> None:
    from knowledge_base.settings import Endpoint

    embedder = OpenAIEmbedder([Endpoint("http://127.0.0.1:9/v1", "m", dimensions=4)])

    with pytest.raises(EmbedderUnavailable):
        embedder.embed_query("a")


@pytest.mark.parametrize("act", [fail(401, message=f"Incorrect API key: {KEY}"), fail(400, message=KEY)])
def test_an_error_carries_neither_key_nor_body(
    server: ScriptedOpenAI, act: Act, caplog: pytest.LogCaptureFixture
) -> None:
    question = " ".join(["a", "secret", "question"])
    server.will(act)

    with pytest.raises(EmbeddingRefused) as failure:
        an_embedder(server).embed_query(question)

    shown = "".join(traceback.format_exception(failure.value)) + str(failure.value.__context__) + caplog.text
    assert KEY not in shown
    assert question not in shown


def test_characters_no_request_can_carry_are_replaced(server: ScriptedOpenAI) -> None:
    an_embedder(server).embed_passages(["half \ud83d of one", "before\x00after"])

    assert server.inputs() == [["half � of one", "before after"]]


def test_a_long_question_is_embedded_by_its_beginning_and_end(server: ScriptedOpenAI) -> None:
    an_embedder(server).embed_query("begin " + "x" * 100_000 + " end?")

    [[sent]] = server.inputs()
    assert sent.startswith("begin ")
    assert sent.endswith(" end?")
    assert len(sent) < 2100


def test_a_proxy_is_not_asked_for_this_machine(server: ScriptedOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("no_proxy", "")

    assert an_embedder(server).embed_query("a") == vector_of("a")


def test_each_model_has_its_own_embedder(server: ScriptedOpenAI, other: ScriptedOpenAI) -> None:
    embedders = OpenAIEmbedders([an_endpoint(server, model="one"), an_endpoint(other, model="two")])

    embedders.of(EmbeddingConfig("two", DIMENSIONS)).embed_query("a")

    assert (len(server.requests), len(other.requests)) == (0, 1)


@pytest.mark.parametrize("wanted", [EmbeddingConfig("three", DIMENSIONS), EmbeddingConfig("one", 999)])
def test_a_model_nobody_offers_is_not_configured(server: ScriptedOpenAI, wanted: EmbeddingConfig) -> None:
    with pytest.raises(NotConfigured, match="KB_EMBEDDING_ENDPOINTS"):
        OpenAIEmbedders([an_endpoint(server, model="one")]).of(wanted)
