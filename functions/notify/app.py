"""Deliver webhooks. Trigger: the notify queue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowledge_base.bootstrap import get_container
from knowledge_base.bootstrap.functions import consume
from knowledge_base.dialects.webhooks import WORDINGS


def notify(message: Mapping[str, Any]) -> None:
    get_container().notifications.deliver(message["delivery_id"], WORDINGS)


lambda_handler = consume("notify", notify)
