"""Messages as they arrive in a dead-letter queue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowledge_base.adapters.aws.s3_events import stored_objects
from knowledge_base.domain.errors import InvalidInput
from knowledge_base.domain.object_keys import VersionKey, parse_key
from knowledge_base.ports.queues import Queue

_PIPELINE = (Queue.PARSE, Queue.CHUNK, Queue.EMBED)


def source_queue(arn: str) -> Queue:
    """Return the queue whose dead letters a dead-letter queue holds; its name ends in `-{queue}-dead[.fifo]`.

    Raises:
        InvalidInput: it is none of ours.
    """
    name = arn.rpartition(":")[2].removesuffix(".fifo").removesuffix("-dead")
    for queue in Queue:
        if name == queue or name.endswith(f"-{queue}"):
            return queue
    raise InvalidInput("not a dead-letter queue of this deployment")


def subject_of(queue: Queue, message: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a message is about: `version`, `token`, `kb_id`, `delivery_id`, `intake_id` or `dropped`."""
    if queue is Queue.DROP or queue in _PIPELINE:
        return _stored_subject(queue, message)
    if queue is Queue.FETCH:
        return {"version": VersionKey.from_message(message)}
    if queue is Queue.INTAKE:
        return {"intake_id": str(message.get("intake_id", ""))}
    if queue is Queue.PUBLISH:
        return {"kb_id": message["kb_id"]}
    if queue is Queue.NOTIFY:
        return {"delivery_id": message["delivery_id"]}
    return {"token": str(message.get("question_token", ""))}


def _stored_subject(queue: Queue, message: Mapping[str, Any]) -> dict[str, Any]:
    """S3 sends one record a message, so what the first one is about is what the message is about."""
    stored = next(stored_objects(message), None)
    if stored is None:
        return {}
    return {"dropped": stored.key} if queue is Queue.DROP else {"version": parse_key(stored.key)[0]}
