"""Embed batches of chunks. Trigger: the embed queue (S3 events of `chunks/`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowledge_base.adapters.aws.s3_events import stored_objects
from knowledge_base.bootstrap import get_container
from knowledge_base.bootstrap.functions import consume
from knowledge_base.domain.object_keys import parse_key


def embed(message: Mapping[str, Any]) -> None:
    for stored in stored_objects(message):
        key, batch = parse_key(stored.key)
        get_container().embedding.embed(key, batch)


lambda_handler = consume("embed", embed)
