"""The lines of a PDF page with their place on it, and paragraphs made of them.

PDF knows no paragraphs. A line goes on in the next one if the next one's first word had no room left in it:
so sentences, and Chinese words cut by a line's end, become whole again, and rows of tables stay rows.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from ctypes import c_double
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import quantiles
from typing import Any

from knowledge_base.adapters.parsing.pdf.characters import tidy

_LINE = re.compile(r"[^\r\n]+")
_BEGINS = re.compile(
    r"(?:[-–—•●▪■◆○□➢✓*·]|\(?\d{1,3}[.)、．]|\(?[a-zA-Z][.)]|[（(]?[一二三四五六七八九十]+[、.）)]|第.{1,4}[章节條条])\s*\S"
)
_LEADERS = re.compile(r"[.·…_]{4,}|(?:\. ){4,}")
_COMMON_PITCH, _WIDEST_PITCH = 1.3, 3.0
_PARAGRAPH = 1.25
_CELL_GAP = 1.3
_EDGE = 1.5
_COLUMN = 12
_INDENT = 0.8
_SAME_SIZE = 0.1
_MAX_RECTANGLES = 60
_UPRIGHT = 3
_LONG = 24


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text; `size` is its font's, `is_row` says that gaps part it into cells.

    `first` and `last` are the heights on which it begins and ends: PDFium joins lines at hyphens.
    """

    text: str
    left: float = 0
    right: float = 0
    first: float = 0
    last: float = 0
    size: float = 0
    is_row: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines joined to one; `is_apart` says that more than a line's distance parts it from what is above."""

    text: str
    size: float = 0
    is_apart: bool = False


def read_lines(textpage: Any, characters: Sequence[str]) -> list[Line]:
    """Return the lines of a pypdfium2 text page, given what its characters are to be read as."""
    raw = "".join(character or "\0" for character in characters)
    lines = (_read_line(textpage, characters, match.start(), match.end()) for match in _LINE.finditer(raw))
    return [line for line in lines if line.text]


def plain_lines(raw: str) -> list[Line]:
    """Return lines of which only the text is known."""
    return [Line(line.strip()) for line in tidy(raw).split("\n") if line.strip()]


def join_lines(lines: Sequence[Line]) -> list[Paragraph]:
    """Return the paragraphs that lines make."""
    pitch = _usual_pitch(lines)
    edges = _right_edges(lines, pitch)
    paragraphs: list[Paragraph] = []
    for place, line in enumerate(lines):
        before = lines[place - 1] if place else None
        if before and _goes_on(before, line, pitch, edges[place - 1]):
            last = paragraphs[-1]
            paragraphs[-1] = replace(last, text=last.text + _glue(last.text, line.text) + line.text)
        else:
            paragraphs.append(Paragraph(line.text, line.size, bool(before and _is_apart(before, line, pitch))))
    return paragraphs


def _read_line(textpage: Any, characters: Sequence[str], start: int, end: int) -> Line:
    import pypdfium2.raw as pdfium

    text = tidy("".join(characters[start:end])).strip()
    count = min(_MAX_RECTANGLES, pdfium.FPDFText_CountRects(textpage, start, end - start))
    boxes = [textpage.get_rect(place) for place in range(count)]
    if not boxes:
        return Line(text)
    _left, bottom, right, top = boxes[-1]
    last_row = [box for box in boxes if abs(box[1] - bottom) < max(top - bottom, 1.0)]
    left = min(box[0] for box in last_row)
    size = pdfium.FPDFText_GetFontSize(textpage, start)
    if top - bottom > _UPRIGHT * size:
        return Line(text)
    first, last = (_baseline(textpage, place) for place in (start, end - 1))
    return Line(text, left, right, first, last, size, _has_gaps(last_row))


def _baseline(textpage: Any, place: int) -> float:
    import pypdfium2.raw as pdfium

    x, y = c_double(), c_double()
    pdfium.FPDFText_GetCharOrigin(textpage, place, x, y)
    return y.value


def _has_gaps(boxes: Sequence[tuple[float, float, float, float]]) -> bool:
    gaps = (after[0] - box[2] for box, after in pairwise(boxes))
    height = max(box[3] - box[1] for box in boxes)
    return any(gap > _CELL_GAP * height for gap in gaps)


def _usual_pitch(lines: Sequence[Line]) -> float:
    """Return how far the lines of a paragraph are apart from base to base, in sizes of their font."""
    pitches = [_pitch(before, line) for before, line in pairwise(lines) if _is_below(before, line)]
    near = [pitch for pitch in pitches if pitch < _WIDEST_PITCH]
    return quantiles(near, n=4)[0] if len(near) > 1 else _COMMON_PITCH


def _pitch(before: Line, line: Line) -> float:
    return (before.last - line.first) / max(1.0, min(before.size, line.size))


def _right_edges(lines: Sequence[Line], pitch: float) -> list[float]:
    """Return for each line how far its column reaches: as far as two lines of its block, else as others that begin
    where it begins."""
    columns = _column_edges(lines)
    edges: list[float] = []
    for block in _blocks(lines, pitch):
        reaching = sorted((line.right for line in block if not line.is_row), reverse=True)
        size = block[0].size
        if len(reaching) > 1 and reaching[0] - reaching[1] < _EDGE * size:
            edges += [reaching[0]] * len(block)
        else:
            edges += [columns.get(_column(line), line.right) for line in block]
    return edges


def _blocks(lines: Sequence[Line], pitch: float) -> Iterator[list[Line]]:
    """Yield runs of lines of one size that stand close below each other."""
    block: list[Line] = []
    for line in lines:
        if block and not (_is_alike(block[-1], line) and not _is_apart(block[-1], line, pitch)):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _column_edges(lines: Sequence[Line]) -> dict[int, float]:
    edges: dict[int, float] = {}
    for line in lines:
        if not line.is_row:
            edges[_column(line)] = max(line.right, edges.get(_column(line), line.right))
    return edges


def _column(line: Line) -> int:
    """Lines that begin within so many points are of one column."""
    return round(line.left / _COLUMN)


def _goes_on(before: Line, line: Line, pitch: float, edge: float) -> bool:
    if before.is_row or line.is_row or _BEGINS.match(line.text) or _LEADERS.search(before.text):
        return False
    if not before.size or not _is_alike(before, line) or _is_apart(before, line, pitch):
        return False
    is_indented = line.left > before.left + _INDENT * before.size and not _BEGINS.match(before.text)
    return not is_indented and (edge - before.right < _width_of_first_word(line) or _is_mid_sentence(before, line))


def _is_mid_sentence(before: Line, line: Line) -> bool:
    return (
        line.text[0].islower() and len(before.text) >= _LONG and (before.text[-1].isalnum() or before.text[-1] == ",")
    )


def _is_apart(before: Line, line: Line, pitch: float) -> bool:
    return _is_below(before, line) and _pitch(before, line) > _PARAGRAPH * pitch


def _is_alike(before: Line, line: Line) -> bool:
    return (
        abs(before.size - line.size) <= _SAME_SIZE * before.size
        and _is_below(before, line)
        and not _is_beside(before, line)
    )


def _is_below(before: Line, line: Line) -> bool:
    return bool(before.size and line.size) and line.first < before.last


def _is_beside(before: Line, line: Line) -> bool:
    return line.left > before.right or line.right < before.left


def _width_of_first_word(line: Line) -> float:
    """Return about how wide the first word is; Chinese breaks after any character, with room for punctuation."""
    letters = 3 if _is_wide(line.text[0]) else len(line.text.split(" ", 1)[0]) + 2
    return (line.right - line.left) * letters / max(1, len(line.text))


def _glue(before: str, after: str) -> str:
    """Chinese and Japanese have no spaces between words; Korean has."""
    return "" if _is_unspaced(before[-1]) and _is_unspaced(after[0]) else " "


def _is_unspaced(character: str) -> bool:
    return _is_wide(character) and not "\uac00" <= character <= "\ud7a3"


def _is_wide(character: str) -> bool:
    return character > "\u10ff" and unicodedata.east_asian_width(character) in "WF"
