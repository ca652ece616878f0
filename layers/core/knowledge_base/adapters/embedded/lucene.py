"""BM25 exactly as Lucene counts it, so that both indexes give a hit the same score.

The formula, and the order of its steps in single precision, are those of `BM25Similarity` in Lucene 9 with
the factor `k1 + 1` that OpenSearch 2 keeps (`LegacyBM25Similarity`).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_K1, _B, _ONE = np.float32(1.2), np.float32(0.75), np.float32(1)


def stored_length(length: int) -> int:
    """Return a text's number of words as Lucene keeps it in one byte (`SmallFloat.intToByte4`)."""
    if length < 24:
        return length
    lost_bits = max(0, (length - 24).bit_length() - 4)
    return 24 + (length - 24 >> lost_bits << lost_bits)


def weight(having: int, chunks: int) -> np.float32:
    """Return what a word counts that so many of the chunks have: the score it can come near, and never reach."""
    rarity = np.float32(math.log(1 + (chunks - having + 0.5) / (having + 0.5)))
    return (_ONE + _K1) * rarity


def saturations(lengths: NDArray[np.int32], average: float) -> NDArray[np.float32]:
    """Return for each stored length how fast a word's repetitions lose their weight: slower in longer texts."""
    relative = _B * lengths.astype(np.float32) / np.float32(average)
    return _ONE / (_K1 * ((_ONE - _B) + relative))


def contributions(
    word: np.float32, counts: NDArray[np.integer], saturation: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return what a word of this weight adds to the score of each chunk that has it so many times.

    The result takes the place of `saturation`.
    """
    saturation *= counts
    saturation += _ONE
    np.divide(word, saturation, out=saturation)
    return np.subtract(word, saturation, out=saturation)
