"""`kb mcp` against the running stack, as an agent's host starts it: over standard input and output, and over HTTP."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from mcp import Client, StdioServerParameters

from infra.local.ports import free_port
from infra.local.stack import RunningStack
from knowledge_base_client import KnowledgeBase
from tests.e2e.client import Client as Caller
from tests.e2e.files import fact, pdf_file

KB = str(Path(sys.executable).parent / "kb")


def settings(stack: RunningStack, **more: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("KB_")}
    return {**inherited, "KB_URL": stack.url, **more}


def as_agent(server: Any, act: Callable[[Client], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with Client(server, read_timeout_seconds=60) as client:
            return await act(client)

    return asyncio.run(run())


@pytest.fixture(scope="module")
def locker(stack: RunningStack) -> str:
    """A document that a locker's code stands in."""
    with KnowledgeBase(stack.url) as kb:
        return kb.add_document(pdf_file(181), name="lockers.pdf", metadata={"tags": ["lockers"]}, wait=60).document_id


async def research(client: Client) -> tuple[Any, Any, Any, str]:
    found = await client.call_tool("search", {"query": "locker code of engineer number 181", "tags": ["lockers"]})
    document_id = found.structured_content["passages"][0]["document_id"]
    read = await client.call_tool("read_document", {"document_id": document_id, "first_page": 2})
    listed = await client.call_tool("list_documents", {"tags": ["lockers"]})
    resource = await client.read_resource(f"kb://documents/{document_id}")
    return found.structured_content, read.structured_content, listed.structured_content, resource.contents[0].text


def test_an_agent_searches_reads_and_lists_over_standard_input(stack: RunningStack, locker: str) -> None:
    server = StdioServerParameters(command=KB, args=["mcp"], env=settings(stack))

    found, read, listed, text = as_agent(server, research)

    assert found["passages"][0]["document_id"] == locker
    assert fact(181) in read["text"]
    assert (read["first_page"], read["last_page"]) == (2, 2)
    assert text[read["start"] : read["end"]] == read["text"]
    assert [each["document_id"] for each in listed["documents"]] == [locker]


def test_an_agent_asks_and_gets_citations_that_stand_in_the_text(stack: RunningStack, locker: str) -> None:
    server = StdioServerParameters(command=KB, args=["mcp"], env=settings(stack))

    async def ask(client: Client) -> tuple[Any, str]:
        question = {"question": "Which code opens the locker of engineer number 181?", "tags": ["lockers"]}
        answer = (await client.call_tool("ask", question)).structured_content
        citation = answer["citations"][0]
        place = {"start": citation["start"], "length": citation["end"] - citation["start"]}
        read = await client.call_tool("read_document", {"document_id": citation["document_id"], **place})
        return answer, read.structured_content["text"]

    answer, read = as_agent(server, ask)

    assert fact(181) in answer["answer"]
    assert answer["citations"][0]["document_id"] == locker
    assert read == answer["citations"][0]["quote"]


def test_an_agent_sees_what_its_key_may_read(stack: RunningStack, client: Caller, locker: str) -> None:
    made = client.http.post("/admin/keys", json={"user_id": f"bob-{uuid4().hex[:8]}", "roles": ["staff"]}).json()
    server = StdioServerParameters(command=KB, args=["mcp"], env=settings(stack, KB_KEY=made["key"]))

    async def look(agent: Client) -> tuple[Any, Any]:
        found = await agent.call_tool("search", {"query": "locker code of engineer number 181"})
        return found.structured_content, await agent.call_tool("read_document", {"document_id": locker})

    found, read = as_agent(server, look)

    assert locker not in {passage["document_id"] for passage in found["passages"]}
    assert read.is_error
    assert "not found" in read.content[0].text


def test_an_agent_connects_over_http_on_this_machine(stack: RunningStack, locker: str) -> None:
    port = free_port()
    with subprocess.Popen([KB, "mcp", "--port", str(port)], env=settings(stack), stderr=subprocess.PIPE) as server:
        try:
            _wait_until_it_listens(port)
            found, *_ = as_agent(f"http://127.0.0.1:{port}/mcp", research)
            rebound = _status(port, Host="evil.example")
            of_a_page = _status(port, Origin="https://evil.example")
        finally:
            server.terminate()

    assert found["passages"][0]["document_id"] == locker
    assert (rebound, of_a_page) == (421, 403)


def _status(port: int, **headers: str) -> int:
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    headers = {"Accept": "application/json, text/event-stream", **headers}
    return httpx.post(f"http://127.0.0.1:{port}/mcp", json=body, headers=headers, trust_env=False).status_code


def _wait_until_it_listens(port: int) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            httpx.get(f"http://127.0.0.1:{port}/mcp", trust_env=False)
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("nothing listens")
