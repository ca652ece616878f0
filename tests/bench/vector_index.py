"""How fast the embedded index writes and finds, and how much it finds of what an exact scan would."""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from knowledge_base.adapters.embedded.vector_indexes import EmbeddedVectorIndexes
from knowledge_base.domain.chunks import Chunk, IndexedChunk
from knowledge_base.domain.knowledge_bases import EmbeddingConfig
from knowledge_base.domain.retrieval import ChunkFilter, Hit
from knowledge_base.ports.vector_index import VectorIndex

DIMENSIONS, QUERIES, BATCH = 384, 30, 512
SIZES = (10_000, 100_000)
EVERYBODY, FEW = frozenset({"*"}), frozenset({"role:few"})


class Corpus:
    """Clustered vectors and texts of words with a natural distribution; one chunk in ten is for few readers."""

    def __init__(self, size: int) -> None:
        numbers = np.random.default_rng(7)
        centres = numbers.normal(size=(200, DIMENSIONS))
        self.vectors = (centres[numbers.integers(0, 200, size)] + 0.6 * numbers.normal(size=(size, DIMENSIONS))).astype(
            "f4"
        )
        self.vectors /= np.linalg.norm(self.vectors, axis=1, keepdims=True)
        words = random.Random(7)
        ranks = [1 / rank for rank in range(1, 20_001)]
        self.texts = [" ".join(f"w{word}" for word in words.choices(range(20_000), ranks, k=150)) for _ in range(size)]

    def chunks(self) -> list[IndexedChunk]:
        return [
            IndexedChunk(
                Chunk(f"doc-{n // 50}", 1, n % 50, text, 0, len(text)),
                self.vectors[n].tolist(),
                "acme",
                "kb",
                1,
                readers=FEW if n % 10 == 0 else EVERYBODY,
            )
            for n, text in enumerate(self.texts)
        ]

    def exact(self, vector: np.ndarray, limit: int) -> set[str]:
        best = np.argsort(-(self.vectors @ vector), kind="stable")[:limit]
        return {f"doc-{n // 50}:1:{n % 50}" for n in best.tolist()}


def report() -> None:
    """Print the table."""
    print(f"\n## Embedded index, {DIMENSIONS} dimensions (median of {QUERIES} queries, top 10)\n")
    print("| chunks | written/s | dense ms | 10 % filter ms | hybrid ms | recall@10 | open to first hit ms |")
    print("|---|---|---|---|---|---|---|")
    for size in SIZES:
        print(_row(size), flush=True)


def _row(size: int) -> str:
    corpus = Corpus(size)
    with tempfile.TemporaryDirectory() as folder:
        index = _open(folder)
        speed = _write(index, corpus.chunks())
        queries = [corpus.vectors[n] for n in random.Random(3).sample(range(size), QUERIES)]
        everywhere, few = ChunkFilter("acme", {"kb": 1}), ChunkFilter("acme", {"kb": 1}, FEW)
        texts = [" ".join(text.split()[:8]) for text in corpus.texts[:QUERIES]]
        dense = _median(lambda n: index.find(vector=queries[n].tolist(), limit=10, where=everywhere))
        filtered = _median(lambda n: index.find(vector=queries[n].tolist(), limit=10, where=few))
        hybrid = _median(lambda n: index.find(text=texts[n], vector=queries[n].tolist(), limit=10, where=everywhere))
        recall = statistics.mean(
            len(_ids(index.find(vector=q.tolist(), limit=10, where=everywhere).nearest) & corpus.exact(q, 10)) / 10
            for q in queries
        )
        cold = _median(lambda n: _open(folder).find(vector=queries[n].tolist(), limit=10, where=everywhere), runs=3)
    return f"| {size:,} | {speed:,.0f} | {dense:.1f} | {filtered:.1f} | {hybrid:.1f} | {recall:.3f} | {cold:.0f} |"


def _open(folder: str) -> VectorIndex:
    return EmbeddedVectorIndexes(Path(folder)).of(EmbeddingConfig("bench", DIMENSIONS))


def _write(index: VectorIndex, chunks: list[IndexedChunk]) -> float:
    begin = time.perf_counter()
    for start in range(0, len(chunks), BATCH):
        index.write(chunks[start : start + BATCH])
    index.refresh()
    return len(chunks) / (time.perf_counter() - begin)


def _median(run: Callable[[int], object], *, runs: int = QUERIES) -> float:
    times = []
    for n in range(runs):
        begin = time.perf_counter()
        run(n)
        times.append((time.perf_counter() - begin) * 1000)
    return statistics.median(times)


def _ids(hits: tuple[Hit, ...]) -> set[str]:
    return {hit.chunk.chunk_id for hit in hits}
