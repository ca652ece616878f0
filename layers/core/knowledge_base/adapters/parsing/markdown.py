"""Markdown: the source is the text; headings, code and tables are found in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from knowledge_base.adapters.parsing.canonical_text import first_heading
from knowledge_base.adapters.parsing.format import Format, Hints
from knowledge_base.adapters.parsing.plain_text import decode_text
from knowledge_base.domain.parsed import ParsedDocument, Span, SpanKind

_LINE = re.compile(r"[^\n]*(?:\n|$)")
_FENCE = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*(?P<fence>`{3,}(?=[^`]*$)|~{3,})")
_ATX = re.compile(r" {0,3}(?P<marks>#{1,6})(?=[ \t])")
_SETEXT = re.compile(r" {0,3}(?P<rule>=+|-+)[ \t]*$")
_NOT_A_TITLE = re.compile(r"\s*$|\s{4,}|\t| {0,3}(?:[-*+>|]|\d+[.)])(?:\s|$)| {0,3}(?:([-*_])[ \t]*)(?:\1[ \t]*){2,}$")
_TABLE_RULE = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_FRONT_MATTER = re.compile(
    r"(?:---[ \t]*\n(?=[\w#-][^\n]*:)(?:.*\n)*?(?:---|\.\.\.)|\+\+\+[ \t]*\n(?:.*\n)*?\+\+\+)[ \t]*(?:\n|\Z)"
)
_TITLE = re.compile(r"^title[ \t]*[:=][ \t]*(?P<quote>[\"']?)(?P<title>[^\n]+?)(?P=quote)[ \t]*$", re.M | re.I)
_HTML_HEADING = re.compile(r"\s{0,3}<h(?P<level>[1-6])\b[^>]*>(?P<title>.*?)</h(?P=level)\s*>", re.I)
_TAG = re.compile(r"<[^<>]*>")
_MOST_SPANS = 250_000
_COMMENT_OPEN, _COMMENT_CLOSE = "<!--", "-->"


@dataclass(slots=True)
class _Scan:
    """What is being read while the lines go by."""

    spans: list[Span] = field(default_factory=list)
    fence: str = ""
    fence_start: int = 0
    table_start: int = -1
    in_comment: bool = False
    previous: str = ""
    previous_start: int = 0


def find_spans(text: str) -> tuple[Span, ...]:
    """Return the headings, fenced code and tables of a Markdown text; a heading's span is its words alone."""
    scan = _Scan()
    for start, line in _lines(text, _length_of_front_matter(text)):
        _read_line(scan, start, line)
        if len(scan.spans) >= _MOST_SPANS:
            break
    _close(scan, len(text))
    return tuple(sorted(scan.spans, key=lambda span: span.start))


def _length_of_front_matter(text: str) -> int:
    match = _FRONT_MATTER.match(text)
    return match.end() if match else 0


def _lines(text: str, start: int) -> Iterator[tuple[int, str]]:
    for match in _LINE.finditer(text, start):
        yield match.start(), match.group().rstrip("\n")


def _read_line(scan: _Scan, start: int, line: str) -> None:
    if scan.fence:
        _read_code(scan, start, line)
    elif scan.in_comment:
        scan.in_comment = _COMMENT_CLOSE not in line
    elif fence := _FENCE.match(line):
        _end_table(scan, start)
        scan.fence, scan.fence_start = fence["fence"], start
    else:
        _read_prose(scan, start, line)
    scan.previous, scan.previous_start = ("" if scan.fence or scan.in_comment else line), start


def _read_code(scan: _Scan, start: int, line: str) -> None:
    closing = line.strip().lstrip("> ")
    if closing.startswith(scan.fence) and not closing.strip(scan.fence[0]):
        scan.spans.append(Span(SpanKind.CODE, scan.fence_start, start + len(line)))
        scan.fence = ""


def _read_prose(scan: _Scan, start: int, line: str) -> None:
    heading = _atx_heading(start, line) or _setext_heading(scan, line) or _html_heading(start, line)
    if heading:
        scan.spans.append(heading)
    _follow_table(scan, start, line)
    opening = line.rfind(_COMMENT_OPEN)
    scan.in_comment = opening >= 0 and _COMMENT_CLOSE not in line[opening:]


def _atx_heading(start: int, line: str) -> Span | None:
    match = _ATX.match(line)
    if not match:
        return None
    title = line[match.end() :].strip(" \t")
    without_closing = title.rstrip("#")
    if not without_closing or without_closing[-1] in " \t":
        title = without_closing.rstrip(" \t")
    begin = start + line.index(title, match.end())
    return Span(SpanKind.HEADING, begin, begin + len(title), len(match["marks"])) if title else None


def _setext_heading(scan: _Scan, line: str) -> Span | None:
    rule = _SETEXT.match(line)
    title = scan.previous
    if not rule or _NOT_A_TITLE.match(title) or _ATX.match(title):
        return None
    start = scan.previous_start + len(title) - len(title.lstrip())
    return Span(SpanKind.HEADING, start, start + len(title.strip()), 1 if rule["rule"][0] == "=" else 2)


def _html_heading(start: int, line: str) -> Span | None:
    match = _HTML_HEADING.match(line) if "<h" in line or "<H" in line else None
    words = _TAG.sub("", match["title"]).strip() if match else ""
    place = line.find(words) if words else -1
    return (
        Span(SpanKind.HEADING, start + place, start + place + len(words), int(match["level"]))
        if match and place >= 0
        else None
    )


def _follow_table(scan: _Scan, start: int, line: str) -> None:
    if scan.table_start >= 0:
        if "|" not in line:
            _end_table(scan, start)
    elif "|" in line and "|" in scan.previous and _TABLE_RULE.match(line):
        scan.table_start = scan.previous_start


def _end_table(scan: _Scan, end: int) -> None:
    if scan.table_start >= 0:
        scan.spans.append(Span(SpanKind.TABLE, scan.table_start, max(scan.table_start, end - 1)))
        scan.table_start = -1


def _close(scan: _Scan, end: int) -> None:
    _end_table(scan, end + 1)
    if scan.fence:
        scan.spans.append(Span(SpanKind.CODE, scan.fence_start, end))


def _read(content: bytes, hints: Hints) -> ParsedDocument:
    decoded = decode_text(content, hints)
    spans = find_spans(decoded.text)
    title = _title(decoded.text, spans)
    return ParsedDocument(decoded.text, "text/markdown", spans, title, low_quality=not decoded.exact)


def _title(text: str, spans: tuple[Span, ...]) -> str:
    """Return the title that the front matter names, else the first heading."""
    named = _TITLE.search(text, 0, _length_of_front_matter(text))
    if named:
        return named["title"].strip()
    return first_heading(text, spans)


def _is_markdown(_content: bytes, hints: Hints) -> bool:
    return hints.say("md", "markdown", "mdown", "mkd", "mdx", "rmd", "text/markdown", "text/x-markdown")


FORMAT = Format("Markdown", _is_markdown, _read)
