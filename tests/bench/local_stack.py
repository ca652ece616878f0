"""How long people wait on the local stack: until it is up, for a document, and for an answer's first words."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

from infra.local.ports import free_port
from infra.local.stack import running_stack
from tests.e2e.client import KEY, Client
from tests.e2e.files import fact, text_file
from tests.e2e.outside import outside_world

QUESTIONS = 20


def report() -> None:
    """Print the table."""
    with outside_world() as outside, tempfile.TemporaryDirectory() as folder:
        settings = {"KB_PORT": str(free_port()), "KB_FETCH_ALLOW_HOSTS": outside.host}
        begin = time.perf_counter()
        with running_stack(Path(folder), settings) as stack:
            up = time.perf_counter() - begin
            client = Client(stack)
            waits = [_import(client, outside, number) for number in range(5)]
            streams = [_ask(stack.url) for _ in range(QUESTIONS)]
    firsts, words, ends = (statistics.median(column) * 1000 for column in zip(*streams, strict=True))
    print("\n## The local stack, warm (medians)\n")
    print("| what | |\n|---|---|")
    print(f"| `make up`, until /health/ready | {up:.1f} s |")
    print(f"| a one-page text, from the import's reply to its webhook | {statistics.median(waits):.2f} s |")
    print(f"| first event of an answer's stream | {firsts:.0f} ms |")
    print(f"| first words of an extractive answer | {words:.0f} ms |")
    print(f"| its end | {ends:.0f} ms |")


def _import(client: Client, outside: Any, number: int) -> float:
    name = f"bench-{number}.txt"
    client.import_documents([outside.page(name, text_file(number), "txt")], "bench", outside.notify_url)
    begin = time.perf_counter()
    outside.wait_for({name}, seconds=60)
    return time.perf_counter() - begin


def _ask(url: str) -> tuple[float, float, float]:
    body = {
        "messages": [{"role": "user", "content": fact(3).replace("opens", "would open")}],
        "repository": {"name": "bench", "threshold": 0, "topK": 5},
        "maxTokens": 256,
        "temperature": 0,
        "model": "any",
    }
    begin = time.perf_counter()
    first = words = 0.0
    with httpx.stream("POST", f"{url}/uran/lm/question", json=body, headers={"X-Api-Key": KEY}, timeout=60) as reply:
        for line in reply.iter_lines():
            now = time.perf_counter() - begin
            first = first or (now if line.startswith("data:") else 0.0)
            words = words or (now if '"content"' in line else 0.0)
    return first, words, time.perf_counter() - begin
