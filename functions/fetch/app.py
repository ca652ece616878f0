"""Fetch documents by URL. Trigger: the fetch queue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowledge_base.bootstrap import get_container
from knowledge_base.bootstrap.functions import consume
from knowledge_base.domain.object_keys import VersionKey


def fetch(message: Mapping[str, Any]) -> None:
    key = VersionKey(message["tenant"], message["document_id"], message["ordinal"])
    get_container().fetching.fetch(key)


lambda_handler = consume("fetch", fetch)
