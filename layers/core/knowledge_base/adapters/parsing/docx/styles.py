"""What paragraph styles say: heading levels, and lists."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree.ElementTree import Element

_HEADING_NAME = re.compile(r"(?:heading|标题|標題|überschrift|titre|título|titolo|заголовок|見出し|제목)\s*(\d)$", re.I)
_TITLE_NAMES = ("title", "标题", "標題", "titel", "titre", "título", "titolo", "表題", "제목", "название")
MAX_LEVEL = 9


@dataclass(frozen=True, slots=True)
class ListPlace:
    """Which list a paragraph belongs to, and how deep."""

    list_id: str
    level: int


@dataclass(frozen=True, slots=True)
class Style:
    """A paragraph style; `level` is 0 where it is no heading."""

    name: str = ""
    based_on: str = ""
    level: int = 0
    is_title: bool = False
    list_id: str = ""
    list_level: int = 0

    @property
    def heading_level(self) -> int:
        """The level as a heading; a title is one of the first level."""
        return self.level or int(self.is_title)


class Styles:
    """The styles of a document, by id."""

    def __init__(self, part: Element | None) -> None:
        found = part.iter("style") if part is not None else ()
        self._styles = {style.get("styleId", ""): _read_style(style) for style in found}

    def heading_level(self, paragraph: Element) -> int:
        """Return the level from 1 of a heading paragraph, 0 for any other."""
        own = _outline_level(paragraph.find("pPr"))
        return own or next((style.heading_level for style in self._chain(paragraph) if style.heading_level), 0)

    def is_title(self, paragraph: Element) -> bool:
        """Whether the paragraph is the document's title."""
        return any(style.is_title for style in self._chain(paragraph))

    def list_place(self, paragraph: Element) -> ListPlace | None:
        """Return the list that a paragraph or its style belongs to."""
        own = paragraph.find("pPr/numPr")
        list_id, level = _numbering(own) if own is not None else ("", -1)
        for style in self._chain(paragraph):
            if style.list_id and not list_id:
                list_id, level = style.list_id, level if level >= 0 else style.list_level
        return ListPlace(list_id, max(level, 0)) if list_id not in ("", "0") else None

    def _chain(self, paragraph: Element) -> list[Style]:
        """The paragraph's style and those it is based on, nearest first."""
        chain: list[Style] = []
        style_id = _value(paragraph.find("pPr/pStyle"))
        while style_id in self._styles and len(chain) < 20:
            chain.append(self._styles[style_id])
            style_id = chain[-1].based_on
        return chain


def _read_style(style: Element) -> Style:
    name = _value(style.find("name")).strip()
    properties = style.find("pPr")
    numbering = properties.find("numPr") if properties is not None else None
    list_id, list_level = _numbering(numbering) if numbering is not None else ("", 0)
    named = _HEADING_NAME.match(name)
    return Style(
        name=name,
        based_on=_value(style.find("basedOn")),
        level=_outline_level(properties) or (int(named[1]) if named else 0),
        is_title=name.lower() in _TITLE_NAMES,
        list_id=list_id,
        list_level=max(list_level, 0),
    )


def _outline_level(properties: Element | None) -> int:
    """Outline levels are 0 to 8; 9 is body text."""
    value = _value(properties.find("outlineLvl")) if properties is not None else ""
    return int(value) + 1 if value.isdigit() and int(value) < MAX_LEVEL else 0


def _numbering(properties: Element) -> tuple[str, int]:
    level = _value(properties.find("ilvl"))
    return _value(properties.find("numId")), int(level) if level.isdigit() else -1


def _value(element: Element | None) -> str:
    return "" if element is None else element.get("val", "")
