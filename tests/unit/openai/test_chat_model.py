"""The chat model against endpoints that stream well and endpoints that do not."""

from __future__ import annotations

import threading
import time
from collections import Counter

import pytest

from knowledge_base.adapters.openai.chat_model import OpenAIChatModel
from knowledge_base.adapters.openai.endpoint_pool import Pace
from knowledge_base.domain.errors import ChatUnavailable
from knowledge_base.domain.traces import Usage
from knowledge_base.ports.models import ChatMessage
from tests.scripted_openai import (
    REPLY,
    Exchange,
    ScriptedOpenAI,
    break_off,
    event,
    fail,
    give,
    hang,
    hang_up,
    stall,
    write,
)
from tests.unit.openai.endpoints import KEY, PACE, a_chat_model, an_endpoint, ask


def a_pair(first: ScriptedOpenAI, second: ScriptedOpenAI, pace: Pace = PACE) -> OpenAIChatModel:
    """A model whose first endpoint is always asked first."""
    return OpenAIChatModel([an_endpoint(first), an_endpoint(second, weight=0)], first_piece=pace, gap=0.5)


def test_pieces_come_as_they_are_written(server: ScriptedOpenAI) -> None:
    go_on = threading.Event()

    def act(exchange: Exchange) -> None:
        exchange.begin_stream()
        exchange.say("one")
        go_on.wait(5)
        exchange.say(" two")
        exchange.finish()

    server.will(act)
    pieces = a_chat_model(server, gap=5).stream([ChatMessage("user", "?")], max_tokens=5, temperature=0)

    assert next(pieces) == "one"
    go_on.set()
    assert list(pieces) == [" two"]


def test_the_request_says_what_was_asked(server: ScriptedOpenAI) -> None:
    messages = [ChatMessage("user", "What is this?", images=("data:image/png;base64,AAAA",))]

    list(a_chat_model(server).stream(messages, max_tokens=77, temperature=0.3))

    [request] = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "test-model",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 77,
        "temperature": 0.3,
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "What is this?"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                ],
            }
        ],
    }


def test_an_endpoint_with_the_asked_model_is_preferred(server: ScriptedOpenAI, other: ScriptedOpenAI) -> None:
    model = OpenAIChatModel([an_endpoint(server, model="small", weight=100), an_endpoint(other, model="large")])

    for _ in range(5):
        ask(model, model="large")

    assert [request.body["model"] for request in other.requests] == ["large"] * 5
    assert server.requests == []


def test_an_unknown_model_means_the_endpoints_own(server: ScriptedOpenAI) -> None:
    assert ask(a_chat_model(server), model="koala-mm") == list(REPLY)
    assert server.requests[0].body["model"] == "test-model"


def test_load_is_shared_by_weight(server: ScriptedOpenAI, other: ScriptedOpenAI) -> None:
    model = OpenAIChatModel([an_endpoint(server, weight=9), an_endpoint(other, weight=1)])

    for _ in range(60):
        ask(model)

    assert 40 <= len(server.requests) < 60
    assert Counter(len(s.requests) > 0 for s in (server, other)) == {True: 2}


BEFORE_THE_FIRST_PIECE = {
    "status 500": fail(500),
    "status 429": fail(429, Retry_After="30"),
    "status 401": fail(401),
    "silence": hang,
    "hang up": hang_up,
    "headers and silence": stall(),
    "keep-alives only": stall(keep_alive=0.05),
    "cut": break_off(),
    "cut after half an event": break_off(tail=b'data: {"choices": [{"delta": {"cont'),
    "no json": break_off(tail=b"data: {nonsense\n\n"),
    "no utf-8": break_off(tail=b'data: {"choices": [{"delta": {"content": "\xff\xfe"}}]}\n\n'),
    "strange json": break_off(tail=b"data: [1, 2]\n\n"),
    "an error event": break_off(tail=event({"error": {"message": "overloaded"}})),
    "a page of html": give(b"<html></html>", Content_Type="text/html"),
}


@pytest.mark.parametrize("case", BEFORE_THE_FIRST_PIECE)
def test_another_endpoint_takes_over_before_the_first_piece(
    server: ScriptedOpenAI, other: ScriptedOpenAI, case: str
) -> None:
    server.will(BEFORE_THE_FIRST_PIECE[case])

    assert ask(a_pair(server, other, Pace(limit=1.5, patience=15))) == list(REPLY)
    assert (len(server.requests), len(other.requests)) == (1, 1)


AFTER_THE_FIRST_PIECE = {
    "cut": break_off("begun"),
    "cut inside a character": break_off("begun", tail='data: {"choices": [{"delta": {"content": "水'.encode()[:-1]),
    "an event cut inside a character": break_off(
        "begun", tail=b'data: {"choices": [{"delta": {"content": "\xe6\xb0"}}]}\n\n'
    ),
    "no json": break_off("begun", tail=b"data: {nonsense\n\n"),
    "silence": stall("begun"),
    "keep-alives only": stall("begun", keep_alive=0.05),
    "an error event": break_off("begun", tail=event({"error": {"message": f"bad key {KEY}"}})),
}


@pytest.mark.parametrize("case", AFTER_THE_FIRST_PIECE)
def test_nobody_takes_over_after_the_first_piece(server: ScriptedOpenAI, other: ScriptedOpenAI, case: str) -> None:
    server.will(AFTER_THE_FIRST_PIECE[case])
    pieces = a_pair(server, other).stream([ChatMessage("user", "?")], max_tokens=5, temperature=0)

    assert next(pieces) == "begun"
    before = time.monotonic()
    with pytest.raises(ChatUnavailable) as failure:
        list(pieces)

    assert time.monotonic() - before < 2
    assert other.requests == []
    assert KEY not in str(failure.value)


def test_a_reply_that_ends_without_done_but_with_a_reason_is_complete(server: ScriptedOpenAI) -> None:
    last = event({"choices": [{"delta": {}, "finish_reason": "length"}]})
    server.will(break_off("all", " there", tail=last))

    assert ask(a_chat_model(server)) == ["all", " there"]


def test_a_reply_that_ends_with_done_but_without_a_reason_is_complete(server: ScriptedOpenAI) -> None:
    server.will(break_off("all", " there", tail=b"data: [DONE]\r\n\r\n"))

    assert ask(a_chat_model(server)) == ["all", " there"]


def test_chunks_without_text_are_passed_over(server: ScriptedOpenAI) -> None:
    usage = event({"choices": [], "usage": {"total_tokens": 5}}) + event({"choices": None}) + b": comment\n\n"
    null = event({"choices": [{"delta": None}]}) + event({"choices": [{"delta": {"content": None}}]})
    done = event({"choices": [{"delta": {}, "finish_reason": "stop"}]}) + b"data: [DONE]\n\n"
    server.will(break_off("a", tail=usage + null + done))

    assert ask(a_chat_model(server)) == ["a"]


def test_an_empty_reply_is_no_reply(server: ScriptedOpenAI) -> None:
    server.will(write())

    with pytest.raises(ChatUnavailable, match="empty"):
        ask(a_chat_model(server))


def test_characters_cut_between_packets_arrive_whole(server: ScriptedOpenAI) -> None:
    def act(exchange: Exchange) -> None:
        exchange.begin_stream()
        for byte in event({"choices": [{"delta": {"content": "水泵 🚰\u2028x\u0085"}}]}):
            exchange.write(bytes([byte]))
        exchange.finish()

    server.will(act)

    assert ask(a_chat_model(server)) == ["水泵 🚰\u2028x\u0085"]


def test_a_character_cut_into_two_pieces_arrives_whole(server: ScriptedOpenAI) -> None:
    halves = rb'data: {"choices":[{"delta":{"content":"a\ud83d"}}]}' + b"\n\n"
    halves += rb'data: {"choices":[{"delta":{"content":"\udeb0b"}}]}' + b"\n\n"
    halves += rb'data: {"choices":[{"delta":{"content":"c\ud83d"}}]}' + b"\n\n"
    server.will(break_off(tail=halves + b"data: [DONE]\n\n"))

    assert ask(a_chat_model(server)) == ["a", "\U0001f6b0b", "c", "�"]


def test_a_model_that_thinks_first_is_waited_for(server: ScriptedOpenAI) -> None:
    def act(exchange: Exchange) -> None:
        exchange.begin_stream()
        for _ in range(6):
            time.sleep(0.15)
            exchange.say("", reasoning_content="hmm")
        exchange.say("42")
        exchange.finish()

    server.will(act)

    assert ask(a_chat_model(server, first_piece=Pace(limit=0.5, patience=2))) == ["42"]


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_refused_request_is_not_asked_again(server: ScriptedOpenAI, other: ScriptedOpenAI, status: int) -> None:
    server.will(fail(status))

    with pytest.raises(ChatUnavailable, match=f"status {status}"):
        ask(a_pair(server, other))

    assert (len(server.requests), len(other.requests)) == (1, 0)


def test_newer_models_get_the_parameters_that_they_know(server: ScriptedOpenAI) -> None:
    server.will(fail(400, code="unsupported_parameter", param="max_tokens"))
    server.will(fail(400, code="unsupported_value", param="temperature"))
    model = a_chat_model(server)

    assert ask(model) == list(REPLY)
    assert ask(model) == list(REPLY)

    for request in server.requests[2:]:
        assert request.body["max_completion_tokens"] == 50
        assert not {"max_tokens", "temperature"} & set(request.body)
    assert len(server.requests) == 4


def test_a_parameter_that_is_never_known_is_no_endless_loop(server: ScriptedOpenAI) -> None:
    server.will(*[fail(400, param="max_tokens")] * 5)

    with pytest.raises(ChatUnavailable):
        ask(a_chat_model(server))

    assert len(server.requests) == 2


def test_when_nobody_answers_it_says_when_to_come_back(server: ScriptedOpenAI, waits: list[float]) -> None:
    server.will(*[fail(429, Retry_After="60")] * 3)

    with pytest.raises(ChatUnavailable) as failure:
        ask(a_chat_model(server))

    assert failure.value.retry_after == pytest.approx(60, abs=1)


def test_a_reader_that_leaves_ends_the_request(server: ScriptedOpenAI) -> None:
    noticed = threading.Event()

    def act(exchange: Exchange) -> None:
        exchange.begin_stream()
        try:
            for _ in range(200):
                exchange.say("more ")
                time.sleep(0.02)
        except ConnectionError:
            noticed.set()

    server.will(act)
    pieces = a_chat_model(server).stream([ChatMessage("user", "?")], max_tokens=5, temperature=0)
    next(pieces)
    pieces.close()  # type: ignore[attr-defined]

    assert noticed.wait(3)


def _with_usage(exchange: Exchange) -> None:
    exchange.begin_stream()
    exchange.say("Hello")
    exchange.write(event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}))
    exchange.write(event({"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 3}}))
    exchange.write(b"data: [DONE]\n\n")


def test_tokens_are_told_when_the_reply_is_complete(server: ScriptedOpenAI) -> None:
    server.script.append(_with_usage)
    told: list[Usage] = []
    assert ask(a_chat_model(server), on_usage=told.append) == ["Hello"]
    assert told == [Usage("test-model", 12, 3)]
    assert server.requests[0].body["stream_options"] == {"include_usage": True}


def test_an_endpoint_that_counts_no_tokens_is_not_asked_twice(server: ScriptedOpenAI) -> None:
    def refuse(exchange: Exchange) -> None:
        error = {"message": "Unknown parameter: stream_options", "param": "stream_options"}
        exchange.reply(400, {"error": error})

    server.script.append(refuse)
    chat, told = a_chat_model(server), list[Usage]()
    assert "".join(ask(chat, on_usage=told.append)) == "".join(REPLY)
    assert "".join(ask(chat)) == "".join(REPLY)
    assert ["stream_options" in request.body for request in server.requests] == [True, False, False]
    assert told == []
