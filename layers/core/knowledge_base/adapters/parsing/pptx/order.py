"""The order in which the shapes of a slide are read."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

MAX_SHAPES = 400
MAX_CUTS = 30


@dataclass(frozen=True, slots=True)
class Box:
    """Where a shape lies on its slide."""

    left: int
    top: int
    width: int
    height: int


def reading_order(boxes: list[Box]) -> list[int]:
    """Return the places of the boxes in reading order.

    The slide is cut along free lines into rows and columns, and these are cut again. Where both cuts are
    possible, the one closer to the order of the file is taken, which is the order its author made.
    """
    places = list(range(len(boxes)))
    if len(boxes) > MAX_SHAPES:
        return places
    by_rows, by_columns = (_ordered(boxes, places, by_rows=first) for first in (True, False))
    return by_rows if _steps_back(by_rows) <= _steps_back(by_columns) else by_columns


def _ordered(boxes: list[Box], places: list[int], *, by_rows: bool, depth: int = 0) -> list[int]:
    """Cut one way, and the pieces the other way; the other way first where this way is blocked."""
    if len(places) < 2 or depth > MAX_CUTS:
        return places
    groups = _cut(boxes, places, by_rows)
    if len(groups) == 1:
        by_rows = not by_rows
        groups = _cut(boxes, places, by_rows)
    if len(groups) == 1:
        return places
    return [place for group in groups for place in _ordered(boxes, group, by_rows=not by_rows, depth=depth + 1)]


def _cut(boxes: list[Box], places: list[int], by_rows: bool) -> list[list[int]]:
    """Groups of boxes between which there is a free line; boxes may reach a little over it."""

    def extent(place: int) -> tuple[int, int]:
        box = boxes[place]
        return (box.top, box.top + box.height) if by_rows else (box.left, box.left + box.width)

    groups: list[list[int]] = []
    end = 0
    for place in sorted(places, key=lambda place: (*extent(place), place)):
        start, stop = extent(place)
        if groups and start < end - (stop - start) // 5:
            groups[-1].append(place)
            end = max(end, stop)
        else:
            groups.append([place])
            end = max(end, stop)
    return [sorted(group) for group in groups]


def _steps_back(order: list[int]) -> int:
    return sum(later < earlier for earlier, later in pairwise(order))
