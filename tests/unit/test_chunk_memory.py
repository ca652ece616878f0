"""The memory of found chunks reads each once, keeps those found last, and never more than it may."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from knowledge_base.adapters.embedded import chunk_memory
from knowledge_base.adapters.embedded.chunk_memory import ChunkMemory
from knowledge_base.domain.chunks import Chunk
from tests.builders import a_chunk


class Table:
    """Gives a chunk for every id, and remembers which were asked for."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def read(self, ids: Sequence[int]) -> Iterator[tuple[int, Chunk]]:
        self.asked.extend(ids)
        return ((id_, a_chunk(f"text {id_}")) for id_ in ids)


@pytest.fixture
def table() -> Table:
    return Table()


def test_chunk_is_read_once(table: Table) -> None:
    memory = ChunkMemory()
    for _ in range(2):
        found = memory.read([3, 1, 2], table.read)
        assert {id_: chunk.text for id_, chunk in found.items()} == {id_: f"text {id_}" for id_ in (1, 2, 3)}
    assert table.asked == [3, 1, 2]


def test_only_what_is_not_kept_is_read(table: Table) -> None:
    memory = ChunkMemory()
    memory.read([1, 2], table.read)
    assert set(memory.read([2, 3], table.read)) == {2, 3}
    assert table.asked == [1, 2, 3]


def test_chunk_found_longest_ago_is_forgotten_first(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunk_memory, "MOST", 3)
    memory = ChunkMemory()
    for ids in ([1, 2, 3], [1], [4], [1, 3, 4], [2]):
        memory.read(ids, table.read)
    assert table.asked == [1, 2, 3, 4, 2]


def test_more_than_it_keeps_is_found_all_the_same(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunk_memory, "MOST", 3)
    assert set(ChunkMemory().read(range(10), table.read)) == set(range(10))
