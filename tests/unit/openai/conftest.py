"""Scripted endpoints, and a clock that does not really wait."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.scripted_openai import ScriptedOpenAI, scripted_openai


@pytest.fixture
def server() -> Iterator[ScriptedOpenAI]:
    with scripted_openai() as server:
        yield server


@pytest.fixture
def other() -> Iterator[ScriptedOpenAI]:
    with scripted_openai() as other:
        yield other


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses of the pool, which pass at once: its clock jumps instead."""
    waited: list[float] = []
    real = time.monotonic

    def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("knowledge_base.adapters.openai.endpoint_pool.time.sleep", sleep)
    monkeypatch.setattr("knowledge_base.adapters.openai.endpoint_pool.time.monotonic", lambda: real() + sum(waited))
    return waited
