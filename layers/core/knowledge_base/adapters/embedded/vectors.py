"""Vectors as the index holds them: 24 bits a dimension, the high byte apart from the low two.

The high bytes of a knowledge base are scanned whole, and find candidates; with the low bytes of those few
the cosine is as exact as single precision allows. A vector that points nowhere has the norm 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import simsimd
from numpy.typing import NDArray

from knowledge_base.adapters.storable import SHORTEST
from knowledge_base.domain.chunks import Vector

LOW_BITS = 16
LARGEST = 127 * 2**LOW_BITS + 2 ** (LOW_BITS - 1) - 1
"""The largest number whose high byte is at most 127 after rounding."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """Vectors: their high bytes and low bytes, each (vectors, dimensions), and the lengths of the high bytes."""

    codes: NDArray[np.int8]
    low_bytes: NDArray[np.int16]
    norms: NDArray[np.float32]


def encode(vectors: Sequence[Vector]) -> Encoded:
    """Return vectors in 24 bits a dimension, each scaled so that its largest number needs them all."""
    matrix = np.array(vectors, dtype=np.float64)
    peaks = np.abs(matrix).max(axis=1, keepdims=True)
    peaks[np.linalg.norm(matrix, axis=1) <= SHORTEST] = np.inf
    fixed = np.rint(matrix * (LARGEST / peaks)).astype(np.int32)
    high = (fixed + 2 ** (LOW_BITS - 1)) >> LOW_BITS
    wide = high.astype(np.float32)
    norms = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    return Encoded(high.astype(np.int8), (fixed - (high << LOW_BITS)).astype(np.int16), norms)


def products(query: Encoded, codes: NDArray[np.int8]) -> NDArray[np.float64]:
    """Return the scalar product of the query's high bytes with each row."""
    # Its `out=` would spare a copy, but miscounts references to None: Python 3.11 ends after some thousand calls.
    found: NDArray[np.float64] = np.asarray(simsimd.cdist(query.codes, codes, "inner")).reshape(-1)
    return found


def cosines(query: Encoded, others: Encoded) -> NDArray[np.float64]:
    """Return the cosine of one vector to each of others; 0 to one that points nowhere.

    Whole numbers make it the same for the same vectors, wherever they stand: the products of 48 bits of
    32,768 dimensions fit in 63.
    """
    one, fixed = _whole(query)[0], _whole(others)
    lengths = np.sqrt(np.einsum("ij,ij->i", fixed, fixed) * np.float64(one @ one))
    found: NDArray[np.float64] = np.divide(fixed @ one, lengths, out=np.zeros(len(fixed)), where=lengths > 0)
    return found


def _whole(vectors: Encoded) -> NDArray[np.int64]:
    return (vectors.codes.astype(np.int64) << LOW_BITS) + vectors.low_bytes
