"""The leg that goes by words: BM25 of every chunk that has one, in single precision as Lucene's.

Every posting of every word is added up. To leave out, as MaxScore does, what cannot reach the best any more
was measured to cost more than it saves: with arrays, an addition is cheaper than a comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from knowledge_base.adapters.embedded.lucene import weight
from knowledge_base.adapters.embedded.nearest import best
from knowledge_base.adapters.embedded.postings import digest
from knowledge_base.adapters.embedded.scope import Scope
from knowledge_base.adapters.embedded.scoring import Scores

if TYPE_CHECKING:
    from apsw import Connection

_FREQUENCIES = "SELECT value, chunks FROM carray(?) CROSS JOIN frequencies ON word = value"


class _Word(NamedTuple):
    chunks: int
    digest: int
    weight: np.float32


def matching(
    connection: Connection, scope: Scope, words: Sequence[str], limit: int
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Return the positions of the best, in ascending order, and their scores; over `limit` only for ties."""
    chunks, total = connection.execute("SELECT chunks, words FROM totals").get
    known = _known(connection, words, chunks)
    if not known:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.float32)
    scores = Scores(connection, scope, total / chunks)
    for word in known:
        scores.add(word.digest, word.weight)
    final = scores.of_allowed()
    found = best(final, limit)
    found = found[final[found] > 0]
    return found, final[found]


def _known(connection: Connection, words: Sequence[str], chunks: int) -> list[_Word]:
    """Return the words that any chunk has, in an order that depends on them alone."""
    import apsw

    if not words:
        return []
    digests = np.array([digest(word.encode()) for word in words], dtype=np.uint64)
    rows = connection.execute(_FREQUENCIES, (apsw.carray(digests.view(np.int64)),))
    return sorted(_Word(having, word % 2**64, weight(having, chunks)) for word, having in rows)
