"""The numbers and bullets that Word computes for list paragraphs."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing.docx.styles import ListPlace
from knowledge_base.adapters.parsing.list_numbers import BULLET, LARGEST, format_number

_PLACE = re.compile(r"%([1-9])")


@dataclass(frozen=True, slots=True)
class Level:
    """How one level of a list is numbered; `text` has `%1` where the number of level 1 stands."""

    form: str = "decimal"
    text: str = ""
    start: int = 1
    is_legal: bool = False


class Lists:
    """Counts through the lists of a document, paragraph by paragraph in reading order."""

    def __init__(self, part: Element | None) -> None:
        self._levels: dict[str, dict[int, Level]] = {}
        self._family: dict[str, str] = {}
        self._counts: dict[str, dict[int, int]] = defaultdict(dict)
        self._begun: set[tuple[str, int]] = set()
        if part is not None:
            self._read(part)

    def next_label(self, place: ListPlace) -> str:
        """Return the number or bullet of the next paragraph of a list, empty where it has none."""
        level = self._level(place.list_id, place.level)
        self._count(place, level)
        if level.form == "none":
            return ""
        if level.form == "bullet":
            return BULLET
        return _PLACE.sub(lambda match: self._number(place, int(match[1]) - 1), level.text).strip()

    def _read(self, part: Element) -> None:
        families = _read_families(part)
        for number in part.iter("num"):
            list_id, link = number.get("numId", ""), number.find("abstractNumId")
            family = link.get("val", "") if link is not None else ""
            self._family[list_id] = family
            self._levels[list_id] = {**families.get(family, {}), **_overrides(number, families.get(family, {}))}

    def _level(self, list_id: str, level: int) -> Level:
        return self._levels.get(list_id, {}).get(level, Level(text=f"%{level + 1}."))

    def _count(self, place: ListPlace, level: Level) -> None:
        """Lists of one family share their counters; the first use of an overridden start begins anew."""
        counts = self._counts[self._family.get(place.list_id, place.list_id)]
        is_new = (place.list_id, place.level) not in self._begun and self._has_own_start(place)
        self._begun.add((place.list_id, place.level))
        counts[place.level] = level.start if is_new or place.level not in counts else counts[place.level] + 1
        for deeper in [other for other in counts if other > place.level]:
            del counts[deeper]

    def _has_own_start(self, place: ListPlace) -> bool:
        return bool(self._levels.get(place.list_id, {}).get(-1 - place.level))

    def _number(self, place: ListPlace, level: int) -> str:
        counts = self._counts[self._family.get(place.list_id, place.list_id)]
        shown = self._level(place.list_id, level)
        own = self._level(place.list_id, place.level)
        count = counts.get(level, shown.start)
        return format_number(count, "decimal" if own.is_legal else shown.form)


def _read_families(part: Element) -> dict[str, dict[int, Level]]:
    """Return the levels of each family of lists; some only point to another one by the name of a style."""
    found = {family.get("abstractNumId", ""): (family, _levels(family)) for family in part.iter("abstractNum")}
    styled = {_value(family.find("styleLink")): levels for family, levels in found.values()}
    return {
        family_id: levels or styled.get(_value(family.find("numStyleLink")), {})
        for family_id, (family, levels) in found.items()
    }


def _value(element: Element | None) -> str:
    return "" if element is None else element.get("val", "")


def _levels(family: Element) -> dict[int, Level]:
    return {_index(level): _read_level(level) for level in family.findall("lvl")}


def _overrides(number: Element, inherited: dict[int, Level]) -> dict[int, Level]:
    """Return the levels a list changes; key `-1 - level` says that the level's start is the list's own."""
    changed: dict[int, Level] = {}
    for override in number.findall("lvlOverride"):
        index, own, start = _index(override), override.find("lvl"), override.find("startOverride")
        level = _read_level(own) if own is not None else inherited.get(index, Level(text=f"%{index + 1}."))
        if start is not None:
            level = replace(level, start=_number(start, level.start))
            changed[-1 - index] = level
        changed[index] = level
    return changed


def _read_level(level: Element) -> Level:
    form, text, start = level.find("numFmt"), level.find("lvlText"), level.find("start")
    return Level(
        form.get("val", "decimal") if form is not None else "decimal",
        text.get("val", "") if text is not None else "",
        _number(start, 1) if start is not None else 1,
        level.find("isLgl") is not None,
    )


def _index(element: Element) -> int:
    value = element.get("ilvl", "0")
    return int(value) if value.isdigit() else 0


def _number(element: Element, otherwise: int) -> int:
    value = element.get("val", "")
    return min(int(value), LARGEST) if value.isdigit() else otherwise
