from __future__ import annotations

import json
import queue
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from infra.local.demo.conversation import Conversation
from infra.local.demo.outside import Outside, serve_outside
from infra.local.demo.show import DOCUMENTS, LANGUAGES, QUESTIONS
from infra.local.failures import StackFailure
from tests.unit.local.serving import serving

FRAMES = [
    {"choices": [{"delta": {"step": "正在检索知识库"}}]},
    {"choices": [{"delta": {"role": "assistant"}}]},
    {"choices": [{"delta": {"content": "Thirty "}}]},
    {"choices": [{"delta": {"content": "days."}}]},
    {"choices": [{"delta": {}}], "references": [{"index": 1, "name": "faq.docx", "page": None, "quote": "30 days"}]},
]
BROKEN = {"choices": [{"delta": {}, "finish_reason": "error"}], "error": {"status": 503, "message": "overloaded"}}


def frames(request: Request, sent: list[dict[str, object]]) -> Response:
    if request.headers["authorization"] != "Bearer the-key":
        return JSONResponse({"status": 401, "message": "who?"}, 401)
    text = "".join(f"id: a.{number}\ndata: {json.dumps(frame)}\n\n" for number, frame in enumerate(sent))
    return StreamingResponse(iter([": heartbeat\n\n", text, "data: [DONE]\n\n"]), media_type="text/event-stream")


async def answer(request: Request) -> Response:
    asked = (await request.json())["messages"][-1]["content"]
    return frames(request, [BROKEN] if asked == "break" else FRAMES)


async def refuse(request: Request) -> Response:
    return JSONResponse({"status": 400, "message": f"no: {(await request.json())['repository']}"}, 400)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    routes = [
        Route("/uran/lm/question", answer, methods=["POST"]),
        Route("/uran/lm/documents", refuse, methods=["POST"]),
    ]
    with serving(Starlette(routes=routes)) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Outside]:
    (tmp_path / "差旅 a#1.pdf").write_bytes(b"%PDF")
    with serve_outside(tmp_path) as outside:
        yield outside


def test_answer_comes_in_pieces_with_its_references(url: str) -> None:
    pieces = list(Conversation(url, "the-key").ask("How many?", repository="r"))

    assert [piece.step for piece in pieces if piece.step] == ["正在检索知识库"]
    assert "".join(piece.text for piece in pieces) == "Thirty days."
    assert pieces[-1].references[0]["name"] == "faq.docx"


def test_answer_that_failed_is_told_with_the_reason(url: str) -> None:
    with pytest.raises(StackFailure, match="overloaded"):
        list(Conversation(url, "the-key").ask("break", repository="r"))


def test_refused_question_is_told_with_the_reply(url: str) -> None:
    with pytest.raises(StackFailure, match="who"):
        list(Conversation(url, "another").ask("How many?", repository="r"))


def test_refused_import_is_told_with_the_reply(url: str) -> None:
    with pytest.raises(StackFailure, match="no: r"):
        Conversation(url, "the-key").import_documents([], repository="r", notify_url="http://127.0.0.1:1/n")


def test_files_of_any_name_can_be_fetched_and_nothing_else(outside: Outside) -> None:
    assert httpx.get(outside.url_of(Path("差旅 a#1.pdf"))).content == b"%PDF"
    assert httpx.get(f"http://{outside.host}/files/..%2F..%2Fetc%2Fpasswd").status_code == 404


def test_what_is_told_outside_can_be_waited_for(outside: Outside) -> None:
    httpx.post(outside.notify_url, json={"documents": []})

    assert outside.next_notification(5) == {"documents": []}
    with pytest.raises(queue.Empty):
        outside.next_notification(0.01)


def test_sample_documents_are_of_types_that_can_be_imported() -> None:
    types = {path.suffix for path in DOCUMENTS.iterdir() if not path.name.startswith(".")}

    assert types
    assert types <= {".pdf", ".doc", ".docx", ".txt", ".md"}


def test_there_is_a_question_in_each_language_that_is_shown() -> None:
    languages = {entry["language"] for entry in json.loads(QUESTIONS.read_text(encoding="utf-8"))}

    assert set(LANGUAGES) <= languages
