"""What the embedded index derives from its chunks, and what a process holds in memory, keeps up with every change."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from knowledge_base.adapters.embedded.lucene import stored_length
from knowledge_base.adapters.embedded.vector_index import EmbeddedVectorIndex
from knowledge_base.adapters.words import count_words, question_words, words_of
from knowledge_base.domain.chunks import IndexedChunk
from knowledge_base.domain.retrieval import Candidates, ChunkFilter
from tests.builders import an_indexed_chunk
from tests.contract.vector_corpus import Corpus, cosine

DIMENSIONS = 24
NOW = ChunkFilter("acme", {"kb-1": 1})
NORTH = (1.0, 0.0, 0.0, 0.0)


def open_index(directory: Path, dimensions: int = DIMENSIONS, **options: int) -> EmbeddedVectorIndex:
    return EmbeddedVectorIndex(directory / "index.sqlite3", dimensions, **options)


def in_pieces(chunks: Sequence[IndexedChunk], *sizes: int) -> list[Sequence[IndexedChunk]]:
    ends = [sum(sizes[: place + 1]) for place in range(len(sizes))]
    return [chunks[end - size : end] for size, end in zip(sizes, ends, strict=True)] + [chunks[ends[-1] :]]


def filled(directory: Path, *pieces: Sequence[IndexedChunk]) -> EmbeddedVectorIndex:
    index = open_index(directory)
    for piece in pieces:
        assert index.write(piece) == frozenset()
    return index


def ask(index: EmbeddedVectorIndex, questions: Corpus, where: ChunkFilter = NOW) -> list[Candidates]:
    asked = [(questions.text(1 + number % 9), questions.vector()) for number in range(12)]
    return [index.find(text=text, vector=vector, limit=30, where=where) for text, vector in asked]


class Changes:
    """Draws one change of an index after another, such as publishing makes them."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._chunks = Corpus(seed, DIMENSIONS).chunks(400)
        self.revision = 1

    def next(self) -> Callable[[EmbeddedVectorIndex], object]:
        kb_id, document, reader = self._pick("kb", 2), self._pick("doc", 12), self._pick("role", 3)
        self.revision += 1
        now = self.revision
        changes: list[Callable[[EmbeddedVectorIndex], object]] = [
            lambda index: index.write(self._batch(now)),
            lambda index: index.write(self._batch(now)),
            lambda index: index.close_versions(kb_id, document, below=now, revision=now),
            lambda index: index.relabel(kb_id, document, readers=frozenset({reader})),
            lambda index: index.delete_closed(kb_id, through=now),
            lambda index: index.undo(kb_id, now - self._random.randrange(3)),
            lambda index: index.delete_document(kb_id, document),
        ]
        return self._random.choices(changes, [6, 6, 3, 3, 2, 1, 1])[0]

    def where(self) -> ChunkFilter:
        readers = frozenset({self._pick("role", 3)}) if self._random.random() < 0.5 else None
        revision = self.revision - self._random.randrange(3)
        return ChunkFilter("acme", {"kb-0": revision, "kb-1": revision}, readers=readers)

    def _batch(self, revision: int) -> list[IndexedChunk]:
        document, size = self._random.randrange(12), self._random.choice((1, 7, 60))
        drawn = self._random.sample(self._chunks, size)
        return [
            replace(
                item,
                chunk=replace(item.chunk, document_id=f"doc-{document}", ordinal=revision // 3, index=place),
                kb_id=f"kb-{document % 2}",
                from_rev=revision,
            )
            for place, item in enumerate(drawn)
        ]

    def _pick(self, name: str, number: int) -> str:
        return f"{name}:{self._random.randrange(number)}".replace(":", ":" if name == "role" else "-")


class TestReaderInMemory:
    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("memory", [1, 10**9])
    def test_reader_that_has_watched_all_changes_finds_what_a_new_one_finds(
        self, tmp_path: Path, seed: int, memory: int
    ) -> None:
        writer, watcher = open_index(tmp_path), open_index(tmp_path, memory=memory)
        changes, questions = Changes(seed), Corpus(seed + 1, DIMENSIONS)
        found = 0
        for _ in range(60):
            changes.next()(writer)
            where, text, vector = changes.where(), questions.text(5), questions.vector()
            seen, fresh = (
                index.find(text=text, vector=vector, limit=10_000, where=where)
                for index in (watcher, open_index(tmp_path))
            )
            assert seen == fresh
            assert watcher.count(where) == len(seen.nearest)
            found += len(seen.matching)
        assert found > 0

    def test_small_publish_into_a_large_knowledge_base_is_read_by_itself(self, tmp_path: Path) -> None:
        chunks = Corpus(1, DIMENSIONS).chunks(3000)
        writer, reader = filled(tmp_path, chunks[:2500]), open_index(tmp_path)
        ask(reader, Corpus(2, DIMENSIONS))
        for piece in in_pieces(chunks[2500:], 1, 30, 200):
            writer.write(piece)
            assert ask(reader, Corpus(2, DIMENSIONS)) == ask(open_index(tmp_path), Corpus(2, DIMENSIONS))


class TestWords:
    def test_scores_are_those_of_the_formula(self, tmp_path: Path) -> None:
        chunks = Corpus(1, DIMENSIONS).chunks(900)
        index, questions = filled(tmp_path, *in_pieces(chunks, 3, 40, 500)), Corpus(2, DIMENSIONS)
        texts = {item.chunk.chunk_id: item.chunk.text for item in chunks}
        for length in range(1, 20):
            question = questions.text(length)
            found = index.find(text=question, limit=2000, where=NOW).matching
            expected = bm25(question, texts)
            assert {hit.chunk.chunk_id: hit.keyword for hit in found} == pytest.approx(expected, rel=1e-5)

    @pytest.mark.parametrize("sizes", [(1, 1, 1), (500, 600, 700), (30,) * 60, (1, 999, 1, 700)])
    def test_it_does_not_matter_in_how_many_pieces_chunks_are_written(
        self, tmp_path: Path, sizes: tuple[int, ...]
    ) -> None:
        chunks = Corpus(1, DIMENSIONS).chunks(2400)
        whole, pieced = filled(tmp_path / "whole", chunks), filled(tmp_path / "pieced", *in_pieces(chunks, *sizes))
        assert ask(whole, Corpus(2, DIMENSIONS)) == ask(pieced, Corpus(2, DIMENSIONS))

    def test_deleted_knowledge_base_leaves_no_trace_in_scores(self, tmp_path: Path) -> None:
        chunks = Corpus(1, DIMENSIONS).chunks(1500)
        others = [
            replace(i, kb_id="kb-2", chunk=replace(i.chunk, document_id=f"other-{n}")) for n, i in enumerate(chunks)
        ]
        alone, beside = filled(tmp_path / "alone", chunks), filled(tmp_path / "beside", others, chunks)
        assert ask(alone, Corpus(2, DIMENSIONS)) != ask(beside, Corpus(2, DIMENSIONS))
        beside.delete_knowledge_base("kb-2")
        assert ask(alone, Corpus(2, DIMENSIONS)) == ask(beside, Corpus(2, DIMENSIONS))

    def test_chunks_between_deleted_ones_are_found_by_their_own_words(self, tmp_path: Path) -> None:
        chunks = [an_indexed_chunk(f"pump n{n}", (1.0,) * 4, document_id=f"doc-{n}") for n in range(300)]
        index = open_index(tmp_path, 4)
        index.write(chunks)
        for number in range(300):
            if number % 7:
                index.delete_document("kb-1", f"doc-{number}")
        for number in range(300):
            found = index.find(text=f"n{number}", limit=5, where=NOW).matching
            assert [hit.chunk.text for hit in found] == ([] if number % 7 else [f"pump n{number}"])

    def test_word_that_stands_in_a_text_thousands_of_times_counts_them(self, tmp_path: Path) -> None:
        index = open_index(tmp_path, 4)
        repeats = (255, 256, 300, 70_000)
        index.write([an_indexed_chunk("pump " * n + "x " * (70_000 - n), index=n) for n in repeats])
        found = index.find(text="pump", limit=9, where=NOW).matching
        assert [hit.chunk.index for hit in found] == [70_000, 300, 256, 255]


class TestTies:
    @pytest.mark.parametrize("asked", [{"text": "pump"}, {"vector": NORTH}])
    def test_of_thousands_that_tie_the_first_by_chunk_id_are_found(self, tmp_path: Path, asked: dict[str, str]) -> None:
        index = open_index(tmp_path, 4)
        index.write([an_indexed_chunk("a pump", NORTH, index=place) for place in range(3000)])
        found = index.find(**asked, limit=4, where=NOW)  # type: ignore[arg-type]
        first = [f"doc-1:1:{place}" for place in ("0", "1", "10", "100")]
        assert [hit.chunk.chunk_id for hit in found.nearest or found.matching] == first


class TestNearness:
    @pytest.mark.parametrize("spread", [0.6, 0.1])
    def test_neighbours_in_a_narrow_cone_are_told_apart(self, tmp_path: Path, spread: float) -> None:
        """As those of many models, whose vectors have a cosine of .8 to one another, whatever they mean."""
        numbers = random.Random(1)

        def vector() -> list[float]:
            return [3.0 * (place == 0) + numbers.gauss(0, spread) for place in range(DIMENSIONS)]

        chunks = [an_indexed_chunk("a pump", vector(), index=place) for place in range(4000)]
        index = filled(tmp_path, chunks)
        for question in (vector() for _ in range(10)):
            nearest = sorted(chunks, key=lambda item: -cosine(item.vector, question))[:20]
            found = index.find(vector=question, limit=20, where=NOW).nearest
            assert [hit.chunk for hit in found] == [item.chunk for item in nearest]


def bm25(question: str, texts: dict[str, str]) -> dict[str, float]:
    """Score texts by the formula of Lucene's `BM25Similarity`."""
    counted = {chunk_id: Counter(words_of(text)) for chunk_id, text in texts.items()}
    lengths = {chunk_id: stored_length(count_words(text)) for chunk_id, text in texts.items()}
    average = sum(words.total() for words in counted.values()) / len(texts)
    scores: dict[str, float] = {}
    for word in (word.encode() for word in question_words(question)):
        having = sum(word in words for words in counted.values())
        rarity = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
        for chunk_id, words in counted.items():
            if word in words:
                norm = 1.2 * (0.25 + 0.75 * lengths[chunk_id] / average)
                scores[chunk_id] = scores.get(chunk_id, 0) + 2.2 * rarity * words[word] / (words[word] + norm)
    return scores
