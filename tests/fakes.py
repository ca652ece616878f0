"""Stand-ins for what lies outside the process: small and in memory."""

from __future__ import annotations

import hashlib
import math
import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import IO, Any

from knowledge_base.adapters.aws.s3_events import created_event
from knowledge_base.domain.chunks import Vector
from knowledge_base.domain.errors import DownloadFailed, EmbedderUnavailable, ObjectNotFound
from knowledge_base.domain.knowledge_bases import EmbeddingConfig
from knowledge_base.domain.traces import Usage
from knowledge_base.ports.models import Capabilities, ChatMessage
from knowledge_base.ports.object_store import UploadForm
from knowledge_base.ports.queues import Queue
from knowledge_base.ports.web import Download, PostReply
from tests.builders import NOON

BUCKET = "documents"
STAGES = {("uploads/", ""): Queue.PARSE, ("parsed/", ""): Queue.CHUNK, ("chunks/", "/00000"): Queue.EMBED}


@dataclass
class FakeClock:
    """Stands still until told to move."""

    time: datetime = NOON

    def now(self) -> datetime:
        return self.time

    def pass_seconds(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


@dataclass
class FakeQueues:
    """Holds messages until a test takes them."""

    messages: dict[Queue, deque[Any]] = field(default_factory=lambda: defaultdict(deque))
    sent: list[tuple[Queue, dict[str, Any], int]] = field(default_factory=list)

    def send(self, queue: Queue, body: Mapping[str, Any], *, delay: int = 0, group: str = "") -> None:
        self.sent.append((queue, dict(body), delay))
        self.messages[queue].append(dict(body))

    def send_all(self, queue: Queue, bodies: Sequence[Mapping[str, Any]], *, group: str = "") -> None:
        for body in bodies:
            self.send(queue, body, group=group)

    def send_raw(self, queue: Queue, body: str) -> None:
        import json

        self.messages[queue].append(json.loads(body))

    def waiting(self, queue: Queue) -> int:
        return self.depth(queue)

    def depth(self, queue: Queue) -> int:
        return len(self.messages[queue])

    def bodies(self, queue: Queue) -> list[dict[str, Any]]:
        return [body for sent_to, body, _ in self.sent if sent_to is queue]


@dataclass
class FakeObjects:
    """A bucket in memory that tells the queues of what is written, as the real one does."""

    queues: FakeQueues
    stored: dict[str, bytes] = field(default_factory=dict)
    other_buckets: dict[str, dict[str, bytes]] = field(default_factory=lambda: defaultdict(dict))

    def put(self, key: str, data: bytes | IO[bytes]) -> None:
        self.stored[key] = data if isinstance(data, bytes) else data.read()
        for (prefix, suffix), queue in STAGES.items():
            if key.startswith(prefix) and key.endswith(suffix):
                self.queues.send(queue, self.event(key))

    def get(self, key: str) -> bytes:
        if key not in self.stored:
            raise ObjectNotFound(key)
        return self.stored[key]

    @contextmanager
    def open(self, key: str) -> Iterator[Iterator[bytes]]:
        yield iter([self.get(key)])

    def size(self, key: str) -> int:
        return len(self.get(key))

    def copy(self, source: str, target: str) -> None:
        self.put(target, self.get(source))

    def copy_in(self, bucket: str, source: str, target: str) -> None:
        if source not in self.other_buckets[bucket]:
            raise ObjectNotFound(source)
        self.put(target, self.other_buckets[bucket][source])

    def read_in(self, bucket: str, key: str, *, limit: int) -> bytes:
        if key not in self.other_buckets[bucket]:
            raise ObjectNotFound(key)
        return self.other_buckets[bucket][key][:limit]

    def delete_under(self, prefix: str) -> None:
        for key in [key for key in self.stored if key.startswith(prefix)]:
            del self.stored[key]

    def upload_form(self, key: str, *, size: int, lifetime: int) -> UploadForm:
        return UploadForm("https://uploads.example", {"key": key})

    def event(self, key: str) -> dict[str, Any]:
        return created_event(BUCKET, key)


@dataclass
class FakeWeb:
    """A web of known pages, and a mailbox of what was posted; `replies` are given in turn, then 200."""

    pages: dict[str, bytes] = field(default_factory=dict)
    posted: list[tuple[str, bytes, dict[str, str]]] = field(default_factory=list)
    replies: deque[PostReply | Exception] = field(default_factory=deque)

    def check(self, url: str) -> None:
        return None

    def download(self, url: str, *, max_size: int, seconds: float | None = None) -> Download:
        if url not in self.pages:
            raise DownloadFailed("the server answered 404", final=True)
        return Download(self.pages[url], "text/plain", url)

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> PostReply:
        self.posted.append((url, body, dict(headers)))
        reply = self.replies.popleft() if self.replies else PostReply(200, b"")
        if isinstance(reply, Exception):
            raise reply
        return reply


@dataclass
class FakeEmbedder:
    """Embeds by hashing words and CJK characters: texts that share them are near."""

    config: EmbeddingConfig = field(default_factory=lambda: EmbeddingConfig("test-model", 64))
    down: bool = False
    refusal: Exception | None = None
    calls: list[list[str]] = field(default_factory=list)
    request_size: int = 64
    breaks_after: int | None = None

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        self.calls.append(list(texts))
        if self.refusal:
            raise self.refusal
        if self.breaks_after is not None:
            self.breaks_after -= 1
        if self.down or (self.breaks_after is not None and self.breaks_after < 0):
            raise EmbedderUnavailable("no embedding endpoint answers")
        return [self._embed(text) for text in texts]

    def embed_query(self, text: str) -> Vector:
        return self.embed_passages([text])[0]

    def _embed(self, text: str) -> Vector:
        vector = [1e-6] * self.config.dimensions
        for word in re.findall(r"[a-z0-9]+|[\u4e00-\u9fff]", text.lower()):
            place = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big") % len(vector)
            vector[place] += 1.0
        length = math.sqrt(sum(value * value for value in vector))
        return [value / length for value in vector]


@dataclass
class FakeEmbedders:
    """One embedder for every model."""

    embedder: FakeEmbedder = field(default_factory=FakeEmbedder)

    def of(self, embedding: EmbeddingConfig) -> FakeEmbedder:
        return self.embedder


@dataclass
class FakeChat:
    """Says its pieces; a piece that is an exception is raised in its place."""

    pieces: Sequence[str | Exception] = ()
    asked: list[Sequence[ChatMessage]] = field(default_factory=list)
    between: Callable[[], None] = lambda: None
    usage: Usage | None = None
    known: Capabilities = field(default_factory=Capabilities)

    def capabilities(self) -> Capabilities:
        return self.known

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int,
        temperature: float,
        model: str = "",
        on_usage: Callable[[Usage], None] | None = None,
    ) -> Iterator[str]:
        self.asked.append(messages)
        for piece in self.pieces:
            if isinstance(piece, Exception):
                raise piece
            yield piece
            self.between()
        if self.usage and on_usage:
            on_usage(self.usage)
