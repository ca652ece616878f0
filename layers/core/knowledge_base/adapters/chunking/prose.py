"""Documents as parts: sections, paragraphs, tables and code; within them lines, and within these sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from knowledge_base.adapters.chunking.code.outline import code_parts
from knowledge_base.adapters.chunking.parts import (
    AFTER_HEADING,
    BLOCK,
    LINE,
    SECTION,
    SENTENCE,
    WITHIN,
    WRAPPED_LINE,
    Cut,
    Part,
    soft_parts,
)
from knowledge_base.adapters.chunking.sentences import sentence_ends
from knowledge_base.domain.parsed import Span, SpanKind

_BLOCK_END = re.compile(r"\n[^\S\n]*\n\s*")
_UNDERLINE = re.compile(r"[^\S\n]*(?:=+|-+)[^\S\n]*(?:\n|$)")
_SPACE = re.compile(r"\s*")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\n?\Z")
_MARKER = re.compile(r"\s*(?:#{1,6}\s|[-*+•·▪►>|–—]|\(?\w{1,3}[.)、]\s|\S{0,40}[:：]\s|$)")
_UNFINISHED = re.compile(r"[\w,，、;；(（-]\s*\Z")
_WRAPS_FROM, _WIDE_WRAPS_FROM = 40, 20
"""Characters; no text is wrapped into shorter lines."""
_FIRST_WIDE = "\u2e80"


@dataclass(frozen=True, slots=True)
class _Region:
    """A stretch of a text that is all of one kind."""

    start: int
    end: int
    kind: SpanKind | None = None


def document_parts(text: str, spans: Iterable[Span], start: int, end: int) -> Iterator[Part]:
    """Yield the headings, paragraphs, tables and stretches of code of `text[start:end]`, without a gap."""
    after: SpanKind | None = None
    for region in _regions(text, spans, start, end):
        cut = _cut_before(region.kind, after)
        if region.kind is None:
            yield from _paragraphs(text, region, cut)
        elif region.kind is SpanKind.HEADING:
            yield Part(region.start, region.end, cut, soft_parts)
        else:
            yield Part(region.start, region.end, cut, _FINER[region.kind], is_whole=True)
        after = region.kind


def _cut_before(kind: SpanKind | None, after: SpanKind | None) -> Cut:
    """Headings that follow each other are parted only where nothing else helps."""
    if after is SpanKind.HEADING:
        return WITHIN if kind is SpanKind.HEADING else AFTER_HEADING
    return SECTION if kind is SpanKind.HEADING else BLOCK


def _regions(text: str, spans: Iterable[Span], start: int, end: int) -> Iterator[_Region]:
    position = start
    for span in spans:
        if span.kind is SpanKind.PAGE or not position <= span.start < end:
            continue
        begin = max(position, text.rfind("\n", position, span.start) + 1)
        if begin > position:
            yield _Region(position, begin)
        position = min(end, _end_of_lines(text, span))
        yield _Region(begin, position, span.kind)
    if position < end:
        yield _Region(position, end)


def _end_of_lines(text: str, span: Span) -> int:
    """Return where the lines of a span end, with the underline of a heading and the space after it."""
    newline = text.find("\n", max(span.start, span.end - 1))
    end = len(text) if newline < 0 else newline + 1
    if span.kind is SpanKind.HEADING and (underline := _UNDERLINE.match(text, end)):
        end = underline.end()
    blank = _SPACE.match(text, end)
    after = blank.end() if blank else end
    return max(end, text.rfind("\n", end, after) + 1) if after < len(text) else after


def _paragraphs(text: str, region: _Region, cut: Cut) -> Iterator[Part]:
    start = region.start
    for match in _BLOCK_END.finditer(text, region.start, region.end):
        if text[start : match.end()].isspace():
            continue
        yield Part(start, match.end(), cut, _lines)
        start, cut = match.end(), BLOCK
    if start < region.end:
        yield Part(start, region.end, cut, _lines)


def _lines(text: str, part: Part, _largest: int) -> Iterator[Part]:
    """Yield lines; those that were only wrapped are one, blank ones belong to the next."""
    start, line_start = part.start, part.start
    while line_start < part.end:
        newline = text.find("\n", line_start, part.end)
        line_end = part.end if newline < 0 else newline + 1
        if line_end == part.end or not (
            text[line_start:line_end].isspace() or _reads_on(text, line_start, line_end, part.end)
        ):
            yield Part(start, line_end, LINE, _sentences)
            start = line_end
        line_start = line_end


def _reads_on(text: str, start: int, end: int, last: int) -> bool:
    """Whether a line was only wrapped: long, unfinished, and not followed by something that begins anew."""
    width = _WRAPS_FROM if text[end - 2 : end - 1] < _FIRST_WIDE else _WIDE_WRAPS_FROM
    if end - start <= width or not _UNFINISHED.search(text, max(start, end - 4), end):
        return False
    return not _MARKER.match(text, end, min(last, end + 48))


def _sentences(text: str, part: Part, _largest: int) -> Iterator[Part]:
    start, seen, cut = part.start, part.start, LINE
    for position, is_sentence in sentence_ends(text, part.start, part.end):
        if not text[seen:position].isspace():
            yield Part(start, position, cut, soft_parts)
            start, cut = position, SENTENCE if is_sentence else WRAPPED_LINE
        seen = position
    if start < part.end:
        yield Part(start, part.end, cut, soft_parts)


def table_header(text: str, table: Span) -> int:
    """Return where the header row of a table and the rule below it end; the table's start if it has none."""
    row = text.find("\n", table.start, table.end) + 1
    rule = text.find("\n", row, table.end) + 1 if row else 0
    return rule if rule and _TABLE_RULE.match(text, row, rule) else table.start


def _rows(text: str, part: Part, _largest: int) -> Iterator[Part]:
    """Yield the rows of a table; its header stays with the first one."""
    start = part.start
    header = table_header(text, Span(SpanKind.TABLE, part.start, part.end))
    while start < part.end:
        newline = text.find("\n", start, part.end)
        end = part.end if newline < 0 else newline + 1
        yield Part(start, end, AFTER_HEADING if part.start < start <= header else LINE, _sentences)
        start = end


_FINER = {SpanKind.TABLE: _rows, SpanKind.CODE: code_parts}
