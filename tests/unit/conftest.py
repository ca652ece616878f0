"""A fresh world for each test that asks for one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from tests.aws import emulated_aws
from tests.builders import FACT
from tests.world import World


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    with emulated_aws() as aws:
        yield World(aws, tmp_path, LibraryDocumentParser())


@pytest.fixture
def filled(world: World) -> World:
    """A world with one document that says one thing worth asking for."""
    world.import_text("pump.txt", f"Operating the plant.\n\n{FACT}\n\nIt stops by itself.")
    world.run()
    return world
