"""The chunks that one search may find: rows of some shelves, counted through as positions."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from knowledge_base.adapters.embedded.shelf import Shelf
from knowledge_base.adapters.embedded.shelves import Shelves
from knowledge_base.domain.retrieval import ChunkFilter

if TYPE_CHECKING:
    from apsw import Connection

_ASKED = """
SELECT k.number, k.kb_id, k.stamp FROM json_each(?) AS asked CROSS JOIN knowledge_bases AS k
WHERE k.kb_id = asked.value AND k.tenant = ?
"""
_READER_SETS = "SELECT DISTINCT reader_set FROM json_each(?) CROSS JOIN reader_marks ON reader = value"
_DOCUMENTS = "SELECT number FROM json_each(?) CROSS JOIN documents ON document_id = value"
_SIZES = "SELECT (SELECT max(number) FROM reader_sets), (SELECT max(number) FROM documents)"


@dataclass(frozen=True)
class Scope:
    """Shelves with the rows of each that match a filter."""

    shelves: Sequence[Shelf]
    allowed: Sequence[NDArray[np.bool_]]

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The position with which each shelf begins, and the number of all positions."""
        return np.cumsum([0, *map(len, self.allowed)])

    @cached_property
    def ids(self) -> NDArray[np.int64]:
        """The id of the chunk at each position."""
        return _joined([shelf.ids for shelf in self.shelves], np.int64)

    @cached_property
    def is_allowed(self) -> NDArray[np.bool_]:
        """Whether the chunk at each position matches the filter."""
        return _joined(self.allowed, np.bool_)

    @cached_property
    def has_vector(self) -> NDArray[np.bool_]:
        """Whether the vector of the chunk at each position points anywhere."""
        return _joined([shelf.has_vector for shelf in self.shelves], np.bool_)

    def codes_at(self, positions: NDArray[np.intp]) -> NDArray[np.int8]:
        """Return the codes at positions, given in ascending order."""
        limits = np.searchsorted(positions, self.starts)
        return np.concatenate(
            [
                shelf.codes[positions[start:end] - before]
                for shelf, before, start, end in zip(self.shelves, self.starts, limits, limits[1:], strict=False)
                if start < end
            ]
        )


def _joined(parts: Sequence[NDArray[Any]], kind: type[np.generic]) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, dtype=kind), *parts])


def read_scope(connection: Connection, shelves: Shelves, where: ChunkFilter) -> Scope:
    """Return the chunks that match a filter, as the connection sees them."""
    found = connection.execute(_ASKED, (json.dumps(list(where.revisions)), where.tenant)).fetchall()
    read = shelves.read(connection, found)
    sets, documents = connection.execute(_SIZES).get if read else (0, 0)
    by_reader = _chosen(connection, _READER_SETS, where.readers, sets)
    by_document = _chosen(connection, _DOCUMENTS, where.document_ids, documents)
    return Scope(read, [_allowed(shelf, where.revisions[shelf.kb_id], by_reader, by_document) for shelf in read])


def _chosen(
    connection: Connection, statement: str, names: Collection[str] | None, largest: int | None
) -> NDArray[np.bool_] | None:
    """Return for each number up to the largest whether it is chosen, None if all are."""
    if names is None:
        return None
    is_chosen = np.zeros((largest or 0) + 1, dtype=bool)
    is_chosen[[number for (number,) in connection.execute(statement, (json.dumps(list(names)),))]] = True
    return is_chosen


def _allowed(
    shelf: Shelf, revision: int, by_reader: NDArray[np.bool_] | None, by_document: NDArray[np.bool_] | None
) -> NDArray[np.bool_]:
    allowed = (shelf.from_revs <= revision) & (shelf.to_revs > revision)
    if by_reader is not None:
        allowed &= by_reader[shelf.reader_sets]
    if by_document is not None:
        allowed &= by_document[shelf.documents]
    return allowed
