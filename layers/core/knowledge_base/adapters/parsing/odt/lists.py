"""List numbers of an OpenDocument text."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree.ElementTree import Element

from knowledge_base.adapters.parsing.list_numbers import BULLET, LARGEST, format_number

_FORMS = {
    "1": "decimal",
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
    "一, 二, 三, ...": "chineseCounting",
    "壹, 贰, 叁, ...": "chineseLegalSimplified",
    "甲, 乙, 丙, ...": "ideographTraditional",
    "子, 丑, 寅, ...": "ideographZodiac",
    "①, ②, ③, ...": "decimalEnclosedCircle",
    "1st": "ordinal",
}
_LEVELS = 10
_BULLETS = ("list-level-style-bullet", "list-level-style-image")


@dataclass(frozen=True, slots=True)
class _Level:
    """How a level is numbered; a bullet has no form."""

    form: str = ""
    prefix: str = ""
    suffix: str = ""
    start: int = 1
    shown: int = 1


class OdtLists:
    """Counts through the lists of a document in reading order."""

    def __init__(self) -> None:
        self._styles: dict[str, dict[int, _Level]] = {}
        self._outline: dict[int, _Level] = {}
        self._ended: dict[str, list[int]] = {}
        self._headings = [0] * _LEVELS

    def add_styles(self, part: Element) -> None:
        """Note the list styles of a part."""
        for style in part.iter("list-style"):
            self._styles[style.get("name", "")] = _levels(style)
        for style in part.iter("outline-style"):
            self._outline = _levels(style)

    def counts_before(self, style: str, *, goes_on: bool) -> list[int]:
        """Return the counts with which a list begins; one that continues another goes on with its numbers."""
        return list(self._ended.get(style, ())) if goes_on else []

    def keep(self, style: str, counts: list[int]) -> None:
        """Remember where a list ended."""
        self._ended[style] = list(counts)

    def next_label(self, style: str, level: int, counts: list[int], start: str = "") -> str:
        """Count an item of a list, and return its number or bullet."""
        levels = self._styles.get(style, {})
        own = levels.get(level, _Level())
        while len(counts) <= level:
            shallow = levels.get(len(counts), _Level())
            counts.append(shallow.start - 1 if len(counts) == level else shallow.start)
        del counts[level + 1 :]
        counts[level] = min(int(start), LARGEST) if start.isdecimal() else counts[level] + 1
        return _written(own, level, counts, levels) or BULLET

    def heading_label(self, level: int) -> str:
        """Count a heading, and return its number, empty where headings have none."""
        place = min(level, _LEVELS) - 1
        self._headings[place] += 1
        self._headings[place + 1 :] = [0] * (_LEVELS - place - 1)
        own = self._outline.get(place, _Level())
        return _written(own, place, self._headings, self._outline)


def _written(own: _Level, level: int, counts: list[int], levels: dict[int, _Level]) -> str:
    if not own.form:
        return ""
    first = max(0, level + 1 - own.shown)
    forms = [levels.get(place, own).form or "decimal" for place in range(first, level + 1)]
    numbers = [format_number(max(1, counts[first + place]), form) for place, form in enumerate(forms)]
    return f"{own.prefix}{'.'.join(numbers)}{own.suffix}".strip()


def _levels(style: Element) -> dict[int, _Level]:
    found = {}
    for level in style:
        number = level.get("level", "")
        if number.isdecimal() and level.tag not in _BULLETS:
            found[min(int(number), LARGEST) - 1] = _Level(
                _FORMS.get(level.get("num-format", ""), "decimal") if level.get("num-format") else "",
                level.get("num-prefix", ""),
                level.get("num-suffix", ""),
                _number(level.get("start-value", "1")),
                _number(level.get("display-levels", "1")),
            )
    return found


def _number(value: str) -> int:
    return min(int(value), LARGEST) if value.isdecimal() else 1
