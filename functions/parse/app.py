"""Parse what was uploaded or fetched. Trigger: the parse queue (S3 events of `uploads/`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowledge_base.adapters.aws.s3_events import stored_objects
from knowledge_base.bootstrap import get_container
from knowledge_base.bootstrap.functions import consume
from knowledge_base.domain.object_keys import parse_key


def parse(message: Mapping[str, Any]) -> None:
    for stored in stored_objects(message):
        key, _ = parse_key(stored.key)
        get_container().parsing.parse(key)


lambda_handler = consume("parse", parse)
