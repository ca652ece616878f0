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
    eligible = scope.is_allowed & scope.has_vector
    if np.count_nonzero(eligible) <= EXACT:
        candidates = np.flatnonzero(eligible)
    else:
        candidates = best(_scan(scope, eligible, query), limit + max(SPARE, limit // 2))
        candidates = candidates[eligible[candidates]]
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


def _scan(scope: Scope, eligible: NDArray[np.bool_], query: Encoded) -> NDArray[np.float32]:
    """Return for each eligible position its cosine by the high bytes, but for one factor; for others, too little."""
    scores = np.full(len(eligible), -np.inf, dtype=np.float32)
    is_left = eligible.copy()
    for shelf, start, end in zip(scope.shelves, scope.starts, scope.starts[1:], strict=False):
        if end - start >= LARGE and SPARSE * np.count_nonzero(eligible[start:end]) >= end - start:
            here = slice(start, end)
            factors, wanted = scope.inverse_norms[here], eligible[here]
            np.multiply(products(query, shelf.codes), factors, out=scores[here], casting="same_kind", where=wanted)
            is_left[here] = False
    if len(left := np.flatnonzero(is_left)):
        scores[left] = products(query, scope.codes_at(left)) * scope.inverse_norms[left]
    return scores
