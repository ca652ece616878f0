"""A real OpenSearch for the tests that need one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.local.opensearch import running_opensearch
from infra.local.opensearch_server.errors import LocalOpenSearchError

HOME = Path(__file__).parents[1] / ".local" / "opensearch"


@pytest.fixture(scope="session")
def opensearch_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The server at KB_TEST_OPENSEARCH_URL, or one of our own; without Java or Maven the test is skipped.

    With KB_REQUIRE_OPENSEARCH=1 it fails instead.
    """
    if url := os.environ.get("KB_TEST_OPENSEARCH_URL"):
        yield url
        return
    try:
        with running_opensearch(HOME, tmp_path_factory.mktemp("opensearch")) as url:
            yield url
    except LocalOpenSearchError as error:
        if os.environ.get("KB_REQUIRE_OPENSEARCH") == "1":
            pytest.fail(str(error))
        pytest.skip(f"no OpenSearch: {error}")
