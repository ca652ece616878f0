"""The whole product in one process: real services, real catalog code on moto, the real embedded index.

A test sends things in, then lets the queues run until they are empty. Nothing runs by itself, so a
test decides what is delivered when, how often, and what dies in between.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from knowledge_base.adapters.aws.s3_events import stored_objects
from knowledge_base.bootstrap import Container
from knowledge_base.bootstrap.stores import Stores
from knowledge_base.dialects.webhooks import WORDINGS
from knowledge_base.domain.access import Principal
from knowledge_base.domain.documents import Source, Version
from knowledge_base.domain.knowledge_bases import Dialect, EmbeddingConfig, KnowledgeBase
from knowledge_base.domain.object_keys import VersionKey, parse_key
from knowledge_base.ports.documents import DocumentParser
from knowledge_base.ports.models import Reranker
from knowledge_base.ports.queues import Queue
from knowledge_base.services.drops import DropEvent
from knowledge_base.settings import Endpoint, Settings, evidence_rule
from tests.aws import REGION, EmulatedAws
from tests.builders import a_principal
from tests.fakes import FakeChat, FakeClock, FakeEmbedders, FakeObjects, FakeQueues, FakeWeb

EMBEDDING = EmbeddingConfig("test-model", 64)


IN_TURN = sorted(Queue, key=lambda queue: queue is Queue.INTAKE)
"""A batch looks for room once a second, which is when everything else is done."""


class WorldStores(Stores):
    """The stores with everything outside the process replaced, but for the catalog (moto) and the index."""

    def __init__(self, config: Settings, parser: DocumentParser | None = None) -> None:
        super().__init__(config)
        self.clock = FakeClock()
        self.queues = FakeQueues()
        self.objects = FakeObjects(self.queues)
        self.web = FakeWeb()
        self.embedders = FakeEmbedders()
        self.chat: FakeChat | None = None
        self.reranker: Reranker | None = None
        if parser:
            self.parser = parser


class World:
    """Everything a test needs at hand."""

    def __init__(
        self,
        aws: EmulatedAws,
        folder: Path,
        parser: DocumentParser | None = None,
        *,
        embedding: EmbeddingConfig = EMBEDDING,
        evidence: str = "0.3",
    ) -> None:
        self.settings = Settings(
            catalog_table=aws.catalog_table(),
            runtime_table=aws.runtime_table(),
            index="embedded",
            index_path=str(folder),
            embedding_endpoints=(Endpoint("http://embedder", embedding.model, dimensions=embedding.dimensions),),
            evidence=evidence_rule(evidence),
            webhook_retry_seconds=(1, 2, 4, 8),
            region=REGION,
        )
        self.stores = WorldStores(self.settings, parser)
        self.container = Container(self.settings, self.stores)
        self.caller = a_principal(roles=frozenset({"admin"}))

    @property
    def clock(self) -> FakeClock:
        return self.stores.clock

    @property
    def queues(self) -> FakeQueues:
        return self.stores.queues

    @property
    def objects(self) -> FakeObjects:
        return self.stores.objects

    @property
    def web(self) -> FakeWeb:
        return self.stores.web

    def knowledge_base(self, name: str = "handbook", caller: Principal | None = None) -> KnowledgeBase:
        return self.container.knowledge_bases.ensure(caller or self.caller, Dialect.URAN, name)

    def import_text(self, name: str, text: str, *, md5: str = "", repository: str = "handbook") -> Version:
        """Put a text on the web and import it; nothing has run yet."""
        url = f"https://files.example/{name}/{len(self.web.pages)}"
        self.web.pages[url] = text.encode()
        source = Source(name, url, "txt", md5 or f"md5 of {text}")
        return self.container.importing.accept(self.caller, self.knowledge_base(repository), source)

    def version(self, version: Version) -> Version:
        return self.stores.versions.get(version.document_id, version.ordinal)

    def run(self, *queues: Queue, limit: int = 10_000) -> None:
        """Deliver messages until the queues (all of them, unless named) are empty."""
        for _ in range(limit):
            queue = next((queue for queue in queues or IN_TURN if self.queues.messages[queue]), None)
            if queue is None:
                return
            self.deliver(queue)
        raise AssertionError("the queues never become empty")

    def deliver(self, queue: Queue) -> None:
        """Deliver the oldest message of a queue."""
        self.handle(queue, self.queues.messages[queue].popleft())

    def handle(self, queue: Queue, body: Mapping[str, Any]) -> None:
        """Act on a message as the queue's function does."""
        self._handlers()[queue](body)

    def _handlers(self) -> dict[Queue, Callable[[Mapping[str, Any]], None]]:
        container = self.container
        return {
            Queue.DROP: self._drop,
            Queue.INTAKE: lambda body: container.deciding.go_on(body["intake_id"]),
            Queue.FETCH: lambda body: container.fetching.fetch(VersionKey.from_message(body)),
            Queue.PARSE: lambda body: self._stored(body, lambda key, _: container.parsing.parse(key)),
            Queue.CHUNK: lambda body: self._stored(body, lambda key, _: container.chunking.chunk(key)),
            Queue.EMBED: lambda body: self._stored(body, container.embedding.embed),
            Queue.PUBLISH: lambda body: container.publishing.publish(body["kb_id"]),
            Queue.QUESTION: lambda body: container.question_path.prepare(body),
            Queue.SEARCH: lambda body: container.question_path.search(body),
            Queue.ANSWER: lambda body: container.answering.answer(body),
            Queue.NOTIFY: lambda body: container.notifications.deliver(body["delivery_id"], WORDINGS),
        }

    def _stored(self, body: Mapping[str, Any], act: Callable[[VersionKey, int], None]) -> None:
        for stored in stored_objects(body):
            act(*parse_key(stored.key))

    def _drop(self, body: Mapping[str, Any]) -> None:
        for stored in stored_objects(body):
            self.container.drops.handle(DropEvent(stored.bucket, stored.key, stored.sequencer, stored.removed))
