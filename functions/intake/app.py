"""Decide about the documents of large imports, a few at a time. Trigger: the intake queue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowledge_base.bootstrap import get_container
from knowledge_base.bootstrap.functions import consume


def decide(message: Mapping[str, Any]) -> None:
    get_container().deciding.go_on(message["intake_id"])


lambda_handler = consume("intake", decide)
