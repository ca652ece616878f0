"""Tokens of the `cl100k_base` encoding, counted offline: its tables are inside the `toktok` extension.

`cl100k_base` is what OpenAI's `text-embedding-3-*` models count in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

ENCODING = "cl100k_base"
_SURROGATES = re.compile("[\ud800-\udfff]")


def count_each(texts: Sequence[str]) -> list[int]:
    """Return the number of tokens of each text."""
    import toktok

    try:
        counts: list[int] = toktok.batch_count(texts, ENCODING, threads=1)
    except UnicodeEncodeError:
        counts = toktok.batch_count([_countable(text) for text in texts], ENCODING, threads=1)
    return counts


def count(text: str) -> int:
    """Return the number of tokens of a text."""
    return count_each((text,))[0]


def length_of_tokens(text: str, limit: int) -> int:
    """Return the length in characters of the longest beginning that has at most `limit` tokens."""
    import toktok

    try:
        beginning: str = toktok.truncate(text, limit, ENCODING)[0]
    except UnicodeEncodeError:
        beginning = toktok.truncate(_countable(text), limit, ENCODING)[0]
    return len(beginning)


def _countable(text: str) -> str:
    """Lone surrogates have no bytes to count."""
    return _SURROGATES.sub("?", text)
