"""The chunks that one search looks at: the rows of some shelves, counted through as positions."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
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
    """Shelves, and for each position whether the chunk there matches the filter."""

    shelves: Sequence[Shelf]
    is_allowed: NDArray[np.bool_]

    @cached_property
    def starts(self) -> list[int]:
        """The position with which each shelf begins, and the number of all positions."""
        return list(accumulate((len(shelf.ids) for shelf in self.shelves), initial=0))

    @cached_property
    def ids(self) -> NDArray[np.int64]:
        """The id of the chunk at each position."""
        return _joined(self.shelves, lambda shelf: shelf.ids)

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """The length of each text."""
        return _joined(self.shelves, lambda shelf: shelf.lengths)

    @cached_property
    def has_vector(self) -> NDArray[np.bool_]:
        """Whether each vector points anywhere."""
        return _joined(self.shelves, lambda shelf: shelf.has_vector)

    @cached_property
    def inverse_norms(self) -> NDArray[np.float32]:
        """One by the length of each code."""
        return _joined(self.shelves, lambda shelf: shelf.inverse_norms)

    def codes_at(self, positions: NDArray[np.intp]) -> NDArray[np.int8]:
        """Return the codes at positions, given in ascending order."""
        limits = np.searchsorted(positions, self.starts).tolist()
        parts = [
            shelf.codes.take(positions[start:end] - before, axis=0)
            for shelf, before, start, end in zip(self.shelves, self.starts, limits, limits[1:], strict=False)
            if start < end
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


def read_scope(connection: Connection, shelves: Shelves, where: ChunkFilter) -> Scope:
    """Return the chunks of the knowledge bases of a filter, and which match it, as the connection sees them."""
    found: list[Any] = connection.execute(_ASKED, (json.dumps(list(where.revisions)), where.tenant)).fetchall()
    read = shelves.read(connection, found)
    if not read:
        return Scope((), np.empty(0, dtype=np.bool_))
    revision = _revisions(read, where.revisions)
    allowed = _joined(read, lambda shelf: shelf.from_revs) <= revision
    allowed &= _joined(read, lambda shelf: shelf.to_revs) > revision
    sets, documents = connection.execute(_SIZES).get
    if where.readers is not None:
        is_chosen = _chosen(connection, _READER_SETS, where.readers, sets)
        allowed &= is_chosen[_joined(read, lambda shelf: shelf.reader_sets)]
    if where.document_ids is not None:
        is_chosen = _chosen(connection, _DOCUMENTS, where.document_ids, documents)
        allowed &= is_chosen[_joined(read, lambda shelf: shelf.documents)]
    return Scope(read, allowed)


def _revisions(shelves: Sequence[Shelf], revisions: dict[str, int]) -> NDArray[np.int64] | int:
    if len(shelves) == 1:
        return revisions[shelves[0].kb_id]
    return np.repeat([revisions[shelf.kb_id] for shelf in shelves], [len(shelf.ids) for shelf in shelves])


def _chosen(connection: Connection, statement: str, names: Collection[str], largest: int) -> NDArray[np.bool_]:
    """Return for each number up to the largest whether it is that of one of the names."""
    is_chosen = np.zeros(largest + 1, dtype=np.bool_)
    is_chosen[[number for (number,) in connection.execute(statement, (json.dumps(list(names)),))]] = True
    return is_chosen


def _joined(shelves: Sequence[Shelf], column: Callable[[Shelf], NDArray[Any]]) -> NDArray[Any]:
    parts = [column(shelf) for shelf in shelves]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
