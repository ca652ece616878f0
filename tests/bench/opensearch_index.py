"""What the OpenSearch adapter adds to the bare call of the client, and how much of the nearest it finds."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import opensearchpy

from infra.local.opensearch import running_opensearch
from knowledge_base.adapters.opensearch.vector_index import OpenSearchVectorIndex
from knowledge_base.domain.chunks import Chunk, IndexedChunk
from knowledge_base.domain.knowledge_bases import EmbeddingConfig
from knowledge_base.domain.retrieval import ChunkFilter
from tests.bench.index_corpus import DIMENSIONS, FEW, OTHERS, QUESTIONS, Corpus, make
from tests.contract.opensearch import EmptyIndexes

SIZE, COMPARED, ROUNDS = 10_000, 10, 5
LIMITS = (10, 200)
WHERE = ChunkFilter("acme", {"kb": 1}, frozenset({FEW, OTHERS}))
HOME = Path(".local/opensearch")


def report() -> None:
    """Print the table."""
    corpus = make(SIZE)
    with tempfile.TemporaryDirectory() as data, running_opensearch(HOME, Path(data)) as url:
        indexes = EmptyIndexes(url)
        index = indexes.of(EmbeddingConfig("bench", DIMENSIONS))
        index.write([_chunk(corpus, number) for number in range(SIZE)])
        index.refresh()
        print(f"\n## OpenSearch adapter, {SIZE:,} chunks (hybrid, median of {QUESTIONS} questions, best of {ROUNDS})\n")
        print(f"Recall@{COMPARED}: {_recall(corpus, index):.3f}\n")
        print("| hits of a leg | bare call ms | the adapter adds ms |\n|---|---|---|")
        for limit in LIMITS:
            bare, added = _times(corpus, index, limit)
            print(f"| {limit} | {bare:.1f} | {added:.1f} |", flush=True)


def _chunk(corpus: Corpus, number: int) -> IndexedChunk:
    text, vector = corpus.texts[number], corpus.vectors[number].tolist()
    readers = frozenset({corpus.marks[number]})
    return IndexedChunk(Chunk(f"doc-{number}", 1, 0, text, 0, len(text)), vector, "acme", "kb", 1, readers=readers)


def _recall(corpus: Corpus, index: OpenSearchVectorIndex) -> float:
    missed = 0
    for number in range(QUESTIONS):
        found = index.find(vector=corpus.question_vectors[number].tolist(), limit=COMPARED, where=WHERE).nearest
        exact = corpus.exact(number, COMPARED, only_few=False)
        missed += len(exact - {int(hit.chunk.document_id[4:]) for hit in found})
    return 1 - missed / (QUESTIONS * COMPARED)


def _times(corpus: Corpus, index: OpenSearchVectorIndex, limit: int) -> tuple[float, float]:
    """Return the milliseconds of the client's own call inside a search, and of all the rest of the search."""
    bare, added = [], []
    for number in range(QUESTIONS):
        text, vector = corpus.question_texts[number], corpus.question_vectors[number].tolist()
        runs = [_run(lambda: index.find(text=text, vector=vector, limit=limit, where=WHERE)) for _ in range(ROUNDS)]  # noqa: B023
        bare.append(min(inside for inside, _ in runs))
        added.append(min(whole - inside for inside, whole in runs))
    return statistics.median(bare), statistics.median(added)


def _run(search: Callable[[], object]) -> tuple[float, float]:
    with _watched() as spent:
        begin = time.perf_counter()
        search()
        whole = (time.perf_counter() - begin) * 1000
    return sum(spent), whole


@contextmanager
def _watched() -> Iterator[list[float]]:
    """Yield the milliseconds of each call of the client."""
    spent: list[float] = []
    call = opensearchpy.OpenSearch.msearch

    def timed(*arguments: Any, **options: Any) -> Any:
        begin = time.perf_counter()
        try:
            return call(*arguments, **options)
        finally:
            spent.append((time.perf_counter() - begin) * 1000)

    opensearchpy.OpenSearch.msearch = timed
    try:
        yield spent
    finally:
        opensearchpy.OpenSearch.msearch = call
