"""Searches, answers, and answers as they are written."""

from __future__ import annotations

import inspect
from contextlib import aclosing
from typing import Any

import anyio
import httpx
import pytest

from knowledge_base_client import (
    AnswerFailed,
    AnswerFinished,
    AnswerStarted,
    AsyncKnowledgeBase,
    Filters,
    KnowledgeBase,
    QuestionAccepted,
    SourceFound,
    StepReached,
    StreamBroken,
    TextDelta,
    Turn,
    UnexpectedReply,
)
from tests.client.service import Service, frame, problem, reply, stream

METADATA = {"title": "Leave", "format": "text", "tags": [], "source": "", "created_at": "2030-01-01T00:00:00Z"}
SCORES = {"relevance_score": 0.9, "similarity": None}
RESULT = {"document_id": "d1", "chunk_index": 3, "chunk_content": "30 days", "start": 0, "end": 7, "page": 2, **SCORES}
FOUND = {
    "results": [{**RESULT, "metadata": METADATA}],
    "total_results": 1,
    "query_time_ms": 4,
    "degraded": ["embedding"],
}
PLACE = {"index": 1, "document_id": "d1", "page": 2, "start": 0, "end": 7, "quote": "30 days", "score": 0.9}
SOURCE = {**PLACE, "similarity": 0.8, "version": 1, "chunk_index": 3, "title": "Leave"}
LOGGED = {**PLACE, "similarity": 0.8, "name": "Leave", "url": "", "md5": "", "chunk_id": "d1:1:3", "ordinal": 1}
WHOLE = (
    frame("step", "1.0", step="searching"),
    frame("started", "3.0"),
    frame("delta", "3.1", text="30 "),
    frame("delta", "3.2", text="天 [1]"),
    frame("source", "3.3", reference=SOURCE),
    frame("finished", "9.0", degraded=[], evidence=True),
)


def test_a_search_says_what_it_asks_and_reads_what_is_found(kb: Any, service: Service) -> None:
    service.on("GET /search", reply(FOUND))

    found = kb.search("leave & pay", limit=3, filters=Filters(any_tags=["a"]), mode="keyword", explain=True)

    assert (found.results[0].chunk_content, found.degraded) == ("30 days", ["embedding"])
    asked = {"query": "leave & pay", "limit": "3", "mode": "keyword", "explain": "true", "any_tags": "a"}
    assert dict(service.seen[0].url.params) == asked


def test_a_text_finds_what_is_like_it_and_may_be_sent_again(kb: Any, service: Service) -> None:
    service.on("POST /search/similar", httpx.ReadError("reset"), reply(FOUND))

    kb.search_similar("x" * 3000, filters=Filters(format="text"), min_score=0.5)

    assert service.body()["filters"]["format"] == "text"
    assert service.body()["min_score"] == 0.5


def test_a_vote_and_related_documents(kb: Any, service: Service) -> None:
    service.on("POST /search/feedback", httpx.Response(204))
    near = {"document_id": "d2", "title": "Pay", "score": 0.7, "similarity": 0.5, "shared": ["HR"]}
    service.on("GET /documents/d1/related", reply({"related": [{**near, "metadata": METADATA}]}))

    assert kb.rate_result("leave", "d1", 3, "up") is None
    assert [each.shared for each in kb.related_documents("d1", limit=2)] == [["HR"]]


def test_an_answer_comes_with_its_sources(kb: Any, service: Service) -> None:
    service.on("POST /answer", reply({"token": "t1", "answer": "30 [1]", "references": [SOURCE], "degraded": []}))

    answer = kb.ask("How long?", filters=Filters(tags=["hr"]), history=[Turn(role="user", content="Hello")])

    assert answer.references[0].quote == "30 days"
    assert service.body()["question"] == "How long?"
    assert service.body()["filters"]["tags"] == ["hr"]
    assert service.body()["history"] == [{"role": "user", "content": "Hello"}]


def test_a_question_is_not_asked_twice(kb: Any, service: Service) -> None:
    service.on("POST /answer", httpx.ReadError("reset"))

    with pytest.raises(Exception, match="reset"):
        kb.ask("How long?")
    assert len(service.seen) == 1


def test_an_answer_is_streamed_as_it_is_written(kb: Any, service: Service) -> None:
    service.on("POST /answer", stream(*WHOLE))

    first, *events = kb.stream_answer("How long?")

    assert first == QuestionAccepted("t1")
    assert [type(each) for each in events] == [
        StepReached,
        AnswerStarted,
        TextDelta,
        TextDelta,
        SourceFound,
        AnswerFinished,
    ]
    assert "".join(each.text for each in events if isinstance(each, TextDelta)) == "30 天 [1]"
    assert service.body()["stream"] is True


@pytest.mark.parametrize("at", range(len(WHOLE)))
def test_a_stream_that_breaks_anywhere_comes_whole_all_the_same(kb: Any, service: Service, at: int) -> None:
    service.on("POST /answer", stream(*WHOLE[:at], httpx.ReadError("cut")))
    service.on("GET /answers/t1/events", stream(*WHOLE[at:]))

    events = list(kb.stream_answer("How long?"))[1:]

    assert [type(each).__name__ for each in events].count("TextDelta") == 2
    assert isinstance(events[-1], AnswerFinished)
    after = WHOLE[at - 1].decode().partition("\n")[0].removeprefix("id: ") if at else None
    assert service.seen[-1].headers.get("last-event-id") == after


def test_a_stream_that_ends_without_a_word_is_taken_up(kb: Any, service: Service) -> None:
    logged = frame("source", "3.3", reference=LOGGED)
    service.on("POST /answer", stream(*WHOLE[:4]))
    service.on("GET /answers/t1/events", stream(logged, WHOLE[-1]))

    sources = [each.source for each in kb.stream_answer("How long?") if isinstance(each, SourceFound)]

    assert [(each.title, each.version, each.chunk_index) for each in sources] == [("Leave", 1, 3)]


def test_a_stream_that_never_comes_back_is_told_with_its_token(kb: Any, service: Service) -> None:
    service.on("POST /answer", stream(*WHOLE[:2]))
    service.on("GET /answers/t1/events", stream(httpx.ReadError("cut")))

    with pytest.raises(StreamBroken) as raised:
        list(kb.stream_answer("How long?"))
    assert raised.value.token == "t1"


def test_an_answer_that_fails_says_why(kb: Any, service: Service) -> None:
    service.on("POST /answer", stream(WHOLE[0], frame("failed", "9.0", code="unavailable", message="no model")))

    with pytest.raises(AnswerFailed, match="no model") as raised:
        list(kb.stream_answer("How long?"))
    assert (raised.value.token, raised.value.code) == ("t1", "unavailable")


def test_a_refused_question_is_an_error_and_no_stream(kb: Any, service: Service) -> None:
    service.on("POST /answer", problem(400, "invalid_input", "question: too long"))

    with pytest.raises(Exception, match="too long"):
        list(kb.stream_answer("How long?"))


def test_an_event_of_a_newer_service_is_passed_over(kb: Any, service: Service) -> None:
    service.on("POST /answer", stream(frame("thought", "2.0", text="hm"), WHOLE[-1]))

    assert [type(each) for each in kb.stream_answer("?")] == [QuestionAccepted, AnswerFinished]


def test_an_event_that_cannot_be_read_is_told(kb: Any, service: Service) -> None:
    service.on("POST /answer", stream(b"event: delta\ndata: {\n\n"))

    with pytest.raises(UnexpectedReply, match="delta"):
        list(kb.stream_answer("?"))


def test_leaving_a_stream_early_closes_it(service: Service) -> None:
    opened = stream(*WHOLE)
    service.on("POST /answer", lambda _: opened)
    with KnowledgeBase("https://kb.example.org/v1", "k", transport=httpx.MockTransport(service)) as kb:
        events = kb.stream_answer("?")
        next(events)
        events.close()
    assert opened.is_closed


def test_leaving_an_awaited_stream_early_closes_it(service: Service) -> None:
    opened = stream(*WHOLE)
    service.on("POST /answer", lambda _: opened)

    async def leave() -> None:
        async with (
            AsyncKnowledgeBase("https://kb.example.org/v1", "k", transport=httpx.MockTransport(service)) as kb,
            aclosing(kb.stream_answer("?")) as events,
        ):
            await anext(events)

    anyio.run(leave)
    assert opened.is_closed


def test_both_faces_have_the_same_methods_with_the_same_parameters() -> None:
    def methods(face: type[Any]) -> dict[str, inspect.Signature]:
        return {name: inspect.signature(made) for name, made in vars(face).items() if not name.startswith("_")}

    assert methods(KnowledgeBase).keys() == methods(AsyncKnowledgeBase).keys()
    for name, signature in methods(KnowledgeBase).items():
        other = methods(AsyncKnowledgeBase)[name]
        assert list(signature.parameters) == list(other.parameters)
        assert vars(KnowledgeBase)[name].__doc__
