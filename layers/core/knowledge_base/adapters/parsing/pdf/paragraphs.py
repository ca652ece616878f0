"""Paragraphs of a PDF page, made of its lines.

PDF knows no paragraphs. A line goes on in the next one if the next one's first word had no room left in it:
so sentences, and Chinese words cut by a line's end, become whole again, and rows of tables stay rows.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from knowledge_base.adapters.parsing.pdf.lines import Line

APART = 1.25
"""How many times the usual pitch two lines are apart at least to belong to different paragraphs."""

_BEGINS = re.compile(
    r"(?:[-–—•●▪■◆○□➢✓*·]|\(?\d{1,3}[.)、．]|\(?[a-zA-Z][.)]|[（(]?[一二三四五六七八九十]+[、.）)]|第.{1,4}[章节條条])\s*\S"
)
_LEADERS = re.compile(r"[.·…_]{4,}|(?:\. ){4,}")
_COMMON_PITCH, _WIDEST_PITCH = 1.3, 3.0
_EDGE = 1.5
_COLUMN = 12
_INDENT = 0.8
_SAME_SIZE = 0.1
_LONG = 24


class Paragraph(NamedTuple):
    """Lines joined to one; `is_apart` says that more than a line's distance parts it from what is above."""

    text: str
    size: float = 0
    is_apart: bool = False


def join_lines(lines: Sequence[Line]) -> list[Paragraph]:
    """Return the paragraphs that lines make."""
    if not lines:
        return []
    pitches = list(map(_pitch, lines, lines[1:]))
    widest = APART * _usual(pitches)
    steps = [0 < pitch <= widest and _is_alike(*pair) for pair, pitch in zip(pairwise(lines), pitches, strict=True)]
    edges = _right_edges(lines, steps)
    paragraphs = [Paragraph(lines[0].text, lines[0].size)]
    for place, line in enumerate(lines[1:]):
        if steps[place] and _goes_on(lines[place], line, edges[place]):
            last = paragraphs[-1]
            paragraphs[-1] = last._replace(text=last.text + glue(last.text, line.text) + line.text)
        else:
            paragraphs.append(Paragraph(line.text, line.size, pitches[place] > widest))
    return paragraphs


def usual_pitch(lines: Sequence[Line]) -> float:
    """Return how far the lines of a paragraph are apart from base to base, in sizes of their font."""
    return _usual(list(map(_pitch, lines, lines[1:])))


def _usual(pitches: Sequence[float]) -> float:
    near = sorted(pitch for pitch in pitches if 0 < pitch < _WIDEST_PITCH)
    return near[(len(near) - 1) // 4] if len(near) > 1 else _COMMON_PITCH


def _pitch(before: Line, line: Line) -> float:
    if not before.size or not line.size or line.first >= before.last:
        return 0
    return (before.last - line.first) / max(1.0, min(before.size, line.size))


def _is_alike(before: Line, line: Line) -> bool:
    """Whether a line below another is of its size, and of its column."""
    is_beside = line.left > before.right or line.right < before.left
    return not is_beside and abs(before.size - line.size) <= _SAME_SIZE * before.size and before.turn == line.turn


def _right_edges(lines: Sequence[Line], steps: Sequence[bool]) -> list[float]:
    """Return for each line how far its column reaches: as far as two lines of its block, else as others that begin
    where it begins."""
    columns = _column_edges(lines)
    edges: list[float] = []
    for block in _blocks(lines, steps):
        reaching = sorted((line.right for line in block if not line.cells), reverse=True)
        if len(reaching) > 1 and reaching[0] - reaching[1] < _EDGE * block[0].size:
            edges += [reaching[0]] * len(block)
        else:
            edges += [columns.get(_column(line), line.right) for line in block]
    return edges


def _blocks(lines: Sequence[Line], steps: Sequence[bool]) -> Iterator[Sequence[Line]]:
    """Yield runs of lines of one size that stand close below each other, as `steps` say of each line and the next."""
    start = 0
    for place, is_close in enumerate(steps, start=1):
        if not is_close:
            yield lines[start:place]
            start = place
    yield lines[start:]


def _column_edges(lines: Sequence[Line]) -> dict[int, float]:
    edges: dict[int, float] = {}
    for line in lines:
        if not line.cells:
            column = _column(line)
            edges[column] = max(line.right, edges.get(column, line.right))
    return edges


def _column(line: Line) -> int:
    """Lines that begin within so many points are of one column."""
    return round(line.left / _COLUMN)


def _goes_on(before: Line, line: Line, edge: float) -> bool:
    """Whether a paragraph goes on in the line that stands close below."""
    if before.cells or line.cells or _BEGINS.match(line.text):
        return False
    if line.left > before.left + _INDENT * before.size and not _BEGINS.match(before.text):
        return False
    has_no_room = edge - before.right < _width_of_first_word(line) or _is_mid_sentence(before, line)
    return has_no_room and not _LEADERS.search(before.text)


def _is_mid_sentence(before: Line, line: Line) -> bool:
    return (
        line.text[0].islower() and len(before.text) >= _LONG and (before.text[-1].isalnum() or before.text[-1] == ",")
    )


def _width_of_first_word(line: Line) -> float:
    """Return about how wide the first word is; Chinese breaks after any character, with room for punctuation."""
    letters = 3 if _is_wide(line.text[0]) else len(line.text.split(" ", 1)[0]) + 2
    return (line.right - line.left) * letters / max(1, len(line.text))


def glue(before: str, after: str) -> str:
    """Return what joins two lines of a paragraph: Chinese and Japanese have no spaces between words; Korean has."""
    return "" if _is_unspaced(before[-1]) and _is_unspaced(after[0]) else " "


def _is_unspaced(character: str) -> bool:
    return _is_wide(character) and not "\uac00" <= character <= "\ud7a3"


def _is_wide(character: str) -> bool:
    return character > "\u10ff" and unicodedata.east_asian_width(character) in "WF"
