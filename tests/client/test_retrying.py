"""What is tried again, what is not, and what is told in the end."""

from __future__ import annotations

import copy
import logging
import traceback
from typing import Any

import httpx
import pytest

from knowledge_base_client import (
    AsyncKnowledgeBase,
    Busy,
    InvalidRequest,
    KnowledgeBase,
    KnowledgeBaseError,
    NotAuthenticated,
    NotPermitted,
    Patience,
    ServiceFailed,
    UnexpectedReply,
    Unreachable,
    WrongUse,
)
from tests.client.service import KEY, URL, Service, document, face, problem, reply

FOUND = reply(document())
STORED = reply({"document_id": "d1", "status": "pending"})
PASSING = [
    httpx.ConnectError("refused"),
    httpx.ReadError("reset"),
    httpx.ReadTimeout("slow"),
    httpx.RemoteProtocolError("cut"),
    reply({"message": "Bad gateway"}, 502),
    reply({"message": "Service Unavailable"}, 503),
    reply({"message": "Endpoint request timed out"}, 504),
    problem(429, "too_many_requests"),
]
UNTOUCHED = [
    httpx.ConnectError("refused"),
    httpx.ConnectTimeout("slow"),
    problem(429, "too_many_requests"),
    problem(503, "unavailable", retry_after="0"),
]


def again(fault: Any) -> Any:
    return copy.copy(fault) if isinstance(fault, Exception) else fault


@pytest.mark.parametrize("fault", PASSING, ids=repr)
def test_what_reads_is_asked_again_until_it_is_answered(kb: Any, service: Service, fault: Any) -> None:
    service.on("GET /documents/d1", again(fault), again(fault), FOUND)

    assert kb.get_document("d1").status == "ready"
    assert len(service.seen) == 3


@pytest.mark.parametrize("fault", UNTOUCHED, ids=repr)
def test_a_document_is_sent_again_where_surely_nothing_was_done(kb: Any, service: Service, fault: Any) -> None:
    service.on("POST /documents", again(fault), STORED)

    assert kb.add_document(b"text").document_id == "d1"


@pytest.mark.parametrize("fault", [fault for fault in PASSING[1:] if fault is not PASSING[-1]], ids=repr)
def test_a_document_that_may_have_been_stored_is_not_sent_again(kb: Any, service: Service, fault: Any) -> None:
    service.on("POST /documents", again(fault))

    with pytest.raises((Unreachable, ServiceFailed, Busy)):
        kb.add_document(b"text")
    assert len(service.seen) == 1


def test_a_change_is_repeated_unless_it_names_an_edition(kb: Any, service: Service) -> None:
    service.on("PUT /documents/d1", httpx.ReadError("reset"), STORED)
    kb.update_document("d1", metadata={"title": "New"})

    service.on("PUT /documents/d1", httpx.ReadError("reset"), STORED)
    with pytest.raises(Unreachable):
        kb.update_document("d1", metadata={"title": "New"}, edition='"1"')


def test_a_removal_that_was_carried_out_before_the_connection_broke_is_a_success(kb: Any, service: Service) -> None:
    service.on("DELETE /documents/d1", httpx.ReadError("reset"), problem(404, "document_not_found"))

    assert kb.delete_document("d1") is None


def test_a_missing_setting_is_told_at_once(kb: Any, service: Service) -> None:
    service.on("GET /search", problem(503, "not_configured", "search needs the setting X"))

    with pytest.raises(Busy, match="needs the setting X"):
        kb.search("x")
    assert len(service.seen) == 1


def test_tries_have_an_end_and_the_last_reply_is_told(kb: Any, service: Service) -> None:
    service.on("GET /search", problem(503, "unavailable", "come back", retry_after="0"))

    with pytest.raises(Busy, match="come back") as raised:
        kb.search("x")
    assert (raised.value.retry_after, len(service.seen)) == (0.0, 3)


def test_retry_after_is_heeded_up_to_a_bound() -> None:
    patience = Patience()

    def wait(after: str) -> float | None:
        return patience.wait_after_reply(1, problem(429, "busy", retry_after=after), repeatable=False)

    assert wait("7") == 7.0
    assert wait("Wed, 01 Jan 2020 00:00:00 GMT") == 0.0
    assert wait("121") is None
    assert 0.25 < (wait("soon") or 0) < 1


def test_waits_double_and_are_spread() -> None:
    waits = [Patience().wait(tried) for tried in range(1, 9)]

    for tried, wait in enumerate(waits):
        usual = min(20, 0.5 * 2**tried)
        assert 0.75 * usual <= wait <= 1.25 * usual
    assert len({Patience().wait(1) for _ in range(9)}) > 1


@pytest.mark.parametrize(
    ("answer", "kind", "told"),
    [
        (problem(400, "invalid_input", "limit: too much"), InvalidRequest, "limit: too much"),
        (reply({"error": {"code": "not_authenticated", "message": "unknown key"}}, 401), NotAuthenticated, "unknown"),
        (problem(403, "not_permitted"), NotPermitted, "no"),
        (httpx.Response(500, text="<html>"), ServiceFailed, "500 Internal Server Error without saying why"),
        (httpx.Response(302, headers={"location": "https://elsewhere"}), KnowledgeBaseError, "moved to https://else"),
        (httpx.Response(200, text="<html>"), UnexpectedReply, "document_id"),
        (reply({"document_id": 7}), UnexpectedReply, "document_id"),
    ],
)
def test_an_error_is_told_by_its_kind_and_in_its_words(
    kb: Any, service: Service, answer: httpx.Response, kind: type[Exception], told: str
) -> None:
    service.on("GET /documents/d1", answer)

    with pytest.raises(kind, match=told):
        kb.get_document("d1")
    assert len(service.seen) == 1


def test_the_service_that_is_not_ready_says_which_part(kb: Any, service: Service) -> None:
    service.on("GET /health/ready", reply({"status": "not_ready", "parts": {"queues": False}}, 503))

    assert kb.ready().parts == {"queues": False}


@pytest.mark.parametrize("fault", [httpx.ConnectError("refused"), problem(500, "internal"), reply({})], ids=repr)
def test_the_key_is_in_no_repr_no_log_and_no_error(
    kb: Any, service: Service, fault: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    service.on("GET /documents/d1", again(fault))

    with pytest.raises(KnowledgeBaseError) as raised:
        kb.get_document("d1")

    whole = traceback.TracebackException.from_exception(raised.value, capture_locals=True)
    told = "".join((repr(kb), caplog.text, repr(raised.value), str(raised.value), *whole.format()))
    assert KEY not in told
    assert URL in repr(kb)


@pytest.mark.parametrize("client", [KnowledgeBase, AsyncKnowledgeBase])
@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://kb.example.org", None),
        ("https://ann:hunter2@kb.example.org", KEY),
        ("ftp://kb.example.org", KEY),
        ("https://kb.example.org/?key=hunter2", KEY),
        ("https://kb.example.org", f"{KEY}\nX-Other: 1"),
        ("https://kb.example.org", f"{KEY}é"),
        ("http://[::1", KEY),
    ],
)
def test_an_address_or_a_key_that_cannot_be_is_refused_without_telling_it(
    client: type[Any], url: str, key: str | None
) -> None:
    with pytest.raises(WrongUse) as raised:
        client(url, key)
    assert KEY not in str(raised.value)
    assert "hunter2" not in str(raised.value)


def test_the_local_key_goes_to_this_machine_alone() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return FOUND

    KnowledgeBase(transport=httpx.MockTransport(answer)).get_document("d1")

    assert (seen[0].url.host, seen[0].headers["authorization"]) == ("127.0.0.1", "Bearer local-dev-key")


def test_who_waits_is_not_asked_again_too_soon(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("knowledge_base_client.blocking.time.sleep", waits.append)
    service.on("GET /documents/d1", problem(429, "busy", retry_after="9"), FOUND)

    face("blocking", service, Patience()).get_document("d1")

    assert waits == [9.0]
