"""The leg that goes by nearness: a scan of the high bytes, then the exact cosine of the few that may be best."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from knowledge_base.adapters.embedded.scope import Scope
from knowledge_base.adapters.embedded.vectors import Encoded, cosines, products

if TYPE_CHECKING:
    from apsw import Connection

SPARE = 64
"""So many more than are wanted, or half as many more, are compared exactly.

Measured on vectors of the bundled model: among 100,000, the 10 nearest are among the 20 with the nearest
high bytes, the 200 nearest among 256.
"""

EXACT = 512
"""If no more than so many match, all are compared exactly."""

LARGE, SPARSE = 4096, 4
"""A large knowledge base is scanned where it lies, unless fewer than one in `SPARSE` of its chunks match: the codes
of those are brought together, as are those of small knowledge bases."""

_LOW_BYTES = "SELECT low_bytes FROM carray(?) CROSS JOIN vectors ON id = value"


def nearest(
    connection: Connection, scope: Scope, query: Encoded, limit: int
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the positions of the nearest, in ascending order, and their cosines; over `limit` only for ties."""
    candidates = np.flatnonzero(scope.is_allowed & scope.has_vector)
    if len(candidates) > EXACT:
        candidates = candidates[best(_scan(scope, candidates, query), limit + max(SPARE, limit // 2))]
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


def _scan(scope: Scope, eligible: NDArray[np.intp], query: Encoded) -> NDArray[np.float64]:
    """Return for each eligible position, in ascending order, its cosine by the high bytes, but for one factor."""
    found, is_left = np.empty(len(eligible)), np.ones(len(eligible), dtype=np.bool_)
    limits = np.searchsorted(eligible, scope.starts).tolist()
    for shelf, before, start, end in zip(scope.shelves, scope.starts, limits, limits[1:], strict=False):
        if len(shelf.ids) >= LARGE and SPARSE * (end - start) >= len(shelf.ids):
            found[start:end] = products(query, shelf.codes)[eligible[start:end] - before]
            is_left[start:end] = False
    if is_left.any():
        found[is_left] = products(query, scope.codes_at(eligible[is_left]))
    return found * scope.inverse_norms[eligible]
