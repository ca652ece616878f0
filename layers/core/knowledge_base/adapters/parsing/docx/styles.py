"""What paragraph styles say: heading levels, and lists."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree.ElementTree import Element

_HEADING_NAME = re.compile(
    r"(?:heading|标题|標題|überschrift|titre|título|titolo|заголовок|见出し|見出し|제목|nagłówek|rubrik|kop|overskrift)\s*(\d)$",
    re.I,
)
_TITLE_NAMES = ("title", "标题", "標題", "titel", "titre", "título", "titolo", "表題", "제목", "название")
MAX_LEVEL = 9
_MAX_CHAIN = 20


@dataclass(frozen=True, slots=True)
class ListPlace:
    """Which list a paragraph belongs to, and how deep."""

    list_id: str
    level: int


@dataclass(frozen=True, slots=True)
class Look:
    """What a paragraph is: `level` is that of a heading from 1, 0 for body text; `place` is its place in a list."""

    level: int = 0
    is_title: bool = False
    place: ListPlace | None = None


_NO_LOOK = Look()


@dataclass(frozen=True, slots=True)
class _Style:
    """What a style says itself."""

    based_on: str
    level: int
    is_title: bool
    list_id: str
    list_level: int


class Styles:
    """The styles of a document, by id."""

    def __init__(self, part: Element | None) -> None:
        found = part.iter("style") if part is not None else ()
        self._styles = {style.get("styleId", ""): _read_style(style) for style in found}
        self._looks: dict[str, tuple[int, bool, str, int]] = {}
        self._plain_looks: dict[str, Look] = {}

    def look_of(self, properties: Element | None) -> Look:
        """Return what a paragraph with these properties is, by itself and by its style."""
        if properties is None:
            return _NO_LOOK
        level, is_title, list_id, list_level = self._look_of_style(_value(properties.find("pStyle")))
        numbering = properties.find("numPr")
        if numbering is not None:
            own_list, own_level = _numbering(numbering)
            list_id, list_level = own_list or list_id, own_level if own_level >= 0 else list_level
        place = ListPlace(list_id, max(list_level, 0)) if list_id not in ("", "0") else None
        return Look(_outline_level(properties) or level, is_title, place)

    def look_named(self, style_id: str) -> Look:
        """Return what a paragraph is by its style alone."""
        if style_id not in self._plain_looks:
            level, is_title, list_id, list_level = self._look_of_style(style_id)
            place = ListPlace(list_id, max(list_level, 0)) if list_id not in ("", "0") else None
            self._plain_looks[style_id] = Look(level, is_title, place)
        return self._plain_looks[style_id]

    def _look_of_style(self, style_id: str) -> tuple[int, bool, str, int]:
        """Level, title, list and depth by a style and those it is based on."""
        if style_id not in self._looks:
            chain = self._chain(style_id)
            levels = (style.level or int(style.is_title) for style in chain)
            lists = ((style.list_id, style.list_level) for style in chain if style.list_id)
            self._looks[style_id] = (
                next(filter(None, levels), 0),
                any(style.is_title for style in chain),
                *next(lists, ("", -1)),
            )
        return self._looks[style_id]

    def _chain(self, style_id: str) -> list[_Style]:
        """A style and those it is based on, nearest first."""
        chain: list[_Style] = []
        while style_id in self._styles and len(chain) < _MAX_CHAIN:
            chain.append(self._styles[style_id])
            style_id = chain[-1].based_on
        return chain


def heading_level_of(name: str) -> int:
    """Return the level from 1 that a style's name means, 0 for none."""
    named = _HEADING_NAME.match(name)
    return int(named[1]) if named else 0


def _read_style(style: Element) -> _Style:
    name = _value(style.find("name")).strip()
    properties = style.find("pPr")
    numbering = properties.find("numPr") if properties is not None else None
    list_id, list_level = _numbering(numbering) if numbering is not None else ("", 0)
    return _Style(
        based_on=_value(style.find("basedOn")),
        level=_outline_level(properties) or heading_level_of(name),
        is_title=name.lower() in _TITLE_NAMES,
        list_id=list_id,
        list_level=max(list_level, 0),
    )


def _outline_level(properties: Element | None) -> int:
    """Outline levels are 0 to 8; 9 is body text."""
    value = _value(properties.find("outlineLvl")) if properties is not None else ""
    return int(value) + 1 if value.isdecimal() and int(value) < MAX_LEVEL else 0


def _numbering(properties: Element) -> tuple[str, int]:
    level = _value(properties.find("ilvl"))
    return _value(properties.find("numId")), min(int(level), MAX_LEVEL) if level.isdecimal() else -1


def _value(element: Element | None) -> str:
    return "" if element is None else element.get("val", "")
