"""`kb ask`: the answer as it comes, its sources, and what happens when the stream breaks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.responses import JSONResponse

from knowledge_base_cli import asking
from knowledge_base_cli.retrying import Patience
from tests.cli.calling import Kb
from tests.cli.deployment import CUT, Deployment, error, uran_error

SOURCE = {
    "index": 1,
    "name": "手册.pdf",
    "url": "",
    "md5": "",
    "page": 2,
    "start": 10,
    "end": 38,
    "quote": "The heater needs\nfour hours.",
    "score": 0.9,
    "similarity": 0.8,
}
DONE = "data: [DONE]\n\n"
HEARTBEAT = ": heartbeat\n\n"


def uran(event_id: str, **delta: str) -> str:
    return f"id: {event_id}\ndata: {json.dumps({'choices': [{'delta': delta}]}, ensure_ascii=False)}\n\n"


def references(*sources: dict[str, Any], **more: Any) -> str:
    return f"data: {json.dumps({'choices': [{'delta': {}}], 'references': sources, **more})}\n\n"


def platform(kind: str, event_id: str, **data: Any) -> str:
    return f"id: {event_id}\nevent: {kind}\ndata: {json.dumps(data)}\n\n"


@pytest.fixture
def answering(deployment: Deployment) -> Deployment:
    deployment.frames = [
        uran("1.0", step="正在检索知识库"),
        HEARTBEAT,
        uran("3.0", step="正在组织解决方案"),
        uran("3.1", role="assistant"),
        uran("3.2", content="Four "),
        uran("3.3", content="hours. [1]"),
        references(SOURCE),
        DONE,
    ]
    return deployment


def test_the_answer_is_written_and_then_its_sources(kb: Kb, answering: Deployment) -> None:
    done = kb("ask", "How long does it take?", "--kb", "handbook")

    assert done.exit_code == 0
    assert done.out.splitlines() == [
        "Four hours. [1]",
        "",
        "Sources",
        "  1. 手册.pdf, page 2",
        "     “The heater needs four hours.”",
    ]


def test_the_question_is_asked_as_it_was_given(kb: Kb, answering: Deployment) -> None:
    kb("ask", "多久？", "--kb", "手册", "--top-k", "7", "--threshold", "0.25")

    asked = answering.called("POST", "/uran/lm/question")[0].json
    assert asked["messages"] == [{"role": "user", "content": "多久？"}]
    assert asked["repository"] == {"name": "手册", "threshold": 0.25, "topK": 7}


def test_the_whole_answer_is_one_line_of_json(kb: Kb, answering: Deployment) -> None:
    done = kb("ask", "How long?", "--kb", "handbook", "--json")

    assert done.lines == [
        {
            "token": "token-1",
            "question": "How long?",
            "answer": "Four hours. [1]",
            "references": [SOURCE],
            "degraded": [],
            "error": None,
        }
    ]


def test_a_question_comes_from_standard_input_for_a_dash(kb: Kb, answering: Deployment) -> None:
    kb("ask", "-", "--kb", "handbook", typed="闻到氨味时\n应该怎么办？\n".encode())

    asked = answering.called("POST", "/uran/lm/question")[0].json
    assert asked["messages"][0]["content"] == "闻到氨味时\n应该怎么办？"


@pytest.mark.parametrize("given", ["", "   ", "-"])
def test_an_empty_question_is_wrong_use(kb: Kb, answering: Deployment, given: str) -> None:
    done = kb("ask", given, "--kb", "handbook", typed=b"\n")

    assert done.exit_code == 2
    assert answering.seen == []


@pytest.mark.parametrize(("option", "value"), [("--top-k", "0"), ("--top-k", "101"), ("--threshold", "1.5")])
def test_a_figure_out_of_range_is_wrong_use(kb: Kb, answering: Deployment, option: str, value: str) -> None:
    assert kb("ask", "Why?", "--kb", "handbook", option, value).exit_code == 2


def test_a_broken_stream_goes_on_where_it_was_and_says_nothing_twice(kb: Kb, answering: Deployment) -> None:
    answering.frames[5:] = [CUT]
    answering.resumed_frames = [
        [platform("delta", "3.3", text="hours. [1]"), platform("finished", "9.0", degraded=[], evidence=True)]
    ]
    answering.answer = {"references": [{**SOURCE, "chunk_id": "c-1", "document_id": "d-1"}], "degraded": []}

    done = kb("ask", "How long?", "--kb", "handbook", "--json")

    assert done.exit_code == 0
    assert done.lines[0]["answer"] == "Four hours. [1]"
    assert done.lines[0]["references"] == [SOURCE]
    resumed = answering.called("GET", "/answers/token-1/events")
    assert [request.headers["last-event-id"] for request in resumed] == ["3.2"]
    assert len(answering.called("POST", "/uran/lm/question")) == 1


def test_a_stream_that_ends_without_an_end_is_taken_for_broken(kb: Kb, answering: Deployment) -> None:
    answering.frames = [uran("3.2", content="Four ")]
    answering.resumed_frames = [
        [platform("delta", "3.3", text="long ")],
        [CUT],
        [platform("delta", "3.4", text="hours."), platform("finished", "9.0")],
    ]

    done = kb("ask", "How long?", "--kb", "handbook", "--json")

    assert done.lines[0]["answer"] == "Four long hours."
    resumed = answering.called("GET", "/answers/token-1/events")
    assert [request.headers["last-event-id"] for request in resumed] == ["3.2", "3.3", "3.3"]


def test_a_stream_that_breaks_before_its_first_event_is_read_from_the_beginning(kb: Kb, answering: Deployment) -> None:
    answering.frames = [CUT]
    answering.resumed_frames = [[platform("delta", "3.0", text="Yes."), platform("finished", "9.0")]]

    done = kb("ask", "Is it?", "--kb", "handbook", "--json")

    assert done.lines[0]["answer"] == "Yes."
    assert "last-event-id" not in answering.called("GET", "/answers/token-1/events")[0].headers


def test_what_fails_after_a_break_is_told(kb: Kb, answering: Deployment) -> None:
    answering.frames[5:] = [CUT]
    answering.resumed_frames = [[platform("failed", "9.0", code="timeout", message="the answer was not ready in time")]]

    done = kb("ask", "How long?", "--kb", "handbook")

    assert done.exit_code == 1
    assert "the answer was not ready in time (timeout)" in done.err


def test_a_stream_that_cannot_be_taken_up_ends_with_where_the_answer_will_be(
    kb: Kb, answering: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "Patience", lambda: Patience(tries=3, first=0.01))
    answering.frames[5:] = [CUT]

    done = kb("ask", "How long?", "--kb", "handbook")

    assert done.exit_code == 1
    assert "Four " in done.out
    assert f"{answering.url}/answers/token-1" in done.err
    assert len(answering.called("GET", "/answers/token-1/events")) == 2


def test_an_answer_that_is_gone_after_a_break_is_told(kb: Kb, answering: Deployment) -> None:
    answering.frames[5:] = [CUT]
    answering.next_replies["GET /answers/token-1/events"] = [
        error(404, "answer_not_found", "answer not found: token-1")
    ]

    done = kb("ask", "How long?", "--kb", "handbook")

    assert (done.exit_code, "answer not found: token-1" in done.err) == (1, True)


def test_a_failed_answer_is_told_in_the_words_of_the_service(kb: Kb, deployment: Deployment) -> None:
    failure = {"choices": [{"delta": {}, "finish_reason": "error"}], "error": {"status": 504, "message": "too slow"}}
    deployment.frames = [uran("3.0", content="Fo"), f"data: {json.dumps(failure)}\n\n", DONE]

    done = kb("ask", "How long?", "--kb", "handbook")

    assert done.exit_code == 1
    assert "too slow (504)" in done.err


def test_an_unknown_knowledge_base_is_told(kb: Kb, deployment: Deployment) -> None:
    deployment.next_replies["POST /uran/lm/question"] = [uran_error(404, "knowledge base not found: nope")]

    done = kb("ask", "How long?", "--kb", "nope")

    assert (done.exit_code, done.err) == (1, "kb: knowledge base not found: nope\n")


def test_a_busy_service_is_asked_again(kb: Kb, answering: Deployment) -> None:
    busy = JSONResponse({"status": 503, "message": "too much to do"}, 503, {"Retry-After": "0"})
    answering.next_replies["POST /uran/lm/question"] = [busy, busy]

    assert kb("ask", "How long?", "--kb", "handbook").exit_code == 0
    assert len(answering.called("POST", "/uran/lm/question")) == 3


def test_an_answer_made_of_less_than_usual_says_so(kb: Kb, answering: Deployment) -> None:
    answering.frames[-2] = references(SOURCE, degraded=["embedder"])

    assert "embedder" in kb("ask", "How long?", "--kb", "handbook").err


def test_an_answer_without_sources_shows_none(kb: Kb, answering: Deployment) -> None:
    answering.frames[-2] = references()

    assert kb("ask", "How long?", "--kb", "handbook").out == "Four hours. [1]\n"


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u000b", "\u001c"])
def test_a_separator_inside_the_text_does_not_break_the_frame(kb: Kb, answering: Deployment, separator: str) -> None:
    answering.frames[4] = uran("3.2", content=f"Four{separator}")

    done = kb("ask", "How long?", "--kb", "handbook", "--json")

    assert done.lines[0]["answer"] == f"Four{separator}hours. [1]"


@pytest.mark.parametrize("text", ["[bold]x[/bold]", ":heart:", "[/]", "a[1:2]", "C:\\temp", "100% {x}"])
def test_text_that_looks_like_markup_stays_as_it_is(kb: Kb, answering: Deployment, text: str) -> None:
    answering.frames[4] = uran("3.2", content=text + " ")
    answering.frames[-2] = references({**SOURCE, "name": text, "quote": text})

    out = kb("ask", "How long?", "--kb", "handbook").out

    assert out.count(text) == 3


def test_text_cannot_steer_the_terminal(kb: Kb, answering: Deployment) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\x9b\u202e"
    answering.frames[4] = uran("3.2", content=evil)
    answering.frames[-2] = references({**SOURCE, "name": evil, "quote": evil})

    out = kb("ask", "How long?", "--kb", "handbook").out

    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(out)


def test_a_frame_that_makes_no_sense_is_told_in_one_sentence(kb: Kb, answering: Deployment) -> None:
    answering.frames[4] = "data: {broken\n\n"

    done = kb("ask", "How long?", "--kb", "handbook")

    assert done.exit_code == 1
    assert done.err.startswith("kb: the stream holds something")
