"""Search for what questions ask. Trigger: the search queue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowledge_base.bootstrap import get_container
from knowledge_base.bootstrap.functions import consume


def search(message: Mapping[str, Any]) -> None:
    get_container().question_path.search(message)


lambda_handler = consume("search", search)
