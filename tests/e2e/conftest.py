"""One running stack for all end-to-end tests, and a world outside of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.local.ports import free_port
from infra.local.stack import RunningStack, running_stack
from tests.e2e.client import Behind, Client
from tests.e2e.outside import Outside, outside_world


@pytest.fixture(scope="session")
def outside() -> Iterator[Outside]:
    with outside_world() as world:
        yield world


@pytest.fixture(scope="session")
def stack(outside: Outside, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    settings = {"KB_PORT": str(free_port()), "KB_FETCH_ALLOW_HOSTS": outside.host, "KB_SILENCE_SECONDS": "20"}
    with running_stack(Path(tmp_path_factory.mktemp("stack")), settings) as stack:
        yield stack


@pytest.fixture
def client(stack: RunningStack) -> Client:
    return Client(stack)


@pytest.fixture
def behind(stack: RunningStack) -> Behind:
    return Behind(stack)
