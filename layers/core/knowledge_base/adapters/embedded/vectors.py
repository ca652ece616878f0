"""Vectors as the index holds them: 24 bits a dimension, the high byte apart from the low two.

The high bytes of a knowledge base are scanned whole, and find candidates; with the low bytes of those few
the cosine is as exact as single precision allows. A vector that points nowhere has the norm 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import simsimd
from numpy.typing import NDArray

from knowledge_base.adapters.storable import SHORTEST
from knowledge_base.domain.chunks import Vector

LARGEST = 127 * 2**16 + 2**15 - 1
"""The largest number whose high byte is at most 127 after rounding."""


def encode(vectors: Sequence[Vector]) -> tuple[NDArray[np.int8], NDArray[np.int16], NDArray[np.float32]]:
    """Return the high bytes and the low bytes, each (vectors, dimensions), and the norms of the high bytes."""
    matrix = np.array(vectors, dtype=np.float64)
    peaks = np.abs(matrix).max(axis=1, keepdims=True)
    peaks[np.linalg.norm(matrix, axis=1) <= SHORTEST] = np.inf
    fixed = np.rint(matrix / peaks * LARGEST).astype(np.int32)
    high = (fixed + 2**15) >> 16
    codes = high.astype(np.int8)
    return codes, (fixed - (high << 16)).astype(np.int16), norms(codes)


def norms(codes: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return the length of each row."""
    wide = codes.astype(np.float32)
    return np.sqrt(np.einsum("ij,ij->i", wide, wide, dtype=np.float32))


def products(query: NDArray[np.int8], codes: NDArray[np.int8]) -> NDArray[np.float64]:
    """Return the scalar product of the query with each row."""
    return np.asarray(simsimd.cdist(query[None], codes, "inner"))[0]


def cosines(vector: Vector, codes: NDArray[np.int8], low_bytes: NDArray[np.int16]) -> NDArray[np.float64]:
    """Return the cosine of a vector to each of those that were encoded; 0 to one that points nowhere.

    Whole numbers make it the same for the same vectors, wherever they stand: 384 products of 48 bits fit in 63,
    and so do those of up to 32,768 dimensions.
    """
    query_codes, query_low_bytes, _ = encode([vector])
    query, fixed = _whole(query_codes, query_low_bytes)[0], _whole(codes, low_bytes)
    lengths = np.sqrt(np.einsum("ij,ij->i", fixed, fixed) * np.float64(query @ query))
    return np.divide(fixed @ query, lengths, out=np.zeros(len(fixed)), where=lengths > 0)


def _whole(codes: NDArray[np.int8], low_bytes: NDArray[np.int16]) -> NDArray[np.int64]:
    return (codes.astype(np.int64) << 16) + low_bytes
