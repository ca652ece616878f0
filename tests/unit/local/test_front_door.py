from __future__ import annotations

import http.client
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import anyio
import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from infra.local import front_door
from infra.local.front_door import FrontDoor
from infra.local.gateway_replies import read_gateway_replies
from infra.local.packaging import load_template
from infra.local.ports import free_port
from infra.local.supervisor import TEMPLATE
from tests.unit.local.serving import serving

STAGE = "/_aws/execute-api/abc/v1"
Ask = Callable[..., http.client.HTTPResponse]


async def echo(request: Request) -> Response:
    """Tell what reached the emulated gateway; some paths behave as a gateway does."""
    path = request.scope["raw_path"].decode()
    if path.endswith("/unmapped"):
        return JSONResponse({"message": "Missing Authentication Token"}, 403)
    if path.endswith("/forbidden"):
        return JSONResponse({"message": "not permitted"}, 403)
    if path.endswith("/broken"):
        return JSONResponse({"message": "Internal server error"}, 502)
    body = await request.body()
    seen = {
        "method": request.method,
        "path": path,
        "query": request.scope["query_string"].decode(),
        "headers": dict(request.headers),
        "bytes": len(body),
        "text": body[:100].decode(errors="replace"),
    }
    return JSONResponse(seen, 201, {"X-Own": "kept", "Connection": "keep-alive", "Set-Cookie": "a=1"})


async def tell_slowly(request: Request) -> StreamingResponse:
    await request.body()

    async def frames() -> AsyncIterator[str]:
        for number in range(3):
            yield f"data: {number}\n\n"
            await anyio.sleep(0.2)

    return StreamingResponse(frames(), media_type="text/event-stream")


def serving_front_door(emulator_port: int) -> AbstractContextManager[int]:
    door = FrontDoor(
        stream=Starlette(routes=[Route("/tell/{name}", tell_slowly, methods=["POST"])]),
        api_url=f"http://127.0.0.1:{emulator_port}{STAGE}",
        client=httpx.AsyncClient(timeout=10),
        replies=read_gateway_replies(load_template(TEMPLATE)),
    )
    return serving(door)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    emulator = Starlette(routes=[Route("/{path:path}", echo, methods=["GET", "POST", "PUT", "DELETE", "OPTIONS"])])
    with serving(emulator) as emulator_port, serving_front_door(emulator_port) as own_port:
        yield own_port


@pytest.fixture
def ask(port: int) -> Iterator[Ask]:
    """Send a request byte by byte as it is given: `http.client` normalises nothing."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)

    def send(method: str, target: str, body: Any = None, **headers: str) -> http.client.HTTPResponse:
        connection.request(method, target, body, {name.replace("_", "-"): value for name, value in headers.items()})
        return connection.getresponse()

    yield send
    connection.close()


def test_request_reaches_the_stage_of_the_api_with_method_path_query_and_body(ask: Ask) -> None:
    reply = ask("POST", "/uran/lm/documents?a=1&a=2&b=%20", b"hello", Authorization="Bearer k")

    seen = json.load(reply)
    assert reply.status == 201
    assert seen["method"] == "POST"
    assert seen["path"] == f"{STAGE}/uran/lm/documents"
    assert seen["query"] == "a=1&a=2&b=%20"
    assert seen["text"] == "hello"
    assert seen["headers"]["authorization"] == "Bearer k"


@pytest.mark.parametrize("path", ["/a%2Fb", "/%E4%B8%AD", "/a%20b+c", "/x//y", "/q%3Fz", "/trailing/"])
def test_path_is_passed_on_byte_by_byte(ask: Ask, path: str) -> None:
    assert json.load(ask("GET", path))["path"] == STAGE + path


@pytest.mark.parametrize(
    "path",
    ["/../../_ministack/reset", "/a/../../x", "/%2e%2E/x", "/..%2f..%2f_local/attach", "/./x", "/a/..", "/..%5cx"],
)
def test_path_that_climbs_out_of_the_api_is_not_found(ask: Ask, path: str) -> None:
    reply = ask("POST", path)

    assert reply.status == 404
    assert json.load(reply)["error"]["code"] == "not_found"


def test_headers_of_one_hop_and_of_the_emulator_are_not_passed_on(ask: Ask) -> None:
    reply = ask("GET", "/x", X_Amz_Target="DynamoDB_20120810.Scan", TE="trailers", X_Own="kept", Host="evil.example")

    seen = json.load(reply)["headers"]
    assert "x-amz-target" not in seen
    assert "te" not in seen
    assert seen["x-own"] == "kept"
    assert seen["host"].startswith("127.0.0.1:")


def test_client_cannot_choose_its_own_address(ask: Ask) -> None:
    reply = ask("GET", "/x", X_Forwarded_For="203.0.113.7")

    assert json.load(reply)["headers"]["x-forwarded-for"] == "127.0.0.1"


def test_reply_keeps_its_status_and_headers(ask: Ask) -> None:
    reply = ask("GET", "/x")

    assert reply.status == 201
    assert reply.headers["x-own"] == "kept"
    assert reply.headers["set-cookie"] == "a=1"
    assert reply.headers["content-type"] == "application/json"
    assert len(reply.headers.get_all("date") or []) == 1


def test_unmapped_route_answers_as_the_template_says(ask: Ask) -> None:
    reply = ask("GET", "/unmapped")

    assert reply.status == 404
    assert json.load(reply)["error"]["code"] == "not_found"
    assert reply.headers["access-control-allow-origin"] == "*"


def test_refusal_by_a_function_stays_a_refusal(ask: Ask) -> None:
    reply = ask("GET", "/forbidden")

    assert reply.status == 403
    assert json.load(reply) == {"message": "not permitted"}


def test_failed_function_is_told_in_json(ask: Ask) -> None:
    reply = ask("GET", "/broken")

    assert reply.status == 502
    assert json.load(reply)["message"] == "the function failed; see its log"


def test_emulator_that_is_gone_is_told_in_json() -> None:
    with serving_front_door(free_port()) as port:
        reply = httpx.get(f"http://127.0.0.1:{port}/x", trust_env=False)

    assert reply.status_code == 502
    assert reply.json()["error"]["message"] == "the emulated gateway does not answer"


def test_document_of_fifty_megabytes_passes(ask: Ask) -> None:
    reply = ask("PUT", "/x", b"x" * (50 * 1024 * 1024))

    assert json.load(reply)["bytes"] == 50 * 1024 * 1024


def test_larger_body_is_refused_and_the_refusal_names_uploads(ask: Ask) -> None:
    reply = ask("POST", "/x", b"x" * (front_door.MOST_BYTES + 1))

    assert reply.status == 413
    assert "POST /uploads" in json.load(reply)["message"]


def test_larger_body_that_comes_in_chunks_is_refused_too(ask: Ask) -> None:
    chunks = (b"x" * 1024 * 1024 for _ in range(52))

    assert ask("POST", "/x", chunks).status == 413


def test_larger_body_is_refused_for_a_stream_too(ask: Ask) -> None:
    assert ask("POST", "/tell/a", b"x" * (front_door.MOST_BYTES + 1)).status == 413


def test_stream_route_is_served_here_and_comes_piece_by_piece(port: int) -> None:
    with httpx.stream("POST", f"http://127.0.0.1:{port}/tell/a", content=b"{}", trust_env=False) as reply:
        times = [time.monotonic() for line in reply.iter_lines() if line]

    assert len(times) == 3
    assert times[2] - times[0] > 0.3


def test_other_method_of_a_stream_route_goes_to_the_gateway(ask: Ask) -> None:
    assert json.load(ask("GET", "/tell/a"))["path"] == f"{STAGE}/tell/a"


def test_preflight_of_a_stream_route_is_answered_where_the_stream_is(port: int) -> None:
    stream = httpx.options(f"http://127.0.0.1:{port}/tell/a", trust_env=False)
    other = httpx.options(f"http://127.0.0.1:{port}/x", trust_env=False)

    assert stream.status_code == 405  # this stream application answers none
    assert other.json()["method"] == "OPTIONS"


def test_many_requests_at_a_time_are_all_answered(port: int) -> None:
    async def ask_all() -> list[int]:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
            statuses: list[int] = []

            async def ask_one(number: int) -> None:
                statuses.append((await client.get(f"/x/{number}")).status_code)

            async with anyio.create_task_group() as group:
                for number in range(100):
                    group.start_soon(ask_one, number)
            return statuses

    assert anyio.run(ask_all) == [201] * 100
