"""RTF as a stream of tokens, in one pass over the bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator

TEXT, HEX, CODE, WORD, SIGN, OPEN, CLOSE = "text", "hex", "code", "word", "sign", "open", "close"
"""The kinds of tokens; each is the name of a group of the match."""
_TOKEN = re.compile(
    rb"\\u(?P<code>-?\d{1,10}) ?|\\'(?P<hex>[0-9a-fA-F]{2})"
    rb"|\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?|\\(?P<sign>[^a-zA-Z])"
    rb"|(?P<open>\{)|(?P<close>\})|(?P<text>[^\\{}\r\n\x00]+)|(?:[\r\n\x00]+|\\$)",
    re.S,
)
_TOKEN_IN_SKIPPED = re.compile(rb"[{}]|\\bin(\d{1,10}) ?|\\.", re.S)
_BIN = b"bin"


class Tokens:
    """The tokens of a file, each as a match whose last group is its kind; embedded binary data is left out."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._place = 0

    def __iter__(self) -> Iterator[tuple[str | None, re.Match[bytes]]]:
        content, match_at = self._content, _TOKEN.match
        while match := match_at(content, self._place):
            self._place = match.end()
            kind = match.lastgroup
            if kind == "number":
                kind = WORD
            if kind == WORD and match[WORD] == _BIN:
                self._place += max(0, int(match["number"] or 0))
            elif kind:
                yield kind, match

    def skip_group(self) -> None:
        """Go on before the end of the group that is open."""
        depth = 0
        while match := _TOKEN_IN_SKIPPED.search(self._content, self._place):
            if match[0] == b"{":
                depth += 1
            elif match[0] == b"}":
                if not depth:
                    self._place = match.start()
                    return
                depth -= 1
            self._place = match.end() + int(match[1] or 0)
        self._place = len(self._content)

    def is_ahead(self, word: bytes) -> bool:
        """Whether a control word comes next."""
        return self._content.startswith(word, self._place)
