"""The outline of source code: blocks in blocks, told by indentation, and the definitions among them.

Indentation shows what the brackets of half-edited code no longer do, and one pass over the lines finds
it. Where nothing is indented, as in minified code, brackets and semicolons tell the statements.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

from knowledge_base.adapters.chunking.code.languages import syntax_of
from knowledge_base.adapters.chunking.code.lines import ABOVE, Kind, Lines
from knowledge_base.adapters.chunking.code.statements import statements
from knowledge_base.adapters.chunking.parts import AFTER_HEADING, LINE, Cut, Part

_FENCE = re.compile(r"[^\n]*?(?:`{3,}|~{3,})[ \t]*\{?[ \t]*\.?(?P<language>[\w+#-]*)")
_LEAST_FILL = 0.4
_BELOW_COMMENT = Cut(0.5, _LEAST_FILL)
_TITLE_REACH = 400
_TITLE_LINES = 4
_LONGEST_TITLE = 120


class Outline:
    """The blocks of `text[start:end]`."""

    def __init__(self, text: str, language: str, start: int, end: int) -> None:
        self._text = text
        self._end = end
        self._start = start
        self._syntax = syntax_of(language)
        self._lines = Lines(text, start, end, self._syntax)

    def parts(self) -> Iterator[Part]:
        """Yield the outermost blocks, each with what stands above it, without a gap."""
        return self._children(0, len(self._lines), self._start, self._end)

    def definitions(self) -> Iterator[tuple[int, int, str]]:
        """Yield start, indentation and title of each statement; the title is empty where nothing is defined.

        A statement starts where the comments and decorators above it do.
        """
        lines = self._lines
        for number in range(len(lines)):
            if lines.kinds[number] == Kind.STATEMENT:
                first = self._first_line(number, 0)
                yield lines.starts[first], lines.indents[number], self._title(number)

    def _finer(self, text: str, part: Part, largest: int) -> Iterator[Part]:
        """Cut a block into its first statement's own lines and the blocks inside."""
        lines = self._lines
        low, high = bisect_left(lines.starts, part.start), bisect_left(lines.starts, part.end)
        below = next((number for number in range(low, high) if lines.kinds[number] != Kind.COMMENT), low)
        if below > low:
            yield Part(part.start, lines.starts[below], part.cut, self._statements)
            yield Part(lines.starts[below], part.end, _BELOW_COMMENT, self._finer, is_whole=True)
            return
        body = self._body(low, high)
        if body >= high or self._level(body, high) is None:
            yield from statements(text, part, largest, self._syntax)
            return
        begin = lines.starts[body]
        if begin > part.start:
            yield Part(part.start, begin, part.cut, self._statements)
        for number, child in enumerate(self._children(body, high, begin, part.end)):
            yield child._replace(cut=AFTER_HEADING) if number == 0 and begin > part.start else child

    def _statements(self, text: str, part: Part, largest: int) -> Iterator[Part]:
        return statements(text, part, largest, self._syntax)

    def _body(self, low: int, high: int) -> int:
        """Return the line after a block's first statement, and after the bracket that opens its body."""
        lines = self._lines
        head = next((number for number in range(low, high) if lines.kinds[number] not in ABOVE), high)
        body = min(head + 1, high)
        while body < high and lines.kinds[body] == Kind.FOLLOW and lines.indents[body] <= lines.indents[head]:
            if self._text[lines.contents[body]] != "{":
                break
            body += 1
        return body

    def _level(self, low: int, high: int) -> int | None:
        lines = self._lines
        return min((lines.indents[n] for n in range(low, high) if lines.kinds[n] == Kind.STATEMENT), default=None)

    def _children(self, low: int, high: int, start: int, end: int) -> Iterator[Part]:
        """Yield the blocks whose first statements are the least indented ones of these lines."""
        lines = self._lines
        level = self._level(low, high) or 0
        cut = _cut_before(level, is_after_blank=True)
        for number in range(low, high):
            if not self._begins_block(number, level):
                continue
            first = self._first_line(number, low) if lines.kinds[number] == Kind.STATEMENT else number
            if lines.starts[first] > start and first > low:
                yield Part(start, lines.starts[first], cut, self._finer, is_whole=True)
                start = lines.starts[first]
                cut = _cut_before(lines.indents[number], bool(lines.after_blank[first]))
        if start < end:
            yield Part(start, end, cut, self._finer, is_whole=True)

    def _begins_block(self, number: int, level: int) -> bool:
        """Whether it is a statement of this level, or goes on with the one that all of this level stand in (`else`)."""
        indent, kind = self._lines.indents[number], self._lines.kinds[number]
        return indent <= level if kind == Kind.STATEMENT else kind == Kind.FOLLOW and indent < level

    def _first_line(self, number: int, low: int) -> int:
        """Return the first of the comments and decorators above a statement, itself if there are none.

        A comment right under other code, with a blank line below it, belongs to what is above.
        """
        lines = self._lines
        first = number
        while first > low and lines.kinds[first - 1] in ABOVE and lines.indents[first - 1] == lines.indents[number]:
            first -= 1
        if not lines.after_blank[number]:
            return first
        return next((line for line in range(first, number) if lines.after_blank[line] or line == 0), number)

    def _title(self, number: int) -> str:
        """Return the title of the definition that a statement is, which may begin some lines below its first one."""
        lines = self._lines
        last = number + 1
        while self._syntax.stops and last < len(lines) and lines.kinds[last] == Kind.FOLLOW:
            last += 1
        return next(filter(None, map(self._title_of_line, range(number, min(last, number + _TITLE_LINES)))), "")

    def _title_of_line(self, number: int) -> str:
        position = self._lines.contents[number]
        match = self._syntax.title.match(self._text, position, min(self._end, position + _TITLE_REACH))
        if not match:
            return ""
        words = " ".join(word for word in match.groups() if word)
        if match.groupdict().get("called"):
            words += "()"
        return " ".join(words.split())[:_LONGEST_TITLE]


def code_parts(text: str, part: Part, _largest: int) -> Iterator[Part]:
    """Yield the blocks of a stretch of code inside a document; a fence tells its language."""
    fence = _FENCE.match(text, part.start, part.end)
    return Outline(text, fence["language"] if fence else "", part.start, part.end).parts()


@lru_cache(maxsize=1024)
def _cut_before(indent: int, is_after_blank: bool) -> Cut:
    """Return the cut before a statement: the less indented, the better; a blank line decides between equals."""
    return Cut(LINE.strength - min(indent, 999) / 1000 + (0.0005 if is_after_blank else 0), _LEAST_FILL)
