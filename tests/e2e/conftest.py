"""One running stack for all end-to-end tests, and a world outside of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.local.ports import free_port
from infra.local.stack import RunningStack, running_stack
from tests.e2e.client import Behind, Client
from tests.e2e.outside import Outside, outside_world
from tests.e2e.talking import TalkingModel, talking_model


@pytest.fixture(scope="session")
def outside() -> Iterator[Outside]:
    with outside_world() as world:
        yield world


@pytest.fixture(scope="session")
def stack(outside: Outside, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    settings = {"KB_PORT": str(free_port()), "KB_FETCH_ALLOW_HOSTS": outside.host, "KB_SILENCE_SECONDS": "20"}
    with running_stack(Path(tmp_path_factory.mktemp("stack")), settings) as stack:
        yield stack


@pytest.fixture(scope="session")
def model() -> Iterator[TalkingModel]:
    with talking_model() as model:
        yield model


@pytest.fixture(scope="session")
def talking(outside: Outside, model: TalkingModel, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    """Another stack, whose chat model is a test's; three failures shut a gateway for two seconds."""
    endpoint = {"base_url": model.base_url, "model": "talking"}
    settings = {
        "KB_PORT": str(free_port()),
        "KB_FETCH_ALLOW_HOSTS": outside.host,
        "KB_LLM_ENDPOINTS": json.dumps([endpoint]),
        "KB_BREAKER_FAILURES": "3",
        "KB_BREAKER_SECONDS": "2",
    }
    with running_stack(Path(tmp_path_factory.mktemp("talking")), settings) as stack:
        yield stack


@pytest.fixture
def client(stack: RunningStack) -> Client:
    return Client(stack)


@pytest.fixture
def behind(stack: RunningStack) -> Behind:
    return Behind(stack)
