"""Register files dropped into, and removed from, the drop bucket. Trigger: the drop queue (its S3 events)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowledge_base.adapters.aws.s3_events import stored_objects
from knowledge_base.bootstrap import get_container
from knowledge_base.bootstrap.functions import consume
from knowledge_base.services.drops import DropEvent


def drop(message: Mapping[str, Any]) -> None:
    for stored in stored_objects(message):
        get_container().drops.handle(DropEvent(stored.bucket, stored.key, stored.sequencer, stored.removed))


lambda_handler = consume("drop", drop)
