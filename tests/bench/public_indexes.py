"""Public indexes, each as its manual shows it, with the legs that it has."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tests.bench.index_corpus import DIMENSIONS, FEW, Corpus
from tests.bench.index_engines import Engine, Found, Ours, OursAsSearched, batches


class Chroma(Engine):
    def __init__(self, folder: Path, corpus: Corpus | None) -> None:
        import chromadb

        client = chromadb.PersistentClient(str(folder), chromadb.Settings(anonymized_telemetry=False))
        self._chunks = client.get_or_create_collection(
            "chunks", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )
        for batch in batches(corpus, 2000):
            numbers, texts, vectors, marks = zip(*batch, strict=True)
            self._chunks.add([str(n) for n in numbers], list(vectors), [{"mark": mark} for mark in marks], list(texts))

    def dense(self, vector: Any, limit: int) -> Found:
        return self._query(vector, limit, None)

    def filtered(self, vector: Any, limit: int) -> Found:
        return self._query(vector, limit, {"mark": FEW})

    def _query(self, vector: Any, limit: int, where: dict[str, Any] | None) -> Found:
        found = self._chunks.query(query_embeddings=[vector], n_results=limit, where=where, include=["documents"])
        return [(int(id_), text) for id_, text in zip(found["ids"][0], found["documents"][0], strict=True)]


class LanceDB(Engine):
    """With its index of neighbours, its full-text index, and one of the marks."""

    def __init__(self, folder: Path, corpus: Corpus | None) -> None:
        import lancedb

        database = lancedb.connect(str(folder))
        if corpus:
            self._table = database.create_table("chunks", _rows(corpus, 0, 1000))
            for start in range(1000, len(corpus.texts), 5000):
                self._table.add(_rows(corpus, start, 5000))
            self._table.create_index(metric="cosine", vector_column_name="vector", index_type="IVF_HNSW_SQ")
            self._table.create_fts_index("text")
            self._table.create_scalar_index("mark", index_type="BITMAP")
        else:
            self._table = database.open_table("chunks")

    def dense(self, vector: Any, limit: int) -> Found:
        return _listed(self._near(vector, limit))

    def filtered(self, vector: Any, limit: int) -> Found:
        return _listed(self._near(vector, limit).where(f"mark = '{FEW}'", prefilter=True))

    def hybrid(self, text: str, vector: Any, limit: int) -> Found:
        asked = self._table.search(query_type="hybrid").vector(vector).text(text).limit(limit)
        return _listed(asked.distance_type("cosine").refine_factor(4))

    def _near(self, vector: Any, limit: int) -> Any:
        return self._table.search(vector).distance_type("cosine").refine_factor(4).limit(limit)


class LangChain(Engine):
    """FAISS, and for hybrid search an ensemble of it with `rank-bm25`."""

    def __init__(self, folder: Path, corpus: Corpus | None) -> None:
        from langchain_community.vectorstores import FAISS

        self._folder, self._ensemble = folder, None
        if corpus:
            metadatas = [{"number": n, "mark": mark} for n, mark in enumerate(corpus.marks)]
            pairs = zip(corpus.texts, corpus.vectors.tolist(), strict=True)
            self._store = FAISS.from_embeddings(pairs, _FixedEmbeddings(), metadatas)
            self._store.save_local(str(folder))
        else:
            self._store = FAISS.load_local(str(folder), _FixedEmbeddings(), allow_dangerous_deserialization=True)

    def dense(self, vector: Any, limit: int) -> Found:
        return self._read(self._store.similarity_search_by_vector(vector, k=limit))

    def filtered(self, vector: Any, limit: int) -> Found:
        found = self._store.similarity_search_by_vector(vector, k=limit, filter={"mark": FEW}, fetch_k=40 * limit)
        return self._read(found)

    def hybrid(self, text: str, vector: Any, limit: int) -> Found:
        self._ensemble = self._ensemble or self._make_ensemble(limit)
        _FixedEmbeddings.vector = vector
        return self._read(self._ensemble.invoke(text))[:limit]

    def _make_ensemble(self, limit: int) -> Any:
        from langchain_classic.retrievers import EnsembleRetriever
        from langchain_community.retrievers import BM25Retriever

        words = BM25Retriever.from_documents(list(self._store.docstore._dict.values()), k=limit)
        near = self._store.as_retriever(search_kwargs={"k": limit})
        return EnsembleRetriever(retrievers=[words, near], weights=[0.3, 0.7])

    def _read(self, documents: Iterable[Any]) -> Found:
        return [(document.metadata["number"], document.page_content) for document in documents]


class LlamaIndex(Engine):
    """FAISS, and for hybrid search a fusion of it with `bm25s`; a store of FAISS takes no filter."""

    def __init__(self, folder: Path, corpus: Corpus | None) -> None:
        import faiss
        from llama_index.core import StorageContext, VectorStoreIndex, load_index_from_storage
        from llama_index.core.embeddings import MockEmbedding
        from llama_index.core.schema import TextNode
        from llama_index.vector_stores.faiss import FaissVectorStore

        self._folder, model = folder, MockEmbedding(embed_dim=DIMENSIONS)
        if corpus:
            nodes = [
                TextNode(id_=str(n), text=text, embedding=vector) for n, text, vector, _ in next(batches(corpus, 10**9))
            ]
            store = FaissVectorStore(faiss.IndexFlatIP(DIMENSIONS))
            context = StorageContext.from_defaults(vector_store=store)
            self._index = VectorStoreIndex(nodes, storage_context=context, embed_model=model)
            self._index.storage_context.persist(str(folder))
            self._write_words(nodes)
        else:
            store = FaissVectorStore.from_persist_dir(str(folder))
            context = StorageContext.from_defaults(vector_store=store, persist_dir=str(folder))
            self._index = load_index_from_storage(context, embed_model=model)
        self._near = self._index.as_retriever(similarity_top_k=10)
        self._words: Any = None

    def dense(self, vector: Any, limit: int) -> Found:
        from llama_index.core import QueryBundle

        self._near.similarity_top_k = limit
        return self._read(self._near.retrieve(QueryBundle("", embedding=vector)))

    def hybrid(self, text: str, vector: Any, limit: int) -> Found:
        from llama_index.core import QueryBundle

        if self._words is None:
            from llama_index.retrievers.bm25 import BM25Retriever

            self._words = BM25Retriever.from_persist_dir(str(self._folder / "words"))
            self._words.similarity_top_k = limit
        asked = QueryBundle(text, embedding=vector)
        legs = self._near.retrieve(asked), self._words.retrieve(asked)
        ranks: dict[str, tuple[float, Any]] = {}
        for leg in legs:  # reciprocal ranks, as its QueryFusionRetriever, which would embed the text again
            for rank, node in enumerate(leg):
                ranks[node.node_id] = (ranks.get(node.node_id, (0.0, node))[0] + 1 / (rank + 60), node)
        return self._read(node for _, node in sorted(ranks.values(), key=lambda pair: -pair[0])[:limit])

    def _write_words(self, nodes: list[Any]) -> None:
        from llama_index.retrievers.bm25 import BM25Retriever

        BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=10).persist(str(self._folder / "words"))

    def _read(self, found: Iterable[Any]) -> Found:
        return [(int(node.node.node_id), node.node.text) for node in found]


class SqliteVec(Engine):
    """A table of `sqlite-vec`, searched exactly, with FTS5 beside it."""

    def __init__(self, folder: Path, corpus: Corpus | None) -> None:
        import apsw
        import sqlite_vec

        folder.mkdir(exist_ok=True)
        self._file = apsw.Connection(str(folder / "chunks.sqlite3"))
        self._file.enable_load_extension(True)
        self._file.load_extension(sqlite_vec.loadable_path())
        if corpus:
            self._file.pragma("journal_mode", "wal")
            self._file.execute(
                f"CREATE VIRTUAL TABLE near USING vec0 (v float[{DIMENSIONS}] distance_metric=cosine, mark text)"
            )
            self._file.execute("CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT)")
            self._file.execute("CREATE VIRTUAL TABLE words USING fts5 (text, content='texts', content_rowid='id')")
        for batch in batches(corpus, 500):
            with self._file:
                self._file.executemany(
                    "INSERT INTO near (rowid, v, mark) VALUES (?, ?, ?)", [(n, _packed(v), m) for n, _, v, m in batch]
                )
                for table in ("texts (id, text)", "words (rowid, text)"):
                    rows = [(n, text) for n, text, _, _ in batch]
                    self._file.executemany(f"INSERT INTO {table} VALUES (?, ?)", rows)

    def dense(self, vector: Any, limit: int) -> Found:
        return self._read(self._near(vector, limit))

    def filtered(self, vector: Any, limit: int) -> Found:
        return self._read(self._near(vector, limit, f"AND mark = '{FEW}'"))

    def hybrid(self, text: str, vector: Any, limit: int) -> Found:
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(text.split()))
        words = self._file.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", (match, limit))
        ranks: dict[int, float] = {}
        for leg in (self._near(vector, limit), [id_ for (id_,) in words]):
            for rank, id_ in enumerate(leg):
                ranks[id_] = ranks.get(id_, 0) + 1 / (rank + 60)
        return self._read(sorted(ranks, key=lambda id_: -ranks[id_])[:limit])

    def _near(self, vector: Any, limit: int, also: str = "") -> list[int]:
        statement = f"SELECT rowid FROM near WHERE v MATCH ? AND k = ? {also}"
        return [id_ for (id_,) in self._file.execute(statement, (_packed(vector), limit))]

    def _read(self, ids: list[int]) -> Found:
        texts = dict(
            self._file.execute(
                "SELECT id, text FROM texts WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(ids),)
            )
        )
        return [(id_, texts[id_]) for id_ in ids]


class Txtai(Engine):
    """With contents, so that it can filter, and its index of words."""

    def __init__(self, folder: Path, corpus: Corpus | None) -> None:
        os.environ["ALLOW_RESOLVE_TRANSFORM"] = "1"
        from txtai import Embeddings

        settings = {"method": "external", "transform": _PUT_DOWN, "content": True, "hybrid": True, "backend": "faiss"}
        self._chunks = Embeddings(settings)
        if corpus:
            _FixedEmbeddings.passages = corpus.vectors
            rows = ((n, {"text": text, "mark": corpus.marks[n]}, None) for n, text in enumerate(corpus.texts))
            self._chunks.index(rows)
            self._chunks.save(str(folder / "chunks"))
        else:
            self._chunks.load(str(folder / "chunks"))

    def dense(self, vector: Any, limit: int) -> Found:
        _FixedEmbeddings.vector = vector
        return self._read(self._chunks.search("any", limit, weights=1))

    def filtered(self, vector: Any, limit: int) -> Found:
        _FixedEmbeddings.vector = vector
        asked = f"SELECT id, text FROM txtai WHERE similar('any', {40 * limit}) AND mark = '{FEW}' LIMIT {limit}"
        return self._read(self._chunks.search(asked, limit, weights=1))

    def hybrid(self, text: str, vector: Any, limit: int) -> Found:
        _FixedEmbeddings.vector = vector
        return self._read(self._chunks.search(text, limit, weights=0.7))

    def _read(self, rows: Iterable[dict[str, Any]]) -> Found:
        return [(int(row["id"]), row["text"]) for row in rows]


_PUT_DOWN = "tests.bench.public_indexes.vectors_put_down"


class _FixedEmbeddings:
    """Stands for a model: gives the vector that was put down."""

    vector: Any = None
    passages: Any = None

    def embed_query(self, text: str) -> Any:
        return self.vector

    def embed_documents(self, texts: list[str]) -> Any:
        raise NotImplementedError

    def __call__(self, text: str) -> Any:
        return self.vector


def vectors_put_down(texts: list[str]) -> Any:
    """Give as many of the passages' vectors as there are texts, then the question's."""
    import numpy as np

    if _FixedEmbeddings.passages is None or not len(_FixedEmbeddings.passages):
        return np.array([_FixedEmbeddings.vector] * len(texts), dtype=np.float32)
    given, _FixedEmbeddings.passages = np.split(_FixedEmbeddings.passages, [len(texts)])
    return given


def _rows(corpus: Corpus, start: int, size: int) -> list[dict[str, Any]]:
    columns = (
        corpus.texts[start : start + size],
        corpus.vectors[start : start + size],
        corpus.marks[start : start + size],
    )
    return [
        {"number": start + place, "text": text, "vector": vector, "mark": mark}
        for place, (text, vector, mark) in enumerate(zip(*columns, strict=True))
    ]


def _listed(asked: Any) -> Found:
    return [(row["number"], row["text"]) for row in asked.select(["number", "text"]).to_list()]


def _packed(vector: Any) -> bytes:
    from array import array

    return array("f", vector).tobytes()


OURS = ("ours", "ours (200 a leg)")
ENGINES: dict[str, Callable[[Path, Corpus | None], Engine]] = {
    OURS[0]: Ours,
    OURS[1]: OursAsSearched,
    "chroma": Chroma,
    "lancedb": LanceDB,
    "langchain + faiss": LangChain,
    "llama-index + faiss": LlamaIndex,
    "sqlite-vec + FTS5": SqliteVec,
    "txtai": Txtai,
}
