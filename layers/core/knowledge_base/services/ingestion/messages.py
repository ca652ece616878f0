"""The messages that the pipeline sends itself: a knock on publish, an order to fetch, the next batch to embed."""

from __future__ import annotations

from collections.abc import Sequence

from knowledge_base.domain.documents import Version
from knowledge_base.ports.object_store import ObjectStore
from knowledge_base.ports.queues import Queue, Queues


def knock_on_publish(queues: Queues, kb_id: str, *, aside: bool = False) -> None:
    """Have what is staged in a knowledge base published.

    `aside` uses a message group of its own, since the usual one waits for a publisher that may be dead.
    """
    queues.send(Queue.PUBLISH, {"kb_id": kb_id}, group=f"sweep-{kb_id}" if aside else kb_id)


def order_fetch(queues: Queues, version: Version) -> None:
    """Have a version's content fetched from its URL."""
    queues.send(Queue.FETCH, version.key.as_message(), group=version.tenant)


def order_fetches(queues: Queues, versions: Sequence[Version]) -> None:
    """Have the contents of one tenant's versions fetched from their URLs."""
    if versions:
        queues.send_all(Queue.FETCH, [version.key.as_message() for version in versions], group=versions[0].tenant)


def order_embedding(queues: Queues, objects: ObjectStore, version: Version, batch: int, *, delay: int = 0) -> None:
    """Have a batch of a version embedded, in the tenant's fair share of the queue."""
    queues.send(Queue.EMBED, objects.event(version.key.chunks(batch)), delay=delay, group=version.tenant)
