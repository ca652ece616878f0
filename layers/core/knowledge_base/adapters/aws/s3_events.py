"""S3 event notifications as they arrive on a queue.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote_plus, unquote_plus


@dataclass(frozen=True, slots=True)
class StoredObject:
    """What happened to one object; the key is decoded, once."""

    bucket: str
    key: str
    sequencer: str
    removed: bool


def stored_objects(body: Mapping[str, Any]) -> Iterator[StoredObject]:
    """Yield the objects that a notification tells of; the test event of a new subscription tells of none."""
    for record in body.get("Records", []):
        stored = record["s3"]["object"]
        yield StoredObject(
            bucket=record["s3"]["bucket"]["name"],
            key=unquote_plus(stored["key"]),
            sequencer=stored.get("sequencer", ""),
            removed=record["eventName"].startswith("ObjectRemoved"),
        )


def created_event(bucket: str, key: str) -> dict[str, Any]:
    """Return the notification that tells of an object as if it had just been written."""
    stored = {"bucket": {"name": bucket}, "object": {"key": quote_plus(key, safe="/")}}
    return {"Records": [{"eventSource": "aws:s3", "eventName": "ObjectCreated:Put", "s3": stored}]}
