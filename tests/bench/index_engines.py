"""What an index does in the measurements, and ours.

An engine writes a corpus to a folder, or opens what was written there. A leg returns the numbers of the chunks that
it finds, and has read their texts. Libraries are imported where they are used: each engine has a process of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.bench.index_corpus import DIMENSIONS, FEW, OTHERS, Corpus

Found = list[tuple[int, str]]
"""Numbers of chunks with their texts, best first."""


class Engine:
    """One index; a leg that it does not have raises `NotImplementedError`."""

    def __init__(self, folder: Path, corpus: Corpus | None) -> None:
        """Write a corpus to the folder, or, without one, open what is there."""

    def dense(self, vector: Any, limit: int) -> Found:
        raise NotImplementedError

    def filtered(self, vector: Any, limit: int) -> Found:
        raise NotImplementedError

    def hybrid(self, text: str, vector: Any, limit: int) -> Found:
        raise NotImplementedError


class Ours(Engine):
    """Under all filters of the product: tenant, knowledge base, revision, readers."""

    depth = 0

    def __init__(self, folder: Path, corpus: Corpus | None) -> None:
        from knowledge_base.adapters.embedded.vector_indexes import EmbeddedVectorIndexes
        from knowledge_base.domain.chunks import Chunk, IndexedChunk
        from knowledge_base.domain.knowledge_bases import EmbeddingConfig
        from knowledge_base.domain.retrieval import ChunkFilter

        self._index = EmbeddedVectorIndexes(folder).of(EmbeddingConfig("bench", DIMENSIONS))
        self._few = ChunkFilter("acme", {"kb": 1}, frozenset({FEW}))
        self._all = ChunkFilter("acme", {"kb": 1}, frozenset({FEW, OTHERS}))
        for batch in batches(corpus, 500):
            self._index.write(
                [
                    IndexedChunk(
                        Chunk(f"doc-{n // 50}", 1, n % 50, text, 0, len(text)),
                        vector,
                        "acme",
                        "kb",
                        1,
                        readers=frozenset({mark}),
                    )
                    for n, text, vector, mark in batch
                ]
            )

    def dense(self, vector: Any, limit: int) -> Found:
        return self._read(self._index.find(vector=vector, limit=self.depth or limit, where=self._all).nearest, limit)

    def filtered(self, vector: Any, limit: int) -> Found:
        return self._read(self._index.find(vector=vector, limit=self.depth or limit, where=self._few).nearest, limit)

    def hybrid(self, text: str, vector: Any, limit: int) -> Found:
        from knowledge_base.domain.fusion import fuse
        from knowledge_base.domain.retrieval import SearchMode

        found = self._index.find(text=text, vector=vector, limit=self.depth or limit, where=self._all)
        return self._read(fuse(found, SearchMode.HYBRID), limit)

    def _read(self, hits: Iterable[Any], limit: int) -> Found:
        chunks = [hit.chunk for hit in hits][:limit]
        return [(int(chunk.document_id[4:]) * 50 + chunk.index, chunk.text) for chunk in chunks]


class OursAsSearched(Ours):
    """With the depth at which the product searches."""

    depth = 200


def batches(corpus: Corpus | None, size: int) -> Iterable[list[tuple[int, str, list[float], str]]]:
    for start in range(0, len(corpus.texts) if corpus else 0, size):
        assert corpus
        end = min(start + size, len(corpus.texts))
        vectors = corpus.vectors[start:end].tolist()
        yield list(zip(range(start, end), corpus.texts[start:end], vectors, corpus.marks[start:end], strict=True))
