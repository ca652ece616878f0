"""Queues in SQS; a large message travels by way of the object store."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from knowledge_base.domain.errors import InvalidInput
from knowledge_base.ports.object_store import ObjectStore
from knowledge_base.ports.queues import Queue

if TYPE_CHECKING:
    from mypy_boto3_sqs.client import SQSClient
    from mypy_boto3_sqs.literals import QueueAttributeNameType

MAX_BODY_BYTES = 200 * 1024
_AT_ONCE = 10
MESSAGES = "messages/"
"""The prefix of bodies that were too large for a message; the bucket's lifecycle deletes them."""

_POINTER = "$stored_at"
_GROUP_ID = re.compile(r"[\x21-\x7e]{1,128}")
_REDRIVEN = "redriven"


class SQSQueues:
    """Sends to the queues whose URLs stand under their names in `urls`."""

    def __init__(self, client: SQSClient, urls: Mapping[str, str], store: ObjectStore) -> None:
        self._client = client
        self._urls = urls
        self._store = store

    def send(self, queue: Queue, body: Mapping[str, Any], *, delay: int = 0, group: str = "") -> None:
        """Send a message that is not seen for `delay` seconds (at most 900).

        `group` is the message group: order and one-at-a-time on the FIFO queue `publish`, fairness on
        the others. A body over 200 KB travels by way of the object store, unseen by sender and reader.
        """
        # Escaped to ASCII, since SQS refuses some characters that JSON lets through.
        text = json.dumps(body, separators=(",", ":"))
        self._send(queue, self._shortened(text), delay=delay, group=group)

    def send_all(self, queue: Queue, bodies: Sequence[Mapping[str, Any]], *, group: str = "") -> None:
        """Send messages of one group, as `send` does one by one, but fewer requests."""
        texts = [self._shortened(json.dumps(body, separators=(",", ":"))) for body in bodies]
        if self._is_fifo(queue) or any(len(text) > MAX_BODY_BYTES // _AT_ONCE for text in texts):
            for text in texts:
                self._send(queue, text, group=group)
            return
        for start in range(0, len(texts), _AT_ONCE):
            self._send_together(queue, texts[start : start + _AT_ONCE], group)

    def send_raw(self, queue: Queue, body: str) -> None:
        """Send a message body as it is, as it was once received."""
        # What the body says is not known here, so on a FIFO queue all such messages stand in one line.
        self._send(queue, body, group=_REDRIVEN if self._is_fifo(queue) else "")

    def waiting(self, queue: Queue) -> int:
        """Return about how many messages wait to be read; those in work do not count."""
        return self._count(queue, "ApproximateNumberOfMessages")

    def depth(self, queue: Queue) -> int:
        """Return about how many messages wait or are in work."""
        return self._count(
            queue,
            "ApproximateNumberOfMessages",
            "ApproximateNumberOfMessagesNotVisible",
            "ApproximateNumberOfMessagesDelayed",
        )

    def _count(self, queue: Queue, *names: QueueAttributeNameType) -> int:
        reply = self._client.get_queue_attributes(QueueUrl=self._urls[queue], AttributeNames=names)
        return sum(int(count) for count in reply["Attributes"].values())

    def _send(self, queue: Queue, text: str, *, delay: int = 0, group: str = "") -> None:
        options: dict[str, Any] = {"DelaySeconds": delay} if delay else {}
        if group:
            options["MessageGroupId"] = _group_id(group)
        if self._is_fifo(queue):
            # Every message counts: one that comes while its like is in work must not be dropped.
            options["MessageDeduplicationId"] = uuid4().hex
        self._client.send_message(QueueUrl=self._urls[queue], MessageBody=text, **options)

    def _send_together(self, queue: Queue, texts: Sequence[str], group: str) -> None:
        options = {"MessageGroupId": _group_id(group)} if group else {}
        entries: Any = [{"Id": str(place), "MessageBody": text, **options} for place, text in enumerate(texts)]
        reply = self._client.send_message_batch(QueueUrl=self._urls[queue], Entries=entries)
        for failed in reply.get("Failed", []):
            self._send(queue, texts[int(failed["Id"])], group=group)

    def _shortened(self, text: str) -> str:
        if len(text) <= MAX_BODY_BYTES:
            return text
        key = f"{MESSAGES}{uuid4().hex}"
        self._store.put(key, text.encode())
        return json.dumps({_POINTER: key})

    def _is_fifo(self, queue: Queue) -> bool:
        return self._urls[queue].endswith(".fifo")


def hide_message(client: SQSClient, queue_arn: str, receipt: str, seconds: int) -> None:
    """Let a received message come back after so many seconds (at most 43,200)."""
    account, name = queue_arn.split(":")[-2:]
    url = client.get_queue_url(QueueName=name, QueueOwnerAWSAccountId=account)["QueueUrl"]
    client.change_message_visibility(QueueUrl=url, ReceiptHandle=receipt, VisibilityTimeout=seconds)


def resolve_body(body: str, store: ObjectStore) -> dict[str, Any]:
    """Return what a received message body says, wherever it stands.

    Raises:
        InvalidInput: it is no JSON object.
        ObjectNotFound: it stood in the object store for too long.
    """
    said = _parse(body)
    key = said.get(_POINTER)
    if isinstance(key, str) and key.startswith(MESSAGES):
        return _parse(store.get(key))
    return said


def _parse(body: str | bytes) -> dict[str, Any]:
    try:
        said = json.loads(body)
    except ValueError:
        said = None
    if not isinstance(said, dict):
        raise InvalidInput("the message is no JSON object")
    return said


def _group_id(group: str) -> str:
    return group if _GROUP_ID.fullmatch(group) else hashlib.sha256(group.encode()).hexdigest()
