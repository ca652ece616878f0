"""What is filled into a PDF page, put where it stands among the lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from knowledge_base.adapters.parsing.pdf.annotations import CHECKED, Entry
from knowledge_base.adapters.parsing.pdf.lines import Line, Piece, pieces_of

_FARTHEST = 250.0
_SLACK = 4.0
_USUAL_SIZE = 12.0


def place_entries(lines: Sequence[Line], entries: Iterable[Entry]) -> list[Line]:
    """Return the lines of a page with each entry behind its label, else below what stands above it.

    The label is the nearest line on the entry's left at its height; that of a box to check may stand on its right.
    """
    placed = list(lines)
    for entry in entries:
        label = _label(placed, entry)
        if label is None:
            placed.insert(_place_below(placed, entry), _line_of(entry))
        else:
            placed[label] = _labelled(placed[label], entry)
    return placed


def _label(lines: Sequence[Line], entry: Entry) -> int | None:
    left, _top, right, _bottom = entry.box
    beside = [place for place, line in enumerate(lines) if _is_beside(line, entry)]
    gaps = {place: left - lines[place].right for place in beside if lines[place].right <= left + _SLACK}
    if entry.text == CHECKED:
        gaps |= {place: lines[place].left - right for place in beside if lines[place].left >= right - _SLACK}
    nearest = min(gaps, key=lambda place: gaps[place], default=None)
    return nearest if nearest is not None and gaps[nearest] < _FARTHEST else None


def _is_beside(line: Line, entry: Entry) -> bool:
    _left, top, _right, bottom = entry.box
    return bool(line.size) and not line.turn and bottom - line.size / 2 <= line.last <= top


def _labelled(line: Line, entry: Entry) -> Line:
    """Return a line with an entry as another cell of it, so that no paragraph runs on over it."""
    left, _top, right, _bottom = entry.box
    value = Piece(entry.text, left, right)
    if line.left >= right - _SLACK:
        return line._replace(text=f"{entry.text} {line.text}", left=left, cells=(value, *pieces_of(line)))
    return line._replace(text=f"{line.text} {entry.text}", right=right, cells=(*pieces_of(line), value))


def _place_below(lines: Sequence[Line], entry: Entry) -> int:
    """Return the place behind the nearest line above an entry, the end where there is none."""
    left, top, right, _bottom = entry.box
    above = [
        place
        for place, line in enumerate(lines)
        if line.size and line.last >= top - _SLACK and line.left < right and line.right > left
    ]
    return min(above, key=lambda place: lines[place].last) + 1 if above else len(lines)


def _line_of(entry: Entry) -> Line:
    left, top, right, bottom = entry.box
    size = min(_USUAL_SIZE, max(1.0, top - bottom))
    return Line(entry.text, left, right, bottom + size / 4, bottom + size / 4, size)
