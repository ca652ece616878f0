"""The shapes of a slide: out of their groups, with their places, in reading order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing.pptx.order import Box, reading_order

_TITLES = ("title", "ctrTitle")


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape with its place on the slide, and what it stands for in the slide's layout."""

    element: Element
    box: Box | None = None
    role: str = ""
    index: str = ""

    @property
    def is_title(self) -> bool:
        """Whether the shape holds the slide's title."""
        return self.role in _TITLES


@dataclass(frozen=True, slots=True)
class _Frame:
    """How the places inside a group become places on the slide."""

    left: float = 0
    top: float = 0
    across: float = 1
    down: float = 1

    def box(self, place: Element | None) -> Box | None:
        offset, extent = _pair(place, "off", "x", "y"), _pair(place, "ext", "cx", "cy")
        if offset is None or extent is None:
            return None
        return Box(
            int(self.left + offset[0] * self.across),
            int(self.top + offset[1] * self.down),
            int(extent[0] * self.across),
            int(extent[1] * self.down),
        )

    def inside(self, place: Element | None) -> _Frame:
        box = self.box(place)
        offset, extent = _pair(place, "chOff", "x", "y"), _pair(place, "chExt", "cx", "cy")
        if box is None or offset is None or extent is None or not extent[0] or not extent[1]:
            return self
        across, down = box.width / extent[0], box.height / extent[1]
        return _Frame(box.left - offset[0] * across, box.top - offset[1] * down, across, down)


def shapes_of(slide: Element) -> list[Shape]:
    """Return the shapes of a slide or layout in the order of the file, groups dissolved."""
    tree = slide.find("cSld/spTree")
    return list(_walk(tree, _Frame())) if tree is not None else []


def in_reading_order(shapes: list[Shape], layout: list[Shape]) -> list[Shape]:
    """Return titles first, then the others by their places; those of placeholders come from the layout."""
    titles = [shape for shape in shapes if shape.is_title]
    others = [shape for shape in shapes if not shape.is_title]
    boxes = [shape.box or _inherited(shape, layout) for shape in others]
    known = [box for box in boxes if box is not None]
    if len(known) < len(others):
        return titles + others
    return titles + [others[place] for place in reading_order(known)]


def _walk(tree: Element, frame: _Frame) -> Iterator[Shape]:
    for child in tree:
        if child.tag == "grpSp":
            yield from _walk(child, frame.inside(child.find("grpSpPr/xfrm")))
        elif child.tag == "AlternateContent":
            yield from _walk(_preferred(child), frame)
        elif child.tag in ("sp", "graphicFrame", "cxnSp"):
            yield _shape(child, frame)


def _shape(element: Element, frame: _Frame) -> Shape:
    place = element.find("spPr/xfrm") if element.tag != "graphicFrame" else element.find("xfrm")
    holder = next(element.iter("ph"), None)
    if holder is None:
        return Shape(element, frame.box(place))
    return Shape(element, frame.box(place), holder.get("type", "obj"), holder.get("idx", ""))


def _preferred(alternatives: Element) -> Element:
    """Return the one of several renderings of the same content that holds text, or the plainest."""
    for choice in alternatives:
        if next(choice.iter("t"), None) is not None:
            return choice
    return alternatives[-1] if len(alternatives) else alternatives


def _inherited(shape: Shape, layout: list[Shape]) -> Box | None:
    for model in layout:
        if shape.role and model.box and (model.index, model.role) == (shape.index, shape.role):
            return model.box
    return next((model.box for model in layout if shape.index and model.box and model.index == shape.index), None)


def _pair(place: Element | None, name: str, first: str, second: str) -> tuple[int, int] | None:
    found = place.find(name) if place is not None else None
    if found is None:
        return None
    try:
        return int(found.get(first, "")[:12]), int(found.get(second, "")[:12])
    except ValueError:
        return None
