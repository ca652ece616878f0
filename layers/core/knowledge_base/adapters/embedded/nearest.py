"""The leg that goes by nearness: a scan of the high bytes, then the exact cosine of the few that may be best."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from knowledge_base.adapters.embedded.scope import Scope
from knowledge_base.adapters.embedded.shelf import Shelf
from knowledge_base.adapters.embedded.vectors import Encoded, cosines, products

if TYPE_CHECKING:
    from apsw import Connection

SPARE = 64
"""So many more than are wanted, or as many again, are compared exactly.

Measured on vectors of the bundled model: among 100,000, the 10 nearest are among the 20 with the nearest
high bytes, the 200 nearest among 256.
"""

EXACT = 512
"""If no more than so many match, all are compared exactly."""

_LOW_BYTES = "SELECT low_bytes FROM carray(?) CROSS JOIN vectors ON id = value"


def nearest(
    connection: Connection, scope: Scope, query: Encoded, limit: int
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return positions that hold the nearest, in ascending order, and their cosines; more than `limit` only for ties."""
    candidates, scores = _scan(scope, query)
    if len(candidates) > EXACT:
        candidates = candidates[best(scores, limit + max(SPARE, limit))]
    exact = exact_cosines(connection, scope, query, candidates)
    chosen = best(exact, limit)
    return candidates[chosen], exact[chosen]


def exact_cosines(
    connection: Connection, scope: Scope, query: Encoded, positions: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the cosine of a vector to those at positions, given in ascending order."""
    import apsw

    if not len(positions):
        return np.empty(0)
    rows = connection.execute(_LOW_BYTES, (apsw.carray(scope.ids[positions]),))
    low_bytes = np.frombuffer(b"".join([data for (data,) in rows]), dtype=np.int16)
    others = Encoded(scope.codes_at(positions), low_bytes.reshape(len(positions), -1), query.norms)
    return cosines(query, others)


def best(scores: NDArray[np.floating], limit: int) -> NDArray[np.intp]:
    """Return where the `limit` largest are, and all that are equal to the last of them."""
    if len(scores) <= limit:
        return np.arange(len(scores))
    return np.flatnonzero(scores >= np.partition(scores, len(scores) - limit)[len(scores) - limit])


def _scan(scope: Scope, query: Encoded) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Return the positions that have a vector, and its cosine by the high bytes, but for one factor."""
    positions, scores = [np.empty(0, dtype=np.intp)], [np.empty(0, dtype=np.float32)]
    for shelf, allowed, start in zip(scope.shelves, scope.allowed, scope.starts.tolist(), strict=False):
        rows = np.flatnonzero(allowed & shelf.has_vector)
        if len(rows):
            positions.append(rows + start)
            scores.append(_scores(shelf, rows, query))
    return np.concatenate(positions), np.concatenate(scores)


def _scores(shelf: Shelf, rows: NDArray[np.intp], query: Encoded) -> NDArray[np.float32]:
    if 4 * len(rows) < len(shelf.ids):
        return (products(query, shelf.codes[rows]) * shelf.inverse_norms[rows]).astype(np.float32)
    scores = (products(query, shelf.codes) * shelf.inverse_norms).astype(np.float32)
    return scores if len(rows) == len(scores) else scores[rows]
