"""RTF as a stream of tokens, in one pass over the bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

_TOKEN = re.compile(
    rb"\\'(?P<hex>[0-9a-fA-F]{2})|\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?|\\(?P<sign>[^a-zA-Z])"
    rb"|(?P<group>[{}])|(?P<text>[^\\{}\r\n\x00]+)|(?P<none>[\r\n\x00]+|\\$)",
    re.S,
)


class Kind(Enum):
    """What a token is."""

    OPEN = "{"
    CLOSE = "}"
    WORD = "word"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Token:
    """A control word with its number, or bytes of text; `is_single` counts as one character to skip."""

    kind: Kind
    word: str = ""
    number: int | None = None
    data: bytes = b""
    is_single: bool = False


_OPEN, _CLOSE = Token(Kind.OPEN), Token(Kind.CLOSE)
_SIGNS = {
    b"~": Token(Kind.WORD, "nbsp"),
    b"-": Token(Kind.WORD, "softhyphen"),
    b"_": Token(Kind.WORD, "nbhyphen"),
    b"*": Token(Kind.WORD, "*"),
    b"\n": Token(Kind.WORD, "par"),
    b"\r": Token(Kind.WORD, "par"),
    b"\t": Token(Kind.WORD, "tab"),
}


def read_tokens(content: bytes) -> Iterator[Token]:
    """Yield the tokens; embedded binary data is left out."""
    place = 0
    while match := _TOKEN.match(content, place):
        place = match.end()
        if match["text"]:
            yield Token(Kind.TEXT, data=match["text"])
        elif match["hex"]:
            yield Token(Kind.TEXT, data=bytes.fromhex(match["hex"].decode()), is_single=True)
        elif match["group"]:
            yield _OPEN if match["group"] == b"{" else _CLOSE
        elif match["word"]:
            word, number = match["word"].decode(), int(match["number"]) if match["number"] else None
            if word == "bin":
                place += max(0, number or 0)
            else:
                yield Token(Kind.WORD, word, number)
        elif match["sign"]:
            yield _SIGNS.get(match["sign"]) or Token(Kind.TEXT, data=match["sign"], is_single=True)
