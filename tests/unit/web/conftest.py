"""A scripted server, and a client that may contact it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from knowledge_base.adapters.web.guarded import GuardedWeb
from tests.unit.web.scripted_server import ScriptedServer, serving


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with serving() as server:
        yield server


@pytest.fixture
def web(server: ScriptedServer) -> GuardedWeb:
    return GuardedWeb(frozenset({server.host_port}), download_seconds=10, post_seconds=5, idle_seconds=5)
