"""Make what is staged in a knowledge base live. Trigger: the publish queue (FIFO, one group per knowledge base)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowledge_base.bootstrap import get_container
from knowledge_base.bootstrap.functions import consume


def publish(message: Mapping[str, Any]) -> None:
    get_container().publishing.publish(message["kb_id"])


lambda_handler = consume("publish", publish)
