"""Where a text may be cut, and how well: at sentences, lines, paragraphs, sections, and between lines of code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from knowledge_base.domain.parsed import Span, SpanKind

AFTER_HEADING = -1
"""A heading is not parted from what follows it."""
WITHIN, SENTENCE, LINE, BLOCK, HEADING = 0, 1, 2, 3, 4
_HIGHEST_HEADING = 10

_CLOSERS = r"[”’」』）】》〉〕\"')\]]*"
_ABBREVIATIONS = (
    "Mr",
    "Mrs",
    "Ms",
    "Dr",
    "Prof",
    "St",
    "No",
    "Nr",
    "Fig",
    "Eq",
    "vs",
    "cf",
    "al",
    r"e\.g",
    r"i\.e",
    "z\\.B",
)
_NOT_ABBREVIATED = "".join(rf"(?<!\b{word}\.)" for word in (*_ABBREVIATIONS, "[A-Z]"))
_PROSE = re.compile(
    rf"(?P<block>\n[^\S\n]*\n\s*)|(?P<line>\n)"
    rf"|[。！？｡…।॥؟۔։።។]+{_CLOSERS}[^\S\n]*"
    rf"|(?<![.!?])[.!?]++{_NOT_ABBREVIATED}{_CLOSERS}[^\S\n]++(?![a-z\n])"
)
_CODE = re.compile(r"\n(?P<blank>(?:[^\S\n]*\n)*)(?P<indent>[^\S\n]*)(?=\S)")
_CLOSES_A_BLOCK = frozenset(")}]")
_UNDERLINE = re.compile(r"[^\S\n]*(?:=+|-+)[^\S\n]*(?:\n|$)")
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class Segment:
    """Characters `[start, end)` that belong together; `strength` says how well a cut before them would be."""

    start: int
    end: int
    strength: int


@dataclass(frozen=True, slots=True)
class _Region:
    """A stretch of a text with boundaries of one kind."""

    start: int
    end: int
    kind: SpanKind | None = None
    level: int = 0


def find_segments(text: str, spans: Iterable[Span], start: int, end: int) -> Iterator[Segment]:
    """Yield the smallest pieces of `text[start:end]` that have a boundary between them, without a gap."""
    begin, strength = start, BLOCK
    for position, next_strength in _boundaries(text, spans, start, end):
        if position <= begin or text[begin:position].isspace():
            strength = max(strength, next_strength)
            continue
        yield Segment(begin, position, strength)
        begin, strength = position, next_strength
    if begin < end:
        yield Segment(begin, end, strength)


def _boundaries(text: str, spans: Iterable[Span], start: int, end: int) -> Iterator[tuple[int, int]]:
    after_heading = False
    for region in _regions(text, spans, start, end):
        yield region.start, _strength_before(region, after_heading)
        after_heading = region.kind is SpanKind.HEADING
        if region.kind is SpanKind.CODE:
            yield from _code_boundaries(text, region)
        elif not after_heading:
            yield from _prose_boundaries(text, region)


def _strength_before(region: _Region, after_heading: bool) -> int:
    """Headings that follow each other are parted only where nothing else helps."""
    if after_heading:
        return WITHIN if region.kind is SpanKind.HEADING else AFTER_HEADING
    return max(HEADING, _HIGHEST_HEADING - region.level) if region.kind is SpanKind.HEADING else BLOCK


def _regions(text: str, spans: Iterable[Span], start: int, end: int) -> Iterator[_Region]:
    position = start
    for span in spans:
        if span.kind is SpanKind.PAGE or not position <= span.start < end:
            continue
        begin = max(position, text.rfind("\n", position, span.start) + 1)
        if begin > position:
            yield _Region(position, begin)
        position = min(end, _end_of_lines(text, span))
        yield _Region(begin, position, span.kind, span.number)
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


def _prose_boundaries(text: str, region: _Region) -> Iterator[tuple[int, int]]:
    for match in _PROSE.finditer(text, region.start, region.end):
        yield match.end(), {"block": BLOCK, "line": LINE}.get(match.lastgroup or "", SENTENCE)


def _code_boundaries(text: str, region: _Region) -> Iterator[tuple[int, int]]:
    """A blank line before a line without indentation parts definitions; closing brackets belong to what they close."""
    end = region.start + len(text[region.start : region.end].rstrip())
    for match in _CODE.finditer(text, region.start, end):
        is_outer = not match["indent"] and text[match.end()] not in _CLOSES_A_BLOCK
        yield (
            match.start("indent"),
            (BLOCK if is_outer else LINE) if match["blank"] else (LINE if is_outer else SENTENCE),
        )
