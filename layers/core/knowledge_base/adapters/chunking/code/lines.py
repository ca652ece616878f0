"""The lines of source code that tell its structure, in one pass: those that begin in no string, comment or call."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections import defaultdict
from enum import IntEnum

from knowledge_base.adapters.chunking.code.syntax import Syntax

_TAB = 4
_INDENTATION = re.compile(r"[ \t]*")
_TAIL = 120
_QUOTES = "\"'`"
_WORD_ALONE = re.compile(r"\n[ \t]*(\w+)[ \t;,)]*(?=\n|\Z)")
"""What ends a heredoc."""


class Kind(IntEnum):
    """What a line is to its neighbours."""

    STATEMENT = 0
    COMMENT = 1
    """Belongs to the next statement, as an attribute does."""
    FOLLOW = 2
    """Goes on with the statement before, e.g. `else`."""
    CLOSING = 3
    """Ends what was begun before, e.g. `}`."""
    ATTRIBUTE = 4
    """A decorator, annotation or directive."""


_KINDS = {kind.name.lower(): kind for kind in Kind}
ABOVE = (Kind.COMMENT, Kind.ATTRIBUTE)
"""What stands above the statement that it belongs to."""


class Lines:
    """The lines of `text[start:end]` that tell its structure; all others belong to the one before them."""

    def __init__(self, text: str, start: int, end: int, syntax: Syntax) -> None:
        self.starts = array("q")
        self.contents = array("q")
        self.indents = array("l")
        self.kinds = bytearray()
        self.after_blank = bytearray()
        self._text = text
        self._end = end
        self._syntax = syntax
        self._open: list[tuple[str, int]] = []
        self._next_end: dict[str, int] = {}
        self._words: dict[str, list[int]] | None = None
        self._is_after_blank = True
        self._read(start)

    def __len__(self) -> int:
        return len(self.starts)

    def _read(self, position: int) -> None:
        first = _INDENTATION.match(self._text, position, self._end)
        self._begin_line(position, first.end() if first else position, position)
        while position < self._end:
            for match in self._syntax.tokens.finditer(self._text, position, self._end):
                kind = match.lastgroup
                if kind == "line":
                    self._begin_line(match.start() + 1, match.end(), match.start())
                elif kind == "open":
                    self._open.append((match[0], self.indents[-1] if self.indents else 0))
                elif kind == "close":
                    self._close(match[0])
                elif kind is not None and (end := self._end_of(match)) > 0:
                    position = end
                    break
            else:
                return

    def _close(self, bracket: str) -> None:
        opening = "([{"[")]}".index(bracket)]
        for depth in range(len(self._open) - 1, max(-1, len(self._open) - 8), -1):
            if self._open[depth][0] == opening:
                del self._open[depth:]
                return

    def _end_of(self, opening: re.Match[str]) -> int:
        """Return where what a string or comment opens is closed, 0 if nowhere."""
        word = opening["word"] if "word" in opening.re.groupindex else None
        return self._end_of_heredoc(word, opening.end()) if word else self._end_of_literal(opening[0], opening.end())

    def _end_of_literal(self, opener: str, position: int) -> int:
        """Search no place twice for the same end; a quotation mark that a word follows closes nothing."""
        closing = self._syntax.ends[opener]
        found = self._next_end.get(closing, 0)
        if 0 <= found < position:
            found = self._next_end[closing] = self._text.find(closing, position, self._end)
        if found < 0 or (closing in _QUOTES and self._text[found + 1 : found + 2].isalnum()):
            return 0
        return found + len(closing)

    def _end_of_heredoc(self, word: str, position: int) -> int:
        if self._words is None:
            self._words = defaultdict(list)
            for match in _WORD_ALONE.finditer(self._text, position, self._end):
                self._words[match[1]].append(match.end(1))
        ends = self._words.get(word, [])
        index = bisect_right(ends, position)
        return ends[index] if index < len(ends) else 0

    def _begin_line(self, start: int, content: int, end_before: int) -> None:
        text = self._text
        character = text[content : content + 1] if content < self._end else ""
        if character in "\r\n":
            self._is_after_blank = True
            return
        indent = content - start
        if indent and "\t" in text[start:content]:
            indent = len(text[start:content].expandtabs(_TAB))
        if self._is_inside(character, indent):
            return
        kind = self._kind(content, end_before, indent)
        self.starts.append(start)
        self.contents.append(content)
        self.indents.append(indent)
        self.kinds.append(kind)
        self.after_blank.append(self._is_after_blank)
        self._is_after_blank = False

    def _is_inside(self, character: str, indent: int) -> bool:
        """Whether the line stands in round or square brackets; one that is not indented shows they were not closed."""
        if character not in ")]}":
            while self._open and self._open[-1][1] >= indent:
                self._open.pop()
        return bool(self._open) and self._open[-1][0] != "{"

    def _kind(self, content: int, end_before: int, indent: int) -> Kind:
        mark = self._syntax.marks.match(self._text, content)
        if mark and mark.lastgroup and (self.starts or mark.lastgroup != "follow"):
            return _KINDS[mark.lastgroup]
        return Kind.FOLLOW if self._is_unfinished(end_before, indent) else Kind.STATEMENT

    def _is_unfinished(self, end_before: int, indent: int) -> bool:
        if not self._syntax.stops or self._is_after_blank:
            return False
        if not self.starts or indent != self.indents[-1] or self.kinds[-1] in ABOVE:
            return False
        if self._text[self.contents[-1]] == "#":
            return False
        before = self._text[max(self.contents[-1], end_before - _TAIL) : end_before].rstrip()
        return bool(before) and before[-1] not in self._syntax.stops
