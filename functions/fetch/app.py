"""Fetch documents by URL. Trigger: the fetch queue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowledge_base.bootstrap import get_container
from knowledge_base.bootstrap.functions import consume
from knowledge_base.domain.object_keys import VersionKey


def fetch(message: Mapping[str, Any]) -> None:
    get_container().fetching.fetch(VersionKey.from_message(message))


lambda_handler = consume("fetch", fetch)
