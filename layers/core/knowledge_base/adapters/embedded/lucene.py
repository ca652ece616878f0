"""BM25 exactly as Lucene counts it, so that both indexes give a hit the same score.

FTS5's own `bm25` chooses the candidates; its inverse document frequency is 0 for a word that half of
the chunks contain, which in a knowledge base of three chunks is nearly every word.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from apsw import FTS5ExtensionApi

K1, B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class Weights:
    """What is the same for every row of one query."""

    rarity: dict[str, float]
    average_length: float


def lucene(api: FTS5ExtensionApi, *arguments: Any) -> float:
    """Return the BM25 score of a row; the argument is a JSON object: word → number of rows with it."""
    weights = api.aux_data
    if weights is None:
        weights = api.aux_data = _weights(api, json.loads(arguments[0]))
    counts = Counter((api.inst_tokens(i) or ("",))[0] for i in range(api.inst_count))
    norm = K1 * (1 - B + B * stored_length(api.column_size(0)) / weights.average_length)
    # fsum: texts with the same words in another order get the very same score, and so a tie
    return math.fsum(weights.rarity[word] * (K1 + 1) * count / (count + norm) for word, count in counts.items())


def stored_length(length: int) -> int:
    """Return a text's number of words as Lucene keeps it in one byte (`SmallFloat.intToByte4`)."""
    if length < 24:
        return length
    lost_bits = max(0, (length - 24).bit_length() - 4)
    return 24 + (length - 24 >> lost_bits << lost_bits)


def _weights(api: FTS5ExtensionApi, frequencies: dict[str, int]) -> Weights:
    rows = api.row_count
    rarity = {word: math.log(1 + (rows - having + 0.5) / (having + 0.5)) for word, having in frequencies.items()}
    return Weights(rarity, api.column_total_size(0) / rows)
