"""Messages as they arrive in a dead-letter queue."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from knowledge_base.adapters.aws.s3_events import stored_objects
from knowledge_base.domain.errors import InvalidInput, ObjectNotFound
from knowledge_base.domain.object_keys import VersionKey, parse_key
from knowledge_base.ports.queues import Queue

logger = logging.getLogger(__name__)

_MALFORMED = (InvalidInput, ObjectNotFound, LookupError, TypeError, ValueError, AttributeError)
"""What reading a message raises that is of no form of ours; asking again would not change that."""

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


def subject_of(queue: Queue, body: str, read: Callable[[str], Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return what a message is about: `version`, `token`, `kb_id`, `delivery_id`, `intake_id` or `dropped`.

    Returns None, and leaves a line in the log, where nobody can tell: it is of no form of ours.
    """
    try:
        return _subject(queue, read(body))
    except _MALFORMED as error:
        logger.error("message given up that is about nothing", extra={"queue": queue, "error": type(error).__name__})
        return None


def _subject(queue: Queue, message: Mapping[str, Any]) -> dict[str, Any]:
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
