"""The product in this process, filled with a question set through its own pipeline."""

from __future__ import annotations

import copy
import random
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from moto.dynamodb import models as emulated_dynamodb
from moto.dynamodb.models.table import Table

from infra.local.options import BUNDLED_NO_EVIDENCE
from knowledge_base.adapters.parsing.library import LibraryDocumentParser
from knowledge_base.domain.answers import Message, Question, SourceFound, TextDelta
from knowledge_base.domain.documents import IngestionState, Version
from knowledge_base.domain.knowledge_bases import Dialect
from knowledge_base.domain.parsed import decode_parsed
from knowledge_base.domain.relevance import Rating, VotePlace
from knowledge_base.domain.retrieval import FoundChunk, SearchMode, SearchRequest
from knowledge_base.ports.queues import Queue
from knowledge_base.services.relevance import query_key, text_key
from tests.aws import emulated_aws
from tests.eval.bundled_model import CONFIG, BundledEmbedder
from tests.eval.question_sets import QuestionSet
from tests.world import World

DEPTH = 30
"""So many chunks are asked for, that ten documents are among them."""

TOP_K = 5
"""What a question usually asks for."""


class Product:
    """Answers the questions of one set."""

    def __init__(self, world: World, questions: QuestionSet) -> None:
        self._world = world
        self._kb_id = world.knowledge_base(questions.name).kb_id
        versions = {p.passage_id: world.import_text(p.passage_id, _written(p.title, p.text), md5=p.passage_id,
                                                    repository=questions.name) for p in questions.passages}  # fmt: skip
        world.run()
        self._passages = {version.document_id: passage_id for passage_id, version in versions.items()}
        self._check(versions)
        world.stores.documents = _ReadOnce(world.stores.documents)
        world.stores.versions = _ReadOnce(world.stores.versions)

    def _check(self, versions: dict[str, Version]) -> None:
        for passage_id, version in versions.items():
            if self._world.version(version).state is not IngestionState.READY:
                raise RuntimeError(f"{passage_id} could not be ingested")

    def find(self, text: str, mode: SearchMode, *, top_k: int = DEPTH) -> tuple[FoundChunk, ...]:
        """Return what a search finds."""
        searching, tenant = self._world.container.searching, self._world.caller.tenant
        request = SearchRequest(text, (self._kb_id,), top_k, mode=mode)
        return searching.search(tenant, request, searching.embed(tenant, request.kb_ids, text)).found

    def rank(self, text: str, mode: SearchMode) -> list[str]:
        """Return the passages that a search finds, best first."""
        found = (self.passage_of(item) for item in self.find(text, mode))
        return list(dict.fromkeys(found))

    def passage_of(self, found: FoundChunk) -> str:
        """Return the passage that a chunk is of."""
        return self._passages[found.hit.chunk.document_id]

    def let_votes_count(self) -> None:
        """Switch on that votes move what is found."""
        self._world.container.knowledge_bases.switch(self._world.caller, self._kb_id, learns=True)

    def vote(self, text: str, found: FoundChunk, voter: str, rating: Rating) -> None:
        """Say what somebody thinks of a chunk as an answer to a question."""
        place = VotePlace(self._kb_id, query_key(text), text_key(found.hit.chunk))
        self._world.stores.votes.cast(place, voter, rating)

    def answer(self, text: str) -> tuple[str, list[SourceFound]]:
        """Return an answer and its sources, as the product's own functions write it; no sources: it abstained."""
        question = Question((Message("user", text),), kb_ids=(self._kb_id,), top_k=TOP_K)
        record = self._world.container.questions.ask(self._world.caller, Dialect.URAN, question)
        self._world.run(Queue.QUESTION, Queue.SEARCH, Queue.ANSWER)
        events = [logged.event for logged in self._world.stores.answers.read(record.token)]
        sources = [event for event in events if isinstance(event, SourceFound)]
        return "".join(event.text for event in events if isinstance(event, TextDelta)), sources

    def is_exact(self, source: SourceFound) -> bool:
        """Whether a quote stands in its document where its source says."""
        reference = source.reference
        version = self._world.stores.versions.get(reference.document_id, reference.ordinal)
        text = decode_parsed(self._world.objects.get(version.key.parsed())).text
        return text[reference.start : reference.end] == reference.quote


@contextmanager
def filled_product(questions: QuestionSet, memory: Path, *, evidence: str = BUNDLED_NO_EVIDENCE) -> Iterator[Product]:
    """Yield the product, filled with the passages of a set."""
    embedder = BundledEmbedder(memory)
    with _same_ids_every_time(), _nothing_to_undo(), emulated_aws() as aws, TemporaryDirectory() as folder:
        world = World(aws, Path(folder), LibraryDocumentParser(), embedding=CONFIG, evidence=evidence)
        world.stores.embedders = embedder
        yield Product(world, questions)
    embedder.close()


class _ReadOnce:
    """Records of the catalog, each read once: nothing changes them while questions are asked."""

    def __init__(self, records: Any) -> None:
        self._records = records
        self._known: dict[Any, Any] = {}

    def get_many(self, keys: Any) -> dict[Any, Any]:
        """Return those records that exist, by their key."""
        self._known |= self._records.get_many([key for key in keys if key not in self._known])
        return {key: self._known[key] for key in keys if key in self._known}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._records, name)


@contextmanager
def _same_ids_every_time() -> Iterator[None]:
    """Give out the same ids in every run: they order hits of equal score."""
    numbers = random.Random(0)
    with patch.object(uuid, "uuid4", lambda: uuid.UUID(int=numbers.getrandbits(128), version=4)):
        yield


@contextmanager
def _nothing_to_undo() -> Iterator[None]:
    """Keep the emulated DynamoDB from copying its whole table for each transaction: none is refused here.

    One that is refused after all finds no copy to put back, and the run ends with an error.
    """

    def copied(thing: Any) -> Any:
        return None if isinstance(thing, Table) else copy.deepcopy(thing)

    with patch.object(emulated_dynamodb, "copy", SimpleNamespace(deepcopy=copied)):
        yield


def _written(title: str, text: str) -> str:
    return f"{title}\n\n{text}" if title else text
