"""Texts that are UTF-8 but for some lines: damaged files, and files that were written by several programs."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from io import BytesIO

_LOOKED_AT = 1 << 20
_BROKEN = "\N{REPLACEMENT CHARACTER}"
_SEQUENCES_FOR_ONE_BREAK = 2


def looks_like_utf8(content: bytes) -> bool:
    """Whether a text that breaks the rules of UTF-8 somewhere has many more sequences that keep them.

    In other encodings bytes form such sequences by chance only: far more of them do not.
    """
    text = content[:_LOOKED_AT].decode("utf-8", "replace")
    broken = text.count(_BROKEN)
    sequences = len(text) - len(text.encode("ascii", "ignore")) - broken
    return sequences >= _SEQUENCES_FOR_ONE_BREAK * broken and sequences > 0


def find_second_encoding(content: bytes) -> str:
    """Return the encoding of the lines that are no UTF-8 at all, or an empty string where there are none."""
    from knowledge_base.adapters.parsing.encodings.legacy import guess

    strays = b"".join(line for line in BytesIO(content[:_LOOKED_AT]) if _is_stray(line))
    return (guess(strays) if strays else None) or ""


def decode_lines(content: bytes, first: str, second: str) -> Iterator[str]:
    """Yield the lines of a text, those that do not fit the first encoding at all in the second."""
    for line in BytesIO(content):
        text = line.decode(second if _is_stray(line) else first, "replace")
        yield text.replace("\r\n", "\n").replace("\r", "\n")


def _is_stray(line: bytes) -> bool:
    if line.isascii():
        return False
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = decoder.decode(line, final=True)
    return _BROKEN in text and all(character < "\x80" or character == _BROKEN for character in text)
