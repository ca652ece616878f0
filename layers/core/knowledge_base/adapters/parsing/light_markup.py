"""Texts in the lighter markups: LaTeX, reStructuredText, AsciiDoc, Org and wiki text.

As with Markdown the source is the text, since it reads well; headings and code are found in it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from knowledge_base.adapters.parsing.canonical_text import first_heading
from knowledge_base.adapters.parsing.format import Format, Hints
from knowledge_base.adapters.parsing.plain_text import decode_text
from knowledge_base.domain.parsed import ParsedDocument, Span, SpanKind

_Heading = tuple[int, int, int]
"""Where a title starts and ends, and its level."""
_TITLE = r"(?P<title>[^\n]{1,400})"
_TEX_LEVELS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
_TEX_HEADING = re.compile(
    rf"^[ \t]*\\(?P<level>{'|'.join(_TEX_LEVELS)})\*?(?:\[[^\]\n]*\])?"
    r"\{(?P<title>[^{}\n]*(?:\{[^{}\n]*\}[^{}\n]*)*)\}",
    re.M,
)
_RST_RULE = re.compile(r"([!-/:-@[-`{-~])\1{2,}")
_RST_CODE = re.compile(r"\.\.[ \t]+(?:code(?:-block)?|sourcecode|highlight|parsed-literal)::")
_LINE = re.compile(r"[^\n]+|(?<=\n)(?=\n)|\A(?=\n)")
_LONGEST_TITLE = 400
_MOST_SPANS = 250_000


@dataclass(frozen=True, slots=True)
class _Dialect:
    """A markup: the names of its files, how headings are found, and how code opens and closes."""

    media_type: str
    names: tuple[str, ...]
    headings: Callable[[str], Iterator[_Heading]]
    code: Callable[[str], Iterator[tuple[int, int]]]


def _counted(mark: str, *, after: str = "[ \t]+") -> Callable[[str], Iterator[_Heading]]:
    """Return a finder of headings whose level is the length of the marks that begin them (and may end them)."""
    pattern = re.compile(f"^(?P<level>{re.escape(mark)}{{1,6}}){after}{_TITLE}$", re.M)

    def find(text: str) -> Iterator[_Heading]:
        for match in pattern.finditer(text):
            title = match["title"].rstrip(f" \t{mark}").lstrip()
            if title:
                start = match.start("title") + match["title"].index(title)
                yield start, start + len(title), len(match["level"])

    return find


def _fenced(opening: str, closing: str) -> Callable[[str], Iterator[tuple[int, int]]]:
    """Return a finder of code between two lines; `{0}` in the closing one is the group of the opening one."""
    opens = re.compile(opening, re.M | re.I)

    def find(text: str) -> Iterator[tuple[int, int]]:
        place, unclosed = 0, set[str]()
        while match := opens.search(text, place):
            place, kind = match.end(), match[1].lower()
            closes = re.compile(closing.format(re.escape(match[1])), re.M | re.I)
            end = None if kind in unclosed else closes.search(text, place)
            if end is None:
                unclosed.add(kind)
            else:
                yield match.start(), end.end()
                place = end.end()

    return find


def _tex_headings(text: str) -> Iterator[_Heading]:
    found = list(_TEX_HEADING.finditer(text))
    highest = min((_TEX_LEVELS.index(match["level"]) for match in found), default=0)
    for match in found:
        yield match.start("title"), match.end("title"), _TEX_LEVELS.index(match["level"]) - highest + 1


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines, blank ones too, with their places."""
    for match in _LINE.finditer(text):
        yield match.start(), match[0]


def _rst_headings(text: str) -> Iterator[_Heading]:
    """Levels are in the order in which the styles of lines first appear (docutils: section structure)."""
    styles: list[str] = []
    above, title, start = "", "", 0
    for place, line in _lines(text):
        rule = line.rstrip(" \t")
        words = title.strip()
        if words and len(words) <= _LONGEST_TITLE and not title[1:2].isspace() and _RST_RULE.fullmatch(rule):
            is_framed = above == rule
            if is_framed or len(rule) >= len(words):
                style = f"{rule[0]}{is_framed}"
                if style not in styles:
                    styles.append(style)
                yield start + title.index(words), start + title.index(words) + len(words), styles.index(style) + 1
                above, title, start = "", "", place
                continue
        above, title, start = title.rstrip(" \t"), line, place


def _rst_code(text: str) -> Iterator[tuple[int, int]]:
    """Yield what is indented deeper than the line that announces code, blank lines between included."""
    opened, start, end = -1, -1, -1
    for place, line in _lines(text):
        body = line.strip(" \t")
        if not body:
            continue
        indent = len(line) - len(line.lstrip(" \t"))
        if 0 <= opened < indent:
            start, end = place if start < 0 else start, place + len(line.rstrip(" \t"))
            continue
        if start >= 0:
            yield start, end
        opened, start = indent if body.endswith("::") or _RST_CODE.match(body) else -1, -1
    if start >= 0:
        yield start, end


_DIALECTS = (
    _Dialect(
        "application/x-tex",
        ("tex", "latex", "ltx", "application/x-tex"),
        _tex_headings,
        _fenced(r"^[ \t]*\\begin\{(verbatim|lstlisting|minted|alltt)\*?\}", r"^[ \t]*\\end\{{{0}\*?\}}"),
    ),
    _Dialect("text/x-rst", ("rst", "rest", "text/x-rst"), _rst_headings, _rst_code),
    _Dialect(
        "text/asciidoc",
        ("adoc", "asciidoc", "text/asciidoc"),
        _counted("="),
        _fenced(r"^(-{4,}|\.{4,}|```)[ \t]*$", r"^{0}[ \t]*$"),
    ),
    _Dialect(
        "text/org",
        ("org", "text/org"),
        _counted("*"),
        _fenced(r"^[ \t]*#\+begin_(src|example)\b[^\n]*$", r"^[ \t]*#\+end_{0}[^\n]*$"),
    ),
    _Dialect(
        "text/x-wiki",
        ("mediawiki", "wiki", "text/x-wiki"),
        _counted("=", after="[ \t]*(?=[^=])"),
        _fenced(r"^<(syntaxhighlight|source|pre)\b[^>\n]*>", r"</{0}>"),
    ),
)
_BY_NAME = {name: dialect for dialect in _DIALECTS for name in dialect.names}


def _dialect_of(hints: Hints) -> _Dialect | None:
    return _BY_NAME.get(hints.extension) or _BY_NAME.get(hints.kind)


def _find_spans(text: str, dialect: _Dialect) -> tuple[Span, ...]:
    """Return the headings and code of a text; what looks like a heading in code is none."""
    code = list(islice(dialect.code(text), _MOST_SPANS))
    starts = [start for start, _end in code]
    headings = (
        Span(SpanKind.HEADING, start, end, level)
        for start, end, level in islice(dialect.headings(text), _MOST_SPANS)
        if not _is_inside(start, starts, code)
    )
    spans = (*(Span(SpanKind.CODE, start, end) for start, end in code), *headings)
    return tuple(sorted(spans, key=lambda span: span.start))


def _is_inside(place: int, starts: list[int], code: list[tuple[int, int]]) -> bool:
    before = bisect_right(starts, place) - 1
    return before >= 0 and place < code[before][1]


def _read(content: bytes, hints: Hints) -> ParsedDocument:
    decoded, dialect = decode_text(content, hints), _dialect_of(hints)
    spans = _find_spans(decoded.text, dialect) if dialect else ()
    title = first_heading(decoded.text, spans)
    media_type = dialect.media_type if dialect else "text/plain"
    return ParsedDocument(decoded.text, media_type, spans, title, low_quality=not decoded.exact)


FORMAT = Format("a text in light markup", lambda _content, hints: _dialect_of(hints) is not None, _read)
